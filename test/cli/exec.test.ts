import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { temporaryFolder } from "../servers/servers.ts";
import { makeWorkspace, runCli, writeFiles } from "./run-cli.ts";
import { runMain } from "./run-main.ts";

const folder = temporaryFolder();
const root = folder.path;
beforeAll(async () => {
  await makeWorkspace(root, {});
});
afterAll(() => folder[Symbol.dispose]());

/** Runs a script from standard input; gives exit code and both streams. */
async function exec(script: string, words: readonly string[] = [], globals: readonly string[] = []) {
  return await runMain(root, [...globals, "exec", "-", ...words], { stdin: script });
}

describe("the words after -- are the script's args", () => {
  test.each<[string, readonly string[], string]>([
    ["one JSON object", ["--", '{"id":1,"deep":{"a":[true]}}'], '{"id":1,"deep":{"a":[true]}}'],
    ["one JSON array", ["--", "[1,2]"], "[1,2]"],
    ["one JSON number", ["--", "7"], "7"],
    ["one JSON text", ["--", '"7"'], "7"],
    ["an integer that a double cannot hold", ["--", "12345678901234567890"], "12345678901234567890"],
    ["pairs", ["--", "id=1", "name=x"], '{"id":1,"name":"x"}'],
    ["pairs whose digits a number would lose", ["--", "zip=007", "v=1.10"], '{"zip":"007","v":"1.10"}'],
    ["a pair with = and spaces in its text", ["--", "query=a = b"], '{"query":"a = b"}'],
    ["a pair without text", ["--", "name="], '{"name":""}'],
    ["a pair of JSON", ["--", "ids=[1,2]", "on=true"], '{"ids":[1,2],"on":true}'],
    ["words", ["--", "a", "b c"], '["a","b c"]'],
    ["words, of which one looks like a pair", ["--", "a", "b=c"], '["a","b=c"]'],
    ["one word that is no JSON", ["--", "{oops"], '["{oops"]'],
    ["a word that looks like an option", ["--", "--json", "x"], '["--json","x"]'],
    ["words without --", ["a", "b"], '["a","b"]'],
    ["none", [], "null"],
    ["none after --", ["--"], "null"],
    ["a key of JavaScript's own", ["--", "__proto__=1"], '{"__proto__":1}'],
  ])("%s", async (_what, words, wanted) => {
    expect(await exec("return args", words)).toEqual({ code: 0, stdout: `${wanted}\n`, stderr: "" });
  });

  test("and the parameter of a function that is the default export", async () => {
    const script = "export default async ({ id }: { id: number }) => id + (args as { id: number }).id";
    expect((await exec(script, ["--", "id=21"])).stdout).toBe("42\n");
  });
});

describe("the value is printed last", () => {
  test.each<[string, string, string]>([
    ["a text as it is", '"two\\nlines"', "two\nlines\n"],
    ["an empty text as an empty line", '""', "\n"],
    ["an object as one line of JSON", '{ a: [1, { b: "é\\n" }] }', '{"a":[1,{"b":"é\\n"}]}\n'],
    ["undefined not at all", "undefined", ""],
    ["null", "null", "null\n"],
    ["false", "false", "false\n"],
    ["a long integer as its digits", "12345678901234567890n", "12345678901234567890\n"],
    ["a long integer inside", "[{ n: -(2n ** 70n) }]", '[{"n":-1180591620717411303424}]\n'],
    ["what a function gives", "() => Promise.resolve(5)", "5\n"],
    ["a date", "new Date(0)", "1970-01-01T00:00:00.000Z\n"],
  ])("%s", async (_what, value, wanted) => {
    expect(await exec(`export default ${value}`)).toEqual({ code: 0, stdout: wanted, stderr: "" });
  });
});

describe("console lines", () => {
  const script = `console.log("1"); console.error("2"); console.info("3"); console.warn("4"); console.debug("5");
export default "value";`;

  test("log, info and debug go to stdout, warn and error to stderr, in order, and the value comes last", async () => {
    expect(await exec(script)).toEqual({ code: 0, stdout: "1\n3\n5\nvalue\n", stderr: "2\n4\n" });
  });

  test("--quiet leaves the value alone, before and after the command", async () => {
    for (const args of [
      ["--quiet", "exec", "-"],
      ["exec", "--quiet", "-"],
      ["exec", "-", "--quiet"],
    ])
      expect(await runMain(root, args, { stdin: script })).toEqual({
        code: 0,
        stdout: "value\n",
        stderr: "",
      });
  });

  test("--quiet still says why a script failed, on stderr", async () => {
    const { code, stdout, stderr } = await exec(
      `console.log("x"); throw new Error("no luck")`,
      [],
      ["--quiet"],
    );
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("SCRIPT_ERROR: no luck");
  });

  test("--json has them all in the report, and prints nothing else", async () => {
    const { stdout, stderr } = await exec(script, [], ["--json"]);
    expect(JSON.parse(stdout).output).toEqual(["1", "2", "3", "4", "5"]);
    expect(stderr).toBe("");
  });
});

