import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { MCP_CLIENTS } from "../../src/config/clients/mcp-clients.ts";
import { type ImportPlan, planImport } from "../../src/config/clients/plan-import.ts";
import { addServer } from "../../src/config/edit-config.ts";
import { writeFiles } from "../cli/run-cli.ts";
import { temporaryFolder } from "../servers/servers.ts";
import { parse } from "./parse.ts";

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => {
  folder = temporaryFolder();
});
afterEach(() => folder[Symbol.dispose]());

const at = (path: string): string => join(folder.path, path);

interface Given {
  readonly env?: Readonly<Record<string, string>>;
  readonly platform?: NodeJS.Platform;
  readonly root?: string;
  readonly config?: string;
}

/** Writes files, and plans the import of `words` for the workspace `project` of a user whose home is `home`. */
async function plan(
  words: string,
  files: Readonly<Record<string, unknown>>,
  { env = {}, platform = "linux", root = "project", config = "" }: Given = {},
): Promise<ImportPlan> {
  writeFiles(folder.path, files);
  const place = { homeDir: at("home"), platform, env, root: at(root), cwd: at("project") };
  return await planImport(words.split(","), place, config);
}

/** The servers that are taken: name → entry. */
async function entries(...given: Parameters<typeof plan>): Promise<Record<string, any>> {
  const { servers } = await plan(...given);
  return Object.fromEntries(
    servers.flatMap(({ name, outcome }) => (outcome.kind === "taken" ? [[name, outcome.entry]] : [])),
  );
}

/** The one server `x` of Cursor's config. */
const cursor = async (entry: unknown, given?: Given): Promise<any> =>
  (await entries("cursor", { "home/.cursor/mcp.json": { mcpServers: { x: entry } } }, given)).x;

/** Why the servers that are not taken are not. */
const reasons = ({ servers }: ImportPlan): readonly string[] =>
  servers.flatMap(({ name, outcome }) =>
    outcome.kind === "left-out" ? [`${name} ${outcome.why.kind}: ${outcome.why.sentence}`] : [],
  );

/** An import as it stands in `mcpfs.json` when that is read. */
function read(
  { servers }: ImportPlan,
  env: Readonly<Record<string, string>> = {},
): ReturnType<typeof parse>["servers"] {
  const text = servers.reduce(
    (before, { name, outcome }) =>
      outcome.kind === "taken" ? addServer(before, name, outcome.entry) : before,
    "",
  );
  return parse(text, { env, files: { envFile: () => ({ kind: "ok", value: {} }) } }).servers;
}

