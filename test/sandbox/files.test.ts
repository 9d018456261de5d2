import { describe, expect, test } from "vitest";
import { type Json, own } from "../../src/kernel/json.ts";
import { resultOf, run, type Tools, toolFailure } from "./run-script.ts";

/** The built-in file calls over a map: what the guest's `fs` asks of the host. */
function fileTools(files: Map<string, Buffer>): Tools {
  const need = (path: string): Buffer => {
    const data = files.get(path);
    if (data === undefined)
      throw toolFailure({ code: "FILE_FAILED", message: `There is no file ${path}.`, hint: "look" });
    return data;
  };
  const textOf = (args: Json, key: string): string => String(own(args, key));
  return {
    mcpfs__read_file: (args) => need(textOf(args, "path")).toString(textOf(args, "encoding") as "utf8"),
    mcpfs__write_file: (args) => {
      const { path, text, base64, append } = args as {
        path: string;
        text?: string;
        base64?: string;
        append?: boolean;
      };
      const data = text === undefined ? Buffer.from(base64 ?? "", "base64") : Buffer.from(text);
      files.set(path, append ? Buffer.concat([files.get(path) ?? Buffer.alloc(0), data]) : data);
      return null;
    },
    mcpfs__list_files: (args) => {
      const prefix = `${textOf(args, "path")}/`;
      const names = [...files.keys()]
        .filter((path) => path.startsWith(prefix))
        .map((path) => path.slice(prefix.length));
      const direct = [...new Set(names.map((name) => name.split("/")[0] ?? ""))];
      return direct.map((name) => ({ name, kind: names.includes(name) ? "file" : "folder" }));
    },
    mcpfs__make_folder: () => null,
    mcpfs__stat_file: (args) => ({ kind: "file", size: need(textOf(args, "path")).length, modifiedMs: 5 }),
    mcpfs__remove_file: (args) => {
      need(textOf(args, "path"));
      files.delete(textOf(args, "path"));
      return null;
    },
    mcpfs__rename_file: (args) => {
      const { from, to } = args as { from: string; to: string };
      files.set(to, need(from));
      files.delete(from);
      return null;
    },
  };
}

describe("fs is the promises of Node's fs on the built-in file calls", () => {
  const cases: readonly (readonly [name: string, code: string, value: unknown])[] = [
    [
      "text",
      "await fs.writeFile('a.txt', 'grün\\0'); export default await fs.readFile('a.txt', 'utf-8');",
      "grün\0",
    ],
    [
      "encoding as an option",
      "await fs.writeFile('a', 'x', { encoding: 'utf8' }); export default await fs.readFile('a', { encoding: 'UTF8' });",
      "x",
    ],
    [
      "bytes",
      "await fs.writeFile('b', new Uint8Array([0, 255, 10, 13])); const r = await fs.readFile('b'); export default [r instanceof Uint8Array, [...r]];",
      [true, [0, 255, 10, 13]],
    ],
    [
      "appending",
      "await fs.appendFile('a', 'x'); await fs.appendFile('a', 'y'); await fs.writeFile('a', 'z', { flag: 'a' }); export default await fs.readFile('a', 'utf8');",
      "xyz",
    ],
    [
      "listing",
      "await fs.writeFile('d/x', ''); await fs.writeFile('d/e/y', ''); const t = await fs.readdir('d', { withFileTypes: true });\nexport default [await fs.readdir('d'), await fs.readdir('d', { recursive: true }), t.map((e) => [e.name, e.isFile(), e.isDirectory()])];",
      [
        ["x", "e"],
        ["x", "e", "e/y"],
        [
          ["x", true, false],
          ["e", false, true],
        ],
      ],
    ],
    [
      "facts",
      "await fs.writeFile('a', 'four'); const s = await fs.stat('a'); export default [s.size, s.isFile(), s.isDirectory(), s.mtimeMs, s.mtime.toISOString()];",
      [4, true, false, 5, "1970-01-01T00:00:00.005Z"],
    ],
    [
      "moving, copying, removing",
      "await fs.writeFile('a', 'x'); await fs.rename('a', 'b'); await fs.copyFile('b', 'c'); await fs.rm('b'); await fs.unlink('c'); await fs.mkdir('q', { recursive: true });\nexport default [await fs.exists('a'), await fs.exists('b'), await fs.exists('c')];",
      [false, false, false],
    ],
    [
      "promises is fs itself",
      "export default fs.promises === fs && fs.promises.readFile === fs.readFile;",
      true,
    ],
  ];
  test.each(cases)("%s", async (_name, code, value) => {
    expect(await resultOf(code, { tools: fileTools(new Map()) })).toEqual(value);
  });
});

