import { expect, test } from "vitest";
import { identityDigest } from "../../src/model/server-identity.ts";
import { server } from "./parse.ts";

/** An approved entry. */
const APPROVED = { command: "node", args: ["a.mjs"], env: { TOKEN: "${SECRET:-}" } };
const env = { SECRET: "one", OTHER: "two" };
const files = {
  envFile: () => ({ kind: "ok", value: { PYTHONPATH: "./evil", NAME: "value" } }) as const,
  renameModule: (path: string) =>
    ({ kind: "ok", value: { digest: path.length.toString(), rename: undefined } }) as const,
};

function digestOf(entry: object): string | undefined {
  const { identity } = server(entry, { env, files });
  return identity === undefined ? undefined : identityDigest(identity);
}

test.each<[what: string, change: object]>([
  ["another command", { command: "deno" }],
  ["another argument", { args: ["b.mjs"] }],
  ["an argument more", { args: ["a.mjs", "-x"] }],
  ["two arguments in one", { args: ["a.mjs -x"] }],
  ["a folder", { cwd: "sub" }],
  ["a variable more", { env: { TOKEN: "${SECRET:-}", MORE: "1" } }],
  ["another secret in a variable", { env: { TOKEN: "${OTHER:-}" } }],
  ["a secret as a default", { env: { TOKEN: "${SECRET:-${OTHER}}" } }],
  ["an input of VS Code", { env: { TOKEN: "${SECRET:-}${input:other}" } }],
  ["a variable that loads code", { env: { TOKEN: "${SECRET:-}", NODE_OPTIONS: "--require ./x.js" } }],
  ["a search path", { env: { TOKEN: "${SECRET:-}", Path: "./bin" } }],
  ["an env file", { envFile: ".env" }],
  ["a URL instead", { command: undefined, args: undefined, env: undefined, url: "https://example.com" }],
  ["a module that renames its tools", { tools: { rename: "./rename.mjs" } }],
])("what starts is approved as it stands: %s is asked for again", (_what, change) => {
  expect(digestOf({ ...APPROVED, ...change })).not.toBe(digestOf(APPROVED));
});

test.each<[what: string, change: object]>([
  ["nothing", {}],
  ["the value of a variable", { env: { TOKEN: "literal ${SECRET:-}" } }],
  [
    "purpose, time, filter and names",
    { purpose: "p", timeoutMs: 5, tools: { deny: ["x"], rename: { a: "b" } } },
  ],
  ["being off", { enabled: false }],
  ["the command line as one text", { command: "node a.mjs", args: [] }],
])("what starts nothing else is not asked for again: %s", (_what, change) => {
  expect(digestOf({ ...APPROVED, ...change })).toBe(digestOf(APPROVED));
});

test("a value that loads code counts, in the config and in the env file", () => {
  const loading = (options: string): object => ({ ...APPROVED, env: { NODE_OPTIONS: options } });
  expect(digestOf(loading("--require ./a.js"))).not.toBe(digestOf(loading("--require ./b.js")));
  expect(server({ ...APPROVED, envFile: ".env" }, { env, files }).identity?.loaders).toEqual({
    PYTHONPATH: "./evil",
  });
});

test("an identity is the same on every machine, and holds no value of the environment", () => {
  const entry = { url: "https://host/mcp?key=${SECRET}", headers: { Authorization: "Bearer ${SECRET}" } };
  const here = server(entry, { env });
  const there = server(entry, { env: { SECRET: "another" }, platform: "win32" });
  expect(here.identity).toEqual(there.identity);
  expect(JSON.stringify(here.identity)).not.toContain("one");
  expect(here.identity).toMatchObject({ headers: ["Authorization"], variables: ["SECRET"] });
});

test("a demo server that ships with mcpfs has nothing to approve, unless code renames its tools", () => {
  expect(digestOf({ builtin: "docs" })).toBeUndefined();
  expect(digestOf({ builtin: "docs", tools: { rename: "./rename.mjs" } })).toBeDefined();
});

const SIGNED = {
  url: "https://host.example/mcp",
  oauth: { clientId: "i", clientSecret: "${SECRET:-x}", scopes: ["a"] },
};

test.each<[what: string, oauth: object | undefined]>([
  ["no sign-in of its own", undefined],
  ["another client", { ...SIGNED.oauth, clientId: "j" }],
  ["another variable's value", { ...SIGNED.oauth, clientSecret: "${OTHER:-x}" }],
  ["another authorization server", { ...SIGNED.oauth, issuer: "https://login.example" }],
  ["another grant", { ...SIGNED.oauth, grant: "client_credentials" }],
])("where the secret of a client goes is approved too: %s is asked for again", (_what, oauth) => {
  expect(digestOf({ ...SIGNED, oauth })).not.toBe(digestOf(SIGNED));
});

test("scopes and the port are not asked for again: a person agrees to them", () => {
  const changed = { ...SIGNED.oauth, scopes: ["b"], callbackPort: 8080 };
  expect(digestOf({ ...SIGNED, oauth: changed })).toBe(digestOf(SIGNED));
});