// M1
describe("each client's config is found where the client has it", () => {
  const one = { a: { command: "node", args: ["s.mjs"] } };
  const want = { a: { command: "node", args: ["s.mjs"] } };

  test.each<[string, string, unknown]>([
    ["claude", ".claude.json", { numStartups: 3, mcpServers: one }],
    ["claude-desktop", ".config/Claude/claude_desktop_config.json", { mcpServers: one }],
    ["cursor", ".cursor/mcp.json", { mcpServers: one }],
    ["vscode", ".config/Code/User/mcp.json", { servers: { a: { type: "stdio", ...one.a } } }],
    ["codex", ".codex/config.toml", '[mcp_servers.a]\ncommand = "node"\nargs = ["s.mjs"]\n'],
    ["gemini", ".gemini/settings.json", { theme: "x", mcpServers: one }],
    ["windsurf", ".codeium/windsurf/mcp_config.json", { mcpServers: one }],
    [
      "opencode",
      ".config/opencode/opencode.json",
      { mcp: { a: { type: "local", command: ["node", "s.mjs"], enabled: true } } },
    ],
  ])("%s: ~/%s", async (client, path, content) => {
    expect(await entries(client, { [`home/${path}`]: content })).toEqual(want);
  });

  test("every client of install can be imported from", () => {
    expect([...MCP_CLIENTS.keys()]).toEqual([
      "claude",
      "claude-desktop",
      "cursor",
      "vscode",
      "codex",
      "gemini",
      "windsurf",
      "opencode",
    ]);
  });

  test.each<[NodeJS.Platform, Record<string, string>, string]>([
    ["darwin", {}, "home/Library/Application Support/Code/User/mcp.json"],
    ["linux", {}, "home/.config/Code/User/mcp.json"],
    ["win32", {}, "home/AppData/Roaming/Code/User/mcp.json"],
  ])("on %s", async (platform, env, path) => {
    expect(await entries("vscode", { [path]: { servers: one } }, { platform, env })).toEqual(want);
  });

  test("a project's config comes before the user's, and Claude's own of a project before both", async () => {
    const { servers } = await plan("claude", {
      "project/.mcp.json": { mcpServers: { team: { command: "team" } } },
      "home/.claude.json": {
        mcpServers: { mine: { command: "mine" } },
        projects: {
          [at("project")]: { mcpServers: { local: { command: "local" } } },
          "/other": { mcpServers: one },
        },
      },
    });
    expect(servers.map(({ name, isOwn }) => [name, isOwn])).toEqual([
      ["team", false],
      ["local", true],
      ["mine", true],
    ]);
  });

  test("a path names a file, and whose it is follows from where it lies", async () => {
    const { servers } = await plan("./.vscode/mcp.json,../other.json,~/.cursor/mcp.json", {
      "project/.vscode/mcp.json": { servers: { v: { command: "v" } } },
      "other.json": { mcpServers: { o: { command: "o" } } },
      "home/.cursor/mcp.json": { mcpServers: { c: { command: "c" } } },
    });
    expect(servers.map(({ name, isOwn }) => [name, isOwn])).toEqual([
      ["v", false],
      ["o", false],
      ["c", true],
    ]);
  });

  test("a client without a config is told of, and none at all is refused", async () => {
    const { warnings } = await plan("windsurf,cursor", { "home/.cursor/mcp.json": { mcpServers: one } });
    expect(warnings.join()).toContain(
      `Windsurf has no config in ${at("home/.codeium/windsurf/mcp_config.json")}`,
    );
    await expect(plan("windsurf,gemini", {})).rejects.toMatchObject({ code: "USAGE" });
  });

  test.each([
    ["curser", /Did you mean cursor\?/],
    ["nothing-like-it", /Known are claude, /],
    ["./none.json", /clients and paths/],
  ])("the word %s is refused with a hint", async (word, hint) => {
    await expect(plan(word, {})).rejects.toMatchObject({
      code: "USAGE",
      hint: expect.stringMatching(hint),
    });
  });
});

