import { mkdir, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Bundler, createBundler } from "../../src/bundle/bundler.ts";
import { McpfsError } from "../../src/kernel/errors.ts";
import { makeWorkspace, worldOf } from "./workspace.ts";

let workspace: Awaited<ReturnType<typeof makeWorkspace>>;
let bundler: Bundler;

beforeAll(async () => {
  bundler = createBundler();
  workspace = await makeWorkspace({
    "lib/helper.ts": "export const help = 1;\n",
    "lib/data.json": "{}",
    "sandbox.d.ts": "declare const x: 1;\n",
    ".mcpfs/state.ts": "export const secret = 1;\n",
    "node_modules/left-pad/index.js": "export default 1;\n",
  });
  await writeFile(join(workspace.outside, "secret.ts"), "export const secret = 'outside';\n");
  await symlink(join(workspace.outside, "secret.ts"), join(workspace.root, "lib/link.ts"));
  await symlink(workspace.outside, join(workspace.root, "lib/folder"));
  await symlink(join(workspace.root, ".mcpfs"), join(workspace.root, "lib/state"));
});
afterAll(async () => {
  await bundler.close();
  await workspace.remove();
});

/** The error for a script in the workspace's root. */
async function refusal(text: string, place: "root" | "outside" | "stdin" = "root"): Promise<McpfsError> {
  const path =
    place === "stdin" ? undefined : join(place === "root" ? workspace.root : workspace.outside, "script.ts");
  const built = bundler.bundle({ path, name: "script.ts", text }, worldOf(workspace.root));
  return await built.then(
    (bundle) => {
      throw new Error(`bundled:\n${bundle.code}`);
    },
    (error: unknown) => {
      if (error instanceof McpfsError) return error;
      throw error;
    },
  );
}

