import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { findWorkspace } from "../../src/config/find-workspace.ts";
import { loadConfig } from "../../src/config/load-config.ts";
import type { Config } from "../../src/config/parse-config.ts";
import type { ServerName } from "../../src/model/names.ts";

let root: string;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "mcpfs-config-"));
});

afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

/** A user who has approved everything. */
const trusted = async ({ servers }: Config): Promise<ReadonlySet<ServerName>> =>
  new Set(servers.map((server) => server.name));

async function load(config: unknown, env: Record<string, string> = {}): Promise<Config> {
  await writeFile(join(root, "mcpfs.json"), typeof config === "string" ? config : JSON.stringify(config));
  return await loadConfig(root, { env, platform: process.platform, homeDir: join(root, "home"), trusted });
}

describe("loading", () => {
  test("reads the file, with paths that do not depend on the current folder", async () => {
    const config = await load({
      mcpServers: { r: { command: "node", cwd: "./sub" }, q: { command: "./tools/run.sh" } },
    });
    expect(config).toMatchObject({ root, path: join(root, "mcpfs.json"), warnings: [] });
    expect(config.servers.map(({ transport }) => transport)).toMatchObject([
      { command: join(root, "tools/run.sh"), cwd: root },
      { command: "node", cwd: join(root, "sub") },
    ]);
  });

  test("an env file is read, env stands above it, and its values are secrets", async () => {
    await writeFile(join(root, "keys.env"), "# keys\nexport A=from-file\nB=\"two words\" # note\nC='$A'\n");
    const config = await load({
      mcpServers: { x: { command: "node", envFile: "keys.env", env: { A: "from-env" } } },
    });
    expect(config.servers[0]?.problem).toBeUndefined();
    expect(config.servers[0]?.transport).toMatchObject({ env: { A: "from-env", B: "two words", C: "$A" } });
    expect(config.secrets).toEqual(expect.arrayContaining(["from-env", "two words"]));
  });

  test("an env file in the home folder is found", async () => {
    await mkdir(join(root, "home"));
    await writeFile(join(root, "home", ".env"), "A=1\n");
    const config = await load({ mcpServers: { x: { command: "node", envFile: "~/.env" } } });
    expect(config.servers[0]?.transport).toMatchObject({ env: { A: "1" } });
  });

  test("an env file that is not there breaks that server only", async () => {
    const config = await load({
      mcpServers: { a: { command: "node" }, x: { command: "node", envFile: "no.env" } },
    });
    expect(config.servers[0]?.problem).toBeUndefined();
    expect(config.servers[1]?.problem?.message).toContain(
      `mcpServers.x.envFile names ${join(root, "no.env")}, which cannot be read (ENOENT).`,
    );
  });

  test.each([
    ["a default export", "export default (name, server, kind) => `${server}-${kind}-${name}`;"],
    [
      "an export named rename",
      "export function rename(name, server, kind) { return `${server}-${kind}-${name}`; }",
    ],
  ])("a rename module with %s is asked", async (_what, code) => {
    await writeFile(join(root, "rename.mjs"), code);
    const config = await load({ mcpServers: { x: { command: "node", tools: { rename: "./rename.mjs" } } } });
    expect(config.servers[0]?.problem).toBeUndefined();
    expect(config.servers[0]?.filter.rename("get", "tool")).toBe("x-tool-get");
  });

  test("a rename module that was edited counts at the next load", async () => {
    const config = { mcpServers: { x: { command: "node", tools: { rename: "./rename.mjs" } } } };
    await writeFile(join(root, "rename.mjs"), "export default () => 'one';");
    expect((await load(config)).servers[0]?.filter.rename("get", "tool")).toBe("one");
    await writeFile(join(root, "rename.mjs"), "export default () => 'two';");
    expect((await load(config)).servers[0]?.filter.rename("get", "tool")).toBe("two");
  });

  test.each([
    ["is not there", undefined, "cannot be loaded: ENOENT"],
    ["exports no function", "export default 3;", "exports no function"],
    ["does not parse", "export default (", "cannot be loaded: "],
    ["imports another file", "export { default } from './other.mjs';", "cannot be loaded: "],
    ["throws", "throw new Error('not today.');", "cannot be loaded: not today."],
  ])("a rename module that %s breaks that server only", async (_what, code, sentence) => {
    if (code !== undefined) await writeFile(join(root, "bad.mjs"), code);
    await writeFile(join(root, "other.mjs"), "export default (name) => name;");
    const config = await load({
      mcpServers: { a: { command: "node" }, x: { command: "node", tools: { rename: "./bad.mjs" } } },
    });
    expect(config.servers[0]?.problem).toBeUndefined();
    expect(config.servers[1]?.problem).toMatchObject({ code: "CONFIG_INVALID" });
    expect(config.servers[1]?.problem?.message).toContain(
      `mcpServers.x.tools.rename names ${join(root, "bad.mjs")}, which ${sentence}`,
    );
  });

  test("a file that is missing, a folder, or UTF-16 is an error that says so", async () => {
    const options = { env: {}, platform: process.platform, homeDir: root, trusted };
    await expect(loadConfig(root, options)).rejects.toMatchObject({ code: "WORKSPACE_MISSING" });
    await mkdir(join(root, "mcpfs.json"));
    await expect(loadConfig(root, options)).rejects.toMatchObject({ code: "CONFIG_INVALID" });
    await rm(join(root, "mcpfs.json"), { recursive: true });
    await writeFile(join(root, "mcpfs.json"), Buffer.from("\uFEFF{}", "utf16le"));
    await expect(loadConfig(root, options)).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: `${join(root, "mcpfs.json")}:1:1: The file must be UTF-8, not UTF-16.`,
    });
  });
});