describe("an entry is put into our words", () => {
  test("Codex: a URL with its token's variable, seconds, and the tools that are on", async () => {
    const planned = await plan("codex", {
      "home/.codex/config.toml": `
model = "o"
[mcp_servers.web]
url = "http://127.0.0.1:8080/mcp"
bearer_token_env_var = "WEB_TOKEN"
http_headers = { "X-Team" = "blue" }
env_http_headers = { "X-User" = "WEB_USER" }

[mcp_servers."a b"]
command = "node"
args = ["s.mjs", '\${literal}']
env = { MODE = "fast" }
env_vars = ["LANG_X"]
startup_timeout_sec = 20
tool_timeout_sec = 90.5
enabled_tools = ["one", "two"]
disabled_tools = ["two"]
enabled = false

[mcp_servers.slow]
command = "node"
startup_timeout_sec = 120

[mcp_servers.usual]
command = "node"
startup_timeout_sec = 20
`,
    });
    const taken = Object.fromEntries(
      planned.servers.map(({ name, outcome }) => [name, outcome.kind === "taken" ? outcome.entry : outcome]),
    );
    expect(taken).toEqual({
      web: {
        url: "http://127.0.0.1:8080/mcp",
        headers: { "X-Team": "blue", "X-User": "${WEB_USER}", Authorization: "Bearer ${WEB_TOKEN}" },
      },
      "a b": {
        command: "node",
        args: ["s.mjs", "$${literal}"],
        env: { LANG_X: "${LANG_X}", MODE: "fast" },
        enabled: false,
        timeoutMs: 90_500,
        tools: { allow: ["one", "two"], deny: ["two"] },
      },
      slow: { command: "node", timeoutMs: 120_000 },
      usual: { command: "node" },
    });
    // A variable that is not set costs its own server only.
    const servers = read(planned, { LANG_X: "de" });
    expect(servers.map(({ name, problem }) => [name, problem === undefined])).toEqual([
      ["a b", true],
      ["slow", true],
      ["usual", true],
      ["web", false],
    ]);
    const [web] = read(planned, { WEB_TOKEN: "tok", WEB_USER: "ann" }).filter(({ name }) => name === "web");
    expect(web?.transport).toMatchObject({ headers: { Authorization: "Bearer tok", "X-User": "ann" } });
    expect(servers[0]?.transport).toMatchObject({ args: ["s.mjs", "${literal}"] });
  });

  test("VS Code: inputs are variables, one with an answer of its own has a default", async () => {
    const planned = await plan("vscode", {
      "project/.vscode/mcp.json": `{
  "inputs": [
    { "type": "promptString", "id": "access-key", "password": true, "default": "never" },
    { "type": "promptString", "id": "region", "default": "eu" }, // asked for once
  ],
  "servers": {
    "find": { "command": "node", "args": ["\${workspaceFolder}/f.mjs", "\${input:region}"], "env": { "K": "\${input:access-key}" }, "envFile": "\${workspaceFolder}/.env", "dev": { "watch": "x" } },
  },
}`,
    });
    const [find] = planned.servers;
    expect(find?.outcome).toMatchObject({
      entry: {
        args: ["${workspaceFolder}/f.mjs", "${REGION:-eu}"],
        env: { K: "${input:access-key}" },
        envFile: "${workspaceFolder}/.env",
      },
    });
    expect(planned.variables.map(({ name, isSet }) => [name, isSet])).toEqual([["ACCESS_KEY", false]]);
    expect(planned.warnings).toEqual([]);
  });

  test.each<[string, string, unknown, unknown]>([
    [
      "gemini",
      ".gemini/settings.json",
      { httpUrl: "https://h.example", timeout: 5000, trust: true },
      { url: "https://h.example", timeoutMs: 5_000 },
    ],
    [
      "gemini",
      ".gemini/settings.json",
      { command: "node", args: ["$MODE", "${LEVEL}"], includeTools: ["a(x)"] },
      { command: "node", args: ["${MODE}", "${LEVEL}"], tools: { allow: ["a"] } },
    ],
    [
      "windsurf",
      ".codeium/windsurf/mcp_config.json",
      { serverUrl: "https://h.example/sse", disabled: true },
      { url: "https://h.example/sse", enabled: false },
    ],
    [
      "opencode",
      ".config/opencode/opencode.json",
      { type: "remote", url: "https://h.example", headers: { A: "{env:MODE}" } },
      { url: "https://h.example", headers: { A: "${MODE}" } },
    ],
    [
      "opencode",
      ".config/opencode/opencode.json",
      { type: "local", command: ["node", "s"], environment: { A: "1" }, enabled: false },
      { command: "node", args: ["s"], env: { A: "1" }, enabled: false },
    ],
  ])("%s: %j", async (client, path, given, want) => {
    const section = client === "opencode" ? "mcp" : "mcpServers";
    const taken = await entries(client, { [`home/${path}`]: { [section]: { x: given } } });
    expect(taken.x).toEqual(want);
  });

  test.each([
    [
      { command: ["node", "s.mjs"], type: "local" },
      { command: "node", args: ["s.mjs"] },
    ],
    [{ command: "node s.mjs --flag 'a b'" }, { command: "node", args: ["s.mjs", "--flag", "a b"] }],
    [
      { command: "node", args: [3000, true], env: { P: 8080 } },
      { command: "node", args: ["3000", "true"], env: { P: "8080" } },
    ],
    [{ type: "http", url: "https://h.example" }, { url: "https://h.example" }],
    [
      { type: "sse", url: "https://h.example" },
      { type: "sse", url: "https://h.example" },
    ],
    [
      { command: "node", alwaysAllow: ["a"], description: "for tests" },
      { command: "node", purpose: "for tests" },
    ],
  ])("whatever form it has: %j", async (given, want) => {
    expect(await cursor(given)).toEqual(want);
  });

  test.each([
    [
      { url: "https://h.example", oauth: { clientId: "me", callbackPort: 8080 } },
      { url: "https://h.example", oauth: { clientId: "me", callbackPort: 8080 } },
    ],
    [
      { url: "https://h.example", auth: { CLIENT_ID: "${env:ID}", CLIENT_SECRET: "SEKRET", scopes: ["a"] } },
      {
        url: "https://h.example",
        oauth: { clientId: "${env:ID}", clientSecret: "${X_CLIENT_SECRET}", scopes: ["a"] },
      },
    ],
    [
      { url: "https://h.example", oauth: { clientId: "me", clientSecret: "${S}", scope: "a b" } },
      { url: "https://h.example", oauth: { clientId: "me", clientSecret: "${S}", scopes: "a b" } },
    ],
    [{ url: "https://h.example", oauth: false }, { url: "https://h.example" }],
  ])("a client registered by hand for signing in: %j", async (given, want) => {
    expect(await cursor(given)).toEqual(want);
  });

  test("what mcpfs alone knows is not taken from a client's file, and what it does not know is told", async () => {
    const { servers, warnings } = await plan("cursor", {
      "home/.cursor/mcp.json": {
        mcpServers: { x: { command: "node", tools: { rename: "./evil.mjs" }, headersHelper: "run.sh" } },
      },
    });
    expect(servers[0]?.outcome).toMatchObject({ entry: { command: "node" } });
    expect(JSON.stringify(servers)).not.toContain("evil");
    expect(warnings.join("\n")).toMatch(/tools of x .* left out\.[\s\S]*headersHelper of x .* left out\./);
  });
});