describe("an import of anything but the workspace's own scripts is refused", () => {
  const attacks: readonly [name: string, script: string][] = [
    ["a builtin with node:", 'import x from "node:child_process"; x;'],
    ["a builtin without node:", 'import x from "child_process"; x;'],
    ["a builtin below another", 'import x from "node:dns/promises"; x;'],
    ["a builtin that no Node.js has", 'import x from "node:nothing"; x;'],
    ["a package", 'import x from "left-pad"; x;'],
    ["a scoped package", 'import x from "@modelcontextprotocol/client"; x;'],
    ["a package by its path", 'import x from "./node_modules/left-pad/index.js"; x;'],
    ["a package by its path from below", 'import x from "../node_modules/left-pad"; x;'],
    ["an absolute path", 'import x from "/etc/passwd"; x;'],
    ["a path above the root", 'import x from "../outside/secret"; x;'],
    ["a path above the root and back", 'import x from "../../../../etc/hostname"; x;'],
    ["a way out behind servers", 'import x from "./servers/../../outside/secret"; x;'],
    ["a link to a file outside", 'import x from "./lib/link"; x;'],
    ["a link to a folder outside", 'import x from "./lib/folder/secret"; x;'],
    ["a link into a hidden folder", 'import x from "./lib/state/state"; x;'],
    ["a hidden folder", 'import x from "./.mcpfs/state"; x;'],
    ["a hidden file of a server", 'import x from "./servers/slack/.definitions.json"; x;'],
    ["http", 'import x from "http://127.0.0.1:1/x.js"; x;'],
    ["https", 'import x from "https://example.com/x.js"; x;'],
    ["a URL without a scheme", 'import x from "//example.com/x.js"; x;'],
    ["a data URL", 'import x from "data:text/javascript,export default 1"; x;'],
    ["a file URL", 'import x from "file:///etc/passwd"; x;'],
    ["a subpath import", 'import x from "#internal"; x;'],
    ["require", 'const x = require("./lib/helper"); x;'],
    ["require of a builtin", 'const x = require("fs"); x;'],
    ["import equals", 'import x = require("./lib/helper"); x;'],
    ["a dynamic import of a builtin", 'await import("node:os");'],
    ["an attribute for JSON", 'import x from "./lib/data.json" with { type: "json" }; x;'],
    ["an attribute for text", 'import x from "./lib/helper" with { type: "text" }; x;'],
    ["JSON", 'import x from "./lib/data.json"; x;'],
    ["a declaration file", 'import "./sandbox.d.ts";'],
    ["a name with a query", 'import x from "./lib/helper?raw"; x;'],
    ["a name with a fragment", 'import x from "./lib/helper#x"; x;'],
    ["a name with an escape", 'import x from "./lib/%2e%2e/%2e%2e/outside/secret"; x;'],
    ["a name with NUL", 'import x from "./lib/helper\\0.png"; x;'],
    ["a name with a backslash", 'import x from ".\\\\lib\\\\helper"; x;'],
    ["a module of ours", 'import x from "mcpfs:behind"; x;'],
    ["a re-export of a builtin", 'export * from "node:os";'],
    ["an empty name", 'import x from ""; x;'],
    ["a folder without an index", 'import x from "./lib"; x;'],
  ];
  it.each(attacks)("%s", async (_name, script) => {
    const error = await refusal(`// one line before\n${script}`);
    expect(error.code).toBe("IMPORT_REFUSED");
    expect(error.data).toMatchObject({ file: "script.ts", line: 2 });
    expect(error.message).toMatch(/^["A-Z].*\.$/s);
    expect(error.hint).not.toBe("");
  });
});

describe("what a refusal says", () => {
  it("names the place of the module's name, in characters", async () => {
    const error = await refusal('const é = "ü";\n/* é */ import x from "left-pad"; x;');
    expect(error.data).toEqual({ file: "script.ts", line: 2, column: 23 });
  });
  const hints: readonly [script: string, hint: string | RegExp][] = [
    ['import x from "servers/slack"; x;', 'Write "./servers/slack".'],
    ['import x from "@/servers/slack"; x;', 'Write "./servers/slack".'],
    ['import x from "slack"; x;', 'The server is "./servers/slack".'],
    ['import x from "./servers/slak"; x;', "Nearest: ./servers/slack."],
    [
      'import { a } from "./servers/slack/getChanelHistory"; a;',
      "Nearest: ./servers/slack/getChannelHistory.",
    ],
    ['import x from "node:crypto"; x;', /crypto\.randomUUID/],
    ['import x from "timers/promises"; x;', /setTimeout/],
    ['import x from "lodash"; x;', /can import/],
    ['import slack from "./servers/slack"; slack;', /import \* as/],
    ['import { nope } from "./lib/helper"; nope;', /Line 1: import \{ nope \}/],
  ];
  it.each(hints)("%s", async (script, hint) => {
    const error = await refusal(script);
    expect(error.code).toBe("IMPORT_REFUSED");
    if (typeof hint === "string") expect(error.hint).toBe(hint);
    else expect(error.hint).toMatch(hint);
  });
  it("lists the other refusals of the script", async () => {
    const error = await refusal('import a from "left-pad";\nimport b from "node:os";\na; b;');
    expect(error.data).toMatchObject({ line: 1, more: [{ line: 2, file: "script.ts" }] });
  });
});

it("a script outside the workspace imports nothing that lies beside it", async () => {
  await mkdir(join(workspace.outside, "lib"), { recursive: true });
  await writeFile(join(workspace.outside, "lib/near.ts"), "export const near = 1;\n");
  const error = await refusal('import { near } from "./lib/near"; near;', "outside");
  expect(error.code).toBe("IMPORT_REFUSED");
  expect(error.hint).toContain("outside the workspace");
});

it("a refused import inside a skill names the skill's own line", async () => {
  await mkdir(join(workspace.root, "skills/bad"), { recursive: true });
  await writeFile(
    join(workspace.root, "skills/bad/index.ts"),
    '\n\nimport os from "node:os";\nexport const f = () => os;\n',
  );
  const error = await refusal('import { f } from "./skills/bad"; export default f;');
  expect(error.data).toEqual({ file: "skills/bad/index.ts", line: 3, column: 16 });
});

it("an import type, which is erased, is nobody's concern", async () => {
  const text = 'import type { Stats } from "node:fs"; import type X from "left-pad"; export default 1;';
  await expect(
    bundler.bundle({ path: undefined, name: "<stdin>", text }, worldOf(workspace.root)),
  ).resolves.toBeDefined();
});