describe("the workspace", () => {
  test("is the named folder, else MCPFS_ROOT, else the nearest parent", async () => {
    const inner = join(root, "inner");
    await mkdir(join(inner, "deep", "deeper"), { recursive: true });
    await mkdir(join(root, "side"));
    await writeFile(join(root, "mcpfs.json"), "{}");
    await writeFile(join(inner, "mcpfs.json"), "{}");
    const find = async (cwd: string, directory?: string, env: Record<string, string> = {}): Promise<string> =>
      await findWorkspace({ cwd: join(root, cwd), env, ...(directory === undefined ? {} : { directory }) });
    expect(await find("inner/deep/deeper")).toBe(inner);
    expect(await find("inner")).toBe(inner);
    expect(await find("side")).toBe(root);
    expect(await find("side", "../inner")).toBe(inner);
    expect(await find("side", "../inner/mcpfs.json")).toBe(inner);
    expect(await find("side", undefined, { MCPFS_ROOT: inner })).toBe(inner);
    expect(await find("side", undefined, { MCPFS_ROOT: "../inner" })).toBe(inner);
    expect(await find("side", undefined, { MCPFS_ROOT: "" })).toBe(root);
    expect(await find("inner", root, { MCPFS_ROOT: inner })).toBe(root);
  });

  test("may have its config behind a link", async () => {
    await writeFile(join(root, "real.json"), "{}");
    await symlink(join(root, "real.json"), join(root, "mcpfs.json"));
    expect(await findWorkspace({ cwd: root, env: {} })).toBe(root);
  });

  test("that is missing is an error with a hint, and a folder named mcpfs.json is none", async () => {
    await mkdir(join(root, "mcpfs.json"));
    const want = { code: "WORKSPACE_MISSING", hint: "Make a workspace with: mcpfs init" };
    await expect(findWorkspace({ cwd: root, env: {} })).rejects.toMatchObject(want);
    await expect(findWorkspace({ cwd: root, directory: "nowhere", env: {} })).rejects.toMatchObject(want);
    await expect(findWorkspace({ cwd: root, env: { MCPFS_ROOT: root } })).rejects.toMatchObject(want);
  });
});