describe("paths mean what they meant in the client's project", () => {
  const files = {
    "project/.mcp.json": {
      mcpServers: {
        r: { command: "node", args: ["./tools/srv.mjs"], cwd: "./sub" },
        q: { command: "./tools/run.sh", envFile: ".env" },
        v: { command: "${workspaceFolder}/bin/v", args: ["${workspaceFolderBasename}"] },
        p: { command: "node", cwd: "~/x" },
        u: { url: "https://h.example" },
      },
    },
  };

  test("the same in a workspace that is the project", async () => {
    expect(await entries("claude", files)).toEqual({
      r: { command: "node", args: ["./tools/srv.mjs"], cwd: "./sub" },
      q: { command: "./tools/run.sh", envFile: ".env" },
      v: { command: "${workspaceFolder}/bin/v", args: ["${workspaceFolderBasename}"] },
      p: { command: "node", cwd: "~/x" },
      u: { url: "https://h.example" },
    });
  });

  test.each([
    ["project/mcp", "..", "../sub", "../tools/run.sh", "../.env"],
    [".", "./project", "project/sub", "project/tools/run.sh", "project/.env"],
    ["project/tools", "..", "../sub", "./run.sh", "../.env"],
  ])("from the workspace %s", async (root, cwd, sub, program, envFile) => {
    expect(await entries("claude", files, { root })).toEqual({
      r: { command: "node", args: ["./tools/srv.mjs"], cwd: sub },
      q: { command: program, envFile, cwd },
      v: {
        command: `\${workspaceFolder}/${cwd.replace("./", "").replace(/^\.$/, "..")}/bin/v`.replace(
          "/./",
          "/",
        ),
        args: ["project"],
        cwd,
      },
      p: { command: "node", cwd: "~/x" },
      u: { url: "https://h.example" },
    });
  });

  test("a relative command in a user's own file is told of", async () => {
    const { warnings } = await plan("cursor", {
      "home/.cursor/mcp.json": { mcpServers: { x: { command: "./run.sh" }, y: { command: "/bin/y" } } },
    });
    expect(warnings).toEqual([expect.stringMatching(/command of x is a relative path/)]);
  });
});