test("each call has the agreed name and arguments", async () => {
  const code =
    "await fs.writeFile('a', 't'); await fs.appendFile('a', new Uint8Array([1])); await fs.readFile('a'); await fs.mkdir('m'); await fs.rm('a', { recursive: true, force: true }); await fs.writeFile('a', ''); await fs.rename('a', 'b');";
  const { calls } = await run(code, { tools: fileTools(new Map()) });
  expect(calls.map(({ name, argumentsText }) => `${name} ${argumentsText}`)).toEqual([
    'mcpfs__write_file {"path":"a","text":"t"}',
    'mcpfs__write_file {"path":"a","base64":"AQ==","append":true}',
    'mcpfs__read_file {"path":"a","encoding":"base64"}',
    'mcpfs__make_folder {"path":"m","recursive":false}',
    'mcpfs__remove_file {"path":"a","recursive":true,"force":true}',
    'mcpfs__write_file {"path":"a","text":""}',
    'mcpfs__rename_file {"from":"a","to":"b"}',
  ]);
});

test("an error of a file call is an Error with the host's code and the script's line", async () => {
  const tools = {
    ...fileTools(new Map()),
    mcpfs__stat_file: () => {
      throw toolFailure({ code: "FILE_OUTSIDE_WORKSPACE", message: "out" });
    },
  };
  const code =
    "let e; try { await fs.readFile('nope', 'utf8'); } catch (error) { e = error; }\nexport default [e.name, e.code, e.message, e.stack];";
  expect(await resultOf(code, { tools })).toEqual([
    "Error",
    "FILE_FAILED",
    "There is no file nope.",
    expect.stringMatching(/^ {4}at <anonymous> \(script\.js:1:\d+\)$/),
  ]);
  expect(await run("await fs.exists('../../etc/passwd');", { tools })).toMatchObject({
    kind: "threw",
    error: { code: "FILE_OUTSIDE_WORKSPACE", message: "out" },
  });
});

describe("names of Node's fs that cannot work say what to use", () => {
  const cases: readonly (readonly [code: string, hint: string])[] = [
    ["fs.readFileSync('x', 'utf8');", "Use await fs.readFile(…) instead."],
    ["fs.writeFileSync('x', 'y');", "Use await fs.writeFile(…) instead."],
    ["fs.existsSync('x');", "Use await fs.exists(…) instead."],
    ["fs.readFile('x', 'utf8', (e, text) => {});", "Use await fs.readFile(…) instead."],
  ];
  test.each(cases)("%s", async (code, hint) => {
    expect(await run(code)).toMatchObject({ kind: "threw", error: { code: "IMPORT_REFUSED", hint } });
  });
});

test.each([
  "await fs.writeFile('a', 'new', { flag: 'wx' });",
  "await fs.writeFile('a', 'new', { flag: 'r+' });",
  "await fs.writeFile('a', 'new', { flag: 193 });",
  "await fs.appendFile('a', 'new', { flag: 'ax' });",
  "await fs.copyFile('b', 'a', 1);",
])("what must not replace a file replaces none: %s", async (code) => {
  const value = await resultOf(
    `await fs.writeFile('a', 'old', { flag: 'w' }); await fs.writeFile('b', 'other');
let error; try { ${code} } catch (thrown) { error = thrown; }
export default [error.name, error.message, await fs.readFile('a', 'utf8')];`,
    { tools: fileTools(new Map()) },
  );
  expect(value).toEqual(["TypeError", expect.stringContaining("await fs.exists(…)"), "old"]);
});

test("an object is no file content", async () => {
  const end = await run("await fs.writeFile('a.json', { a: 1 });");
  expect(end).toMatchObject({
    kind: "threw",
    error: { name: "TypeError", message: expect.stringContaining("JSON.stringify") },
  });
});