describe("the workspace", () => {
  const inner = join(root, "deep", "er");
  beforeAll(() => {
    mkdirSync(inner, { recursive: true });
    writeFiles(root, {
      "workspace/a.txt": "found",
      "deep/er/read.ts": 'export default await fs.readFile("./workspace/a.txt", "utf8")',
    });
  });

  test.each<[string, string, readonly string[], Readonly<Record<string, string>>]>([
    ["is the nearest parent with mcpfs.json", inner, ["exec", "read.ts"], {}],
    ["is the one that -C names", "/", ["-C", root, "exec", join(inner, "read.ts")], {}],
    ["is the one that -C names after the command", "/", ["exec", "-C", root, join(inner, "read.ts")], {}],
    [
      "may be named by its mcpfs.json",
      "/",
      ["-C", join(root, "mcpfs.json"), "exec", join(inner, "read.ts")],
      {},
    ],
    ["is the one that MCPFS_ROOT names", "/", ["exec", join(inner, "read.ts")], { MCPFS_ROOT: root }],
    [
      "is the one of -C before that of MCPFS_ROOT",
      inner,
      ["-C", root, "exec", "read.ts"],
      { MCPFS_ROOT: "/nowhere" },
    ],
    ["is relative to the current folder with -C", inner, ["-C", "../..", "exec", "read.ts"], {}],
  ])("%s", async (_what, cwd, args, env) => {
    expect(await runMain(cwd, args, { env })).toEqual({ code: 0, stdout: "found\n", stderr: "" });
  });

  test("sync from a subfolder writes the workspace's tree, and nothing beside the script", async () => {
    const { code, stdout } = await runMain(inner, ["sync"]);
    expect(code).toBe(0);
    expect(stdout).toContain("0 written, 0 deleted");
  });

  test.each<[string, readonly string[], Readonly<Record<string, string>>, string]>([
    ["-C", ["-C", "/nowhere", "ls"], {}, "named by -C"],
    ["MCPFS_ROOT", ["ls"], { MCPFS_ROOT: "/nowhere" }, "named by MCPFS_ROOT"],
  ])("a wrong %s is no reason to look elsewhere", async (_what, args, env, wanted) => {
    const { code, stdout, stderr } = await runMain(inner, args, { env });
    expect({ code, stdout }).toEqual({ code: 3, stdout: "" });
    expect(stderr).toContain(wanted);
  });
});

describe("wrong words are code 2, a sentence and a hint", () => {
  test.each<[readonly string[], RegExp]>([
    [["exec"], /^error USAGE: Missing required argument 'script'\.\n hint /],
    [["exec", "x.ts", "--nope"], /^error USAGE: Unknown option '--nope'\.\n hint /],
    [
      ["exec", "x.ts", "--timout", "5s"],
      /^error USAGE: Unknown option '--timout'\.\n hint Did you mean --timeout\?\n/,
    ],
    [
      ["exec", "x.ts", "--timeout", "5"],
      /^error USAGE: Option '--timeout <duration>' argument '5' is invalid\. .*60s.*[^.]\.\n/,
    ],
    [["exec", "x.ts", "--max-calls", "0"], /whole number from 1 on\.\n/],
    [["exec", "no-such.ts"], /^error USAGE: There is no file no-such\.ts\.\n hint /],
    [["lss"], /^error USAGE: Unknown command 'lss'\.\n hint Did you mean ls\?\n$/],
    [["ls", "a", "b"], /^error USAGE: Too many arguments for 'ls'\. .*got 2\.\n/],
    [["ls", "nobody"], /^error USAGE: There is no server "nobody"/],
    [["search"], /^error USAGE: Missing required argument 'query'\.\n/],
    [["skills", "lst"], /^error USAGE: Unknown command 'lst'\.\n hint Did you mean list\?\n$/],
    [["show", "x", "--format", "yaml"], /Allowed choices are ts, schema, anthropic, openai, gemini\.\n/],
    [["-C"], /^error USAGE: .*argument missing\.\n/],
  ])("%j", async (args, wanted) => {
    const { code, stdout, stderr } = await runMain(root, args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toMatch(wanted);
    const json = await runMain(root, ["--json", ...args]);
    expect({ code: json.code, stderr: json.stderr }).toEqual({ code: 2, stderr: "" });
    expect(JSON.parse(json.stdout)).toMatchObject({ error: { code: "USAGE" } });
  });

  test.each<[readonly string[]]>([[[]], [["skills"]], [["--quiet"]]])(
    "%j alone is answered with help",
    async (args) => {
      const { code, stdout, stderr } = await runMain(root, args);
      expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
      expect(stdout).toMatch(/^Usage: mcpfs/);
    },
  );
});

describe("colours", () => {
  const failing = 'throw new Error("no")';
  const colourOf = async (env: Readonly<Record<string, string>>, isTerminal: boolean): Promise<boolean> => {
    const { stderr } = await runMain(root, ["exec", "-"], { stdin: failing, env, isTerminal });
    return stderr.includes("\u001b[");
  };

  test("are for terminals, and not with NO_COLOR", async () => {
    expect(await colourOf({}, true)).toBe(true);
    expect(await colourOf({ NO_COLOR: "" }, true)).toBe(true);
    expect(await colourOf({ NO_COLOR: "1" }, true)).toBe(false);
    expect(await colourOf({}, false)).toBe(false);
    expect(await colourOf({ FORCE_COLOR: "1" }, false)).toBe(false);
  });
});

test("standard input may come late, in pieces, with a byte order mark and CRLF", async () => {
  const { code, stdout, stderr } = await runCli(root, ["exec", "-"], {
    stdin: "\ufeffconst a = 6;\r\nconst b = 7;\r\nexport default a * b;\r\n",
  });
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "42\n", stderr: "" });
});