describe("a key stays in the client's file", () => {
  test.each<[string, unknown, unknown]>([
    [
      "env by its name",
      { command: "n", env: { MY_API_KEY: "abc", LEVEL: "info" } },
      { command: "n", env: { MY_API_KEY: "${MY_API_KEY}", LEVEL: "info" } },
    ],
    [
      "env by its look",
      { command: "n", env: { THING: "ghp_0123456789abcdefghij" } },
      { command: "n", env: { THING: "${THING}" } },
    ],
    [
      "env of a key and more",
      { command: "n", env: { AUTH_HEADER: "Bearer abc" } },
      { command: "n", env: { AUTH_HEADER: "${AUTH_HEADER}" } },
    ],
    [
      "env with a password among other things",
      { command: "n", env: { DB: "Server=db;Password=abc;Port=1" } },
      { command: "n", env: { DB: "${DB}" } },
    ],
    [
      "env with an address that is a key",
      { command: "n", env: { SLACK_WEBHOOK_URL: "https://h.example/services/abc" } },
      { command: "n", env: { SLACK_WEBHOOK_URL: "${SLACK_WEBHOOK_URL}" } },
    ],
    [
      "env with a login in it",
      { command: "n", env: { DB: "postgres://ann:pw@h/db" } },
      { command: "n", env: { DB: "${DB}" } },
    ],
    [
      "a bearer",
      { url: "https://h.example", headers: { Authorization: "Bearer abc" } },
      { url: "https://h.example", headers: { Authorization: "Bearer ${X_TOKEN}" } },
    ],
    [
      "another header",
      { url: "https://h.example", headers: { "X-Api-Key": "abc", "X-Team": "blue" } },
      { url: "https://h.example", headers: { "X-Api-Key": "${X_API_KEY}", "X-Team": "blue" } },
    ],
    [
      "a login in a URL",
      { url: "https://ann:pw@h.example/mcp" },
      { url: "https://${X_LOGIN}@h.example/mcp" },
    ],
    [
      "a query",
      { url: "https://h.example/mcp?key=abc&team=blue#x" },
      { url: "https://h.example/mcp?key=${X_KEY}&team=blue#x" },
    ],
    [
      "a path",
      { url: "https://h.example/s/0a1b2c3d4e5f60718293a4b5/mcp" },
      { url: "https://h.example/s/${X_URL_KEY}/mcp" },
    ],
    [
      "a flag's value",
      { command: "n", args: ["--api-key", "abc", "--port", "80"] },
      { command: "n", args: ["--api-key", "${X_API_KEY}", "--port", "80"] },
    ],
    [
      "a flag with it",
      { command: "n", args: ["--token=abc"] },
      { command: "n", args: ["--token=${X_TOKEN}"] },
    ],
    [
      "docker's variable",
      { command: "docker", args: ["run", "-e", "GH_TOKEN=abc"] },
      { command: "docker", args: ["run", "-e", "GH_TOKEN=${GH_TOKEN}"] },
    ],
    [
      "a header as an argument",
      { command: "n", args: ["--header", "Authorization: Bearer abc"] },
      { command: "n", args: ["--header", "Authorization: Bearer ${X_TOKEN}"] },
    ],
    [
      "an argument by its look",
      { command: "n", args: ["sk-abcdefgh12345678"] },
      { command: "n", args: ["${X_KEY}"] },
    ],
    [
      "a whole command line",
      { command: "npx srv --token abc" },
      { command: "npx", args: ["srv", "--token", "${X_TOKEN}"] },
    ],
    [
      "the default of a variable",
      { command: "n", env: { K_TOKEN: "${OTHER:-abc}" } },
      { command: "n", env: { K_TOKEN: "${K_TOKEN}" } },
    ],
  ])("%s", async (_what, given, want) => {
    expect(await cursor(given)).toEqual(want);
    const { servers, variables } = await plan("cursor", {
      "home/.cursor/mcp.json": { mcpServers: { x: given } },
    });
    expect(JSON.stringify([servers, variables])).not.toMatch(/\babc\b|pw@|ghp_0|sk-a|0a1b/);
    expect(variables).toHaveLength(1);
    expect(variables[0]?.source).toContain(` in ${at("home/.cursor/mcp.json")}`);
  });

  test.each([
    {
      command: "npx",
      args: ["-y", "@modelcontextprotocol/server-filesystem@2026.8.31", "/home/ann/documents_of_2026"],
    },
    {
      command: "n",
      env: {
        PORT: "8080",
        OPTS: "${A};Password=${P}",
        LOG_LEVEL: "info",
        USE_AUTH: "true",
        HOME_DIR: "/srv/data",
      },
    },
    { url: "https://mcp.example.com/v1/streamable-http?team=blue" },
    { url: "https://h.example", headers: { Authorization: "Bearer ${TOKEN}", "X-Key": "${env:KEY}" } },
    { command: "n", args: ["--db=postgres://${USER_NAME}:${PASS}@h/db", "--token", "${TOKEN}"] },
  ])("what is none is kept as it is: %j", async (given) => {
    expect(await cursor(given)).toEqual(given);
  });

  test("two servers that mean different values by one name get two variables, and one value has one", async () => {
    const mcpServers = {
      a: { command: "a", env: { TOKEN: "1" } },
      b: { command: "b", env: { TOKEN: "2" } },
      c: { command: "c", env: { TOKEN: "1" } },
      d: { command: "d", env: { OTHER_TOKEN: "${B_TOKEN}" } },
    };
    expect(await entries("cursor", { "home/.cursor/mcp.json": { mcpServers } })).toMatchObject({
      a: { env: { TOKEN: "${TOKEN}" } },
      b: { env: { TOKEN: "${B_TOKEN_2}" } },
      c: { env: { TOKEN: "${TOKEN}" } },
    });
  });

  test("a variable that has another value already, or that the config uses, is never taken", async () => {
    const given = { command: "n", env: { K_TOKEN: "abc" } };
    expect(await cursor(given, { env: { K_TOKEN: "other" } })).toMatchObject({
      env: { K_TOKEN: "${X_K_TOKEN}" },
    });
    expect(await cursor(given, { env: { K_TOKEN: "abc" } })).toMatchObject({
      env: { K_TOKEN: "${K_TOKEN}" },
    });
    const config = '{"mcpServers":{"y":{"command":"y","env":{"A":"${K_TOKEN}"}}}}';
    expect(await cursor(given, { config })).toMatchObject({ env: { K_TOKEN: "${X_K_TOKEN}" } });
  });

  test("with its variables set, the server gets what its client gave it", async () => {
    const planned = await plan("cursor", {
      "home/.cursor/mcp.json": {
        mcpServers: {
          m: { type: "local", command: ["node", "srv.mjs"], environment: { KEY: "v" } },
          u: { url: "https://ann:p%40w@h.example/mcp?key=k%2B1", headers: { Authorization: "Bearer t" } },
        },
      },
    });
    const env = { KEY: "v", U_LOGIN: "ann:p%40w", U_KEY: "k%2B1", U_TOKEN: "t" };
    expect(planned.variables.map(({ name }) => name).sort()).toEqual(Object.keys(env).sort());
    const [m, u] = read(planned, env);
    expect(m).toMatchObject({
      problem: undefined,
      transport: { command: "node", args: ["srv.mjs"], env: { KEY: "v" } },
    });
    expect(u?.transport).toEqual({
      kind: "http",
      url: "https://ann:p%40w@h.example/mcp?key=k%2B1",
      headers: { Authorization: "Bearer t" },
    });
  });
});

describe("what cannot be taken is told of, and costs no other server", () => {
  test.each<[unknown, RegExp]>([
    [null, /mcpServers\.x must be an object that describes a server, not null/],
    [{}, /mcpServers\.x needs command, url or builtin/],
    [
      { command: "n", env: { A: null } },
      /mcpServers\.x\.env\.A must be a text, a number or true\/false, not null/,
    ],
    [{ command: "n", environment: { A: null } }, /mcpServers\.x\.environment\.A must be/],
    [{ command: "n", args: "a" }, /mcpServers\.x\.args must be a list of texts/],
    [{ command: "n", url: "https://h.example" }, /must have one of command, url/],
    [{ url: "h.example" }, /must be a whole URL/],
    [{ url: "https://h.example", headers: { "A b": "c" } }, /is not the name of a header/],
    [{ url: "https://h.example", headers: [] }, /headers must be/],
  ])("%j", async (given, want) => {
    const planned = await plan("cursor", {
      "home/.cursor/mcp.json": { mcpServers: { x: given, y: { command: "node" } } },
    });
    expect(reasons(planned)).toEqual([expect.stringMatching(want)]);
    expect(reasons(planned)[0]).toContain(`${at("home/.cursor/mcp.json")}:1:`);
    expect(planned.servers.filter(({ outcome }) => outcome.kind === "taken").map(({ name }) => name)).toEqual(
      ["y"],
    );
  });

  test("one name in two configs: the same server is one, another is named with both files", async () => {
    const planned = await plan("cursor,vscode,gemini", {
      "home/.cursor/mcp.json": { mcpServers: { a: { command: "node s.mjs" }, b: { command: "one" } } },
      "home/.config/Code/User/mcp.json": {
        servers: { a: { type: "stdio", command: "node", args: ["s.mjs"] } },
      },
      "home/.gemini/settings.json": { mcpServers: { b: { command: "two" } } },
    });
    expect(reasons(planned)).toEqual([
      `b taken: differs from the server of that name in ${at("home/.cursor/mcp.json")}, which is taken`,
    ]);
  });

  test("a server of mcpfs.json stays as it is", async () => {
    const config = '{"mcpServers":{"a":{"command":"mine"}}}';
    const files = { "home/.cursor/mcp.json": { mcpServers: { a: { command: "theirs" } } } };
    expect(reasons(await plan("cursor", files, { config }))).toEqual([
      expect.stringMatching(/^a taken: .*already/),
    ]);
  });

  test.each([
    { command: "/usr/bin/node", args: ["/lib/node_modules/mcpfs/dist/cli.js", "-C", "/w", "serve"] },
    { command: "mcpfs", args: ["-C", "/w", "serve"] },
    { command: "npx", args: ["-y", "mcpfs@1.2.3", "serve"] },
  ])("mcpfs does not import itself: %j", async (given) => {
    const planned = await plan("cursor", { "home/.cursor/mcp.json": { mcpServers: { x: given } } });
    expect(reasons(planned)).toEqual(["x self: starts mcpfs itself, and is left out"]);
  });

  test("a name that stands twice is told with both lines", async () => {
    const { servers, warnings } = await plan("cursor", {
      "home/.cursor/mcp.json": '{"mcpServers":{\n"a":{"command":"one"},\n"a":{"command":"two"}}}',
    });
    expect(servers).toMatchObject([{ outcome: { entry: { command: "two" } } }]);
    expect(warnings.join()).toMatch(
      /:3: mcpServers\.a stands on line 2 and again on line 3; the last one counts/,
    );
  });
});

describe("a file that is wrong as a whole is refused with its place", () => {
  test.each<[string, RegExp]>([
    ["[]", /:1:1: The file must be an object of servers, not a list/],
    ['{"mcpServers":[]}', /:1:15: mcpServers must be an object of servers, not a list/],
    ['{"mcpServers":null}', /:1:15: mcpServers must be an object of servers, not null/],
    ['{"mcpServers":{"a":{"command":"node" "args":[]}}}', /:1:38: The file expected "," between two entries/],
    ['{"mcpServers":{"a":{"command":"C:\\Users\\x"}}}', /:1:3\d: The file holds a \\ that starts no escape/],
  ])("%s", async (text, want) => {
    await expect(plan("cursor", { "home/.cursor/mcp.json": text })).rejects.toMatchObject({
      code: "CONFIG_INVALID",
      message: expect.stringMatching(want),
    });
  });

  test.each(["", "\n", "// nothing\n", "{}", "\uFEFF"])(
    "%j has no servers, which is no error",
    async (text) => {
      const { servers, warnings } = await plan("cursor", { "home/.cursor/mcp.json": text });
      expect(servers).toEqual([]);
      expect(warnings).toEqual([`${at("home/.cursor/mcp.json")} has no servers.`]);
    },
  );

  test("comments, trailing commas and a byte order mark are none, nor brackets in a chat", async () => {
    const text = `\uFEFF{ // mine\n"history": ["${"[{(".repeat(2_000)}"],\n"mcpServers": { "a": { "command": "node", }, }, }`;
    expect(await entries("claude", { "home/.claude.json": text })).toEqual({ a: { command: "node" } });
  });

  const toml = async (text: string): Promise<ImportPlan> =>
    await plan("codex", { "home/.codex/config.toml": text });

  test.each<[string, RegExp]>([
    [
      '[mcp_servers.w]\ncommand = "pwsh"\nargs = ["-File", ".\\deep\\start.ps1"]\n',
      /config\.toml:3:\d+: The file holds a \\ in "quotes" that starts no escape/,
    ],
    [
      '[mcp_servers.w]\ncommand = "C:\\Users\\ann\\s.exe"\n',
      /config\.toml:2:\d+: The file holds a \\ in "quotes"/,
    ],
    [
      '[mcp_servers.c]\rcommand = "node"\r',
      /config\.toml:1:\d+: The file holds a carriage return that ends no line/,
    ],
    ['[mcp_servers.c]\ncommand = "SEKRET" x\n', /config\.toml:2:\d+: The file is not TOML here/],
    ["[mcp_servers.c]\na = 1\na = 2\n", /config\.toml:3:\d+: The file is not TOML here: a key stands twice/],
  ])("TOML: %j", async (text, want) => {
    const error = await toml(text).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: "CONFIG_INVALID",
      message: expect.stringMatching(want),
      hint: expect.stringContaining("use single quotes or double the backslash"),
    });
    expect(String(error)).not.toContain("SEKRET");
  });

  test("a tab and a line break inside a path are noticed", async () => {
    const { warnings } = await toml(
      '[mcp_servers.ok]\ncommand = "node"\nargs = ["-e", "a();\\n b()"]\n[mcp_servers.t]\ncommand = "C:\\tools\\\\s.exe"\nargs = [".\\tools\\new.mjs"]\n',
    );
    expect(warnings).toEqual([
      expect.stringMatching(/config\.toml:5:1: mcp_servers\.t\.command holds a tab or a line break/),
      expect.stringMatching(/config\.toml:6:1: mcp_servers\.t\.args\[0\] .*single quotes/),
    ]);
  });
});
