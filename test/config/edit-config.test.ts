import fc from "fast-check";
import { parse as parseJsonc } from "jsonc-parser";
import { describe, expect, test } from "vitest";
import { addServer, removeServer, setServerEnabled } from "../../src/config/edit-config.ts";
import { McpfsError } from "../../src/kernel/errors.ts";

const entry = { command: "npx", args: ["-y", "pkg"] };

describe("a server is added behind the last one, and no other byte changes", () => {
  test.each([
    ["an empty text", "", '{\n  "mcpServers": {\n    "n": {\n      "command": "npx"\n    }\n  }\n}\n'],
    [
      "a comment only",
      "// mine\n",
      '// mine\n{\n  "mcpServers": {\n    "n": {\n      "command": "npx"\n    }\n  }\n}\n',
    ],
    ["an empty object", "{}", '{\n  "mcpServers": {\n    "n": {\n      "command": "npx"\n    }\n  }\n}'],
    [
      "an empty list of servers",
      '{"mcpServers": {}}\n',
      '{"mcpServers": {\n  "n": {\n    "command": "npx"\n  }\n}}\n',
    ],
    [
      "comments around the last entry",
      '{\n  // all\n  "mcpServers": {\n    "a": {"x":1}, // about a\n    // about b\n    "b": {"y":1} // behind b\n    // the end\n  }\n}\n',
      '{\n  // all\n  "mcpServers": {\n    "a": {"x":1}, // about a\n    // about b\n    "b": {"y":1}, // behind b\n    "n": {\n      "command": "npx"\n    }\n    // the end\n  }\n}\n',
    ],
    [
      "a trailing comma stays one",
      '{\n\t"mcpServers": {\n\t\t"a": {}, /* a */\n\t},\n}',
      '{\n\t"mcpServers": {\n\t\t"a": {}, /* a */\n\t\t"n": {\n\t\t\t"command": "npx"\n\t\t},\n\t},\n}',
    ],
    [
      "Windows line ends and a byte order mark",
      '\uFEFF{\r\n    "mcpServers": {\r\n        "a": {}\r\n    }\r\n}\r\n',
      '\uFEFF{\r\n    "mcpServers": {\r\n        "a": {},\r\n        "n": {\r\n            "command": "npx"\r\n        }\r\n    }\r\n}\r\n',
    ],
    [
      "all on one line",
      '{"mcpServers": {"a": {}}}',
      '{"mcpServers": {"a": {},\n  "n": {\n    "command": "npx"\n  }\n}}',
    ],
    [
      "a comment in an empty list",
      '{\n  "mcpServers": {\n    // none yet\n  }\n}',
      '{\n  "mcpServers": {\n    // none yet\n    "n": {\n      "command": "npx"\n    }\n  }\n}',
    ],
    [
      "VS Code's file",
      '{\n  "servers": {\n    "a": {}\n  }\n}',
      '{\n  "servers": {\n    "a": {},\n    "n": {\n      "command": "npx"\n    }\n  }\n}',
    ],
    [
      "no servers yet",
      '{\n  "limits": {} // mine\n}',
      '{\n  "limits": {}, // mine\n  "mcpServers": {\n    "n": {\n      "command": "npx"\n    }\n  }\n}',
    ],
  ])("%s", (_what, text, want) => {
    const edited = addServer(text, "n", { command: "npx" });
    expect(edited).toBe(want);
    expect(parseJsonc(edited.replace("\uFEFF", ""), [], { allowTrailingComma: true })).toMatchObject({});
  });

  test("the same entry again changes nothing, another one is refused", () => {
    const once = addServer("", "n", entry);
    expect(addServer(once, "n", { args: ["-y", "pkg"], command: "npx" })).toBe(once);
    expect(() => addServer(once, "n", { command: "deno" })).toThrow(
      expect.objectContaining({ code: "USAGE" }),
    );
  });

  test.each(["", "mcpfs", "MCPFS"])("the name %j is refused", (name) => {
    expect(() => addServer("{}", name, entry)).toThrow(expect.objectContaining({ code: "USAGE" }));
  });

  test("a text that is not a config is refused with its place", () => {
    expect(() => addServer('{"mcpServers": {', "n", entry)).toThrow(
      expect.objectContaining({ code: "CONFIG_INVALID" }),
    );
    expect(() => addServer('{"mcpServers": []}', "n", entry)).toThrow(
      expect.objectContaining({ code: "CONFIG_INVALID" }),
    );
    expect(() => addServer("[]", "n", entry)).toThrow(expect.objectContaining({ code: "CONFIG_INVALID" }));
  });
});

describe("a server is removed, and comments stay", () => {
  test.each([
    ["the only one", '{\n  "mcpServers": {\n    "n": {}\n  }\n}\n', '{\n  "mcpServers": {\n  }\n}\n'],
    [
      "the first",
      '{"mcpServers": {\n  "n": {"a": 1},\n  // about b\n  "b": {}\n}}',
      '{"mcpServers": {\n  // about b\n  "b": {}\n}}',
    ],
    [
      "the last",
      '{\n  "mcpServers": {\n    "a": {"x":1}, // about a\n    // about n\n    "n": {"y":1} // behind n\n  }\n}\n',
      '{\n  "mcpServers": {\n    "a": {"x":1} // about a\n    // about n\n    // behind n\n  }\n}\n',
    ],
    [
      "the middle",
      '{"mcpServers": {\n  "a": {},\n  "n": {\n    "c": "d"\n  },\n  "b": {},\n}}',
      '{"mcpServers": {\n  "a": {},\n  "b": {},\n}}',
    ],
    ["on one line", '{"mcpServers": {"a": {}, "n": {}}}', '{"mcpServers": {"a": {} }}'],
    [
      "one with a trailing comma",
      '{"mcpServers": {\n  "a": {},\n  "n": {},\n}}',
      '{"mcpServers": {\n  "a": {},\n}}',
    ],
    [
      "one that stands twice",
      '{"mcpServers": {\n  "n": {},\n  "a": {},\n  "n": {}\n}}',
      '{"mcpServers": {\n  "a": {}\n}}',
    ],
    ["in VS Code's file", '{"servers": {\n  "n": {}\n}}', '{"servers": {\n}}'],
    [
      "with Windows line ends",
      '\uFEFF{"mcpServers": {\r\n  "a": {},\r\n  "n": {}\r\n}}\r\n',
      '\uFEFF{"mcpServers": {\r\n  "a": {}\r\n}}\r\n',
    ],
    [
      "a comment before the comma",
      '{"mcpServers": {\n  "n": {} /* why */,\n  "a": {}\n}}',
      '{"mcpServers": {\n  /* why */\n  "a": {}\n}}',
    ],
  ])("%s", (_what, text, want) => {
    expect(removeServer(text, "n")).toBe(want);
  });

  test("an unknown name is refused, with the nearest", () => {
    try {
      removeServer('{"mcpServers": {"github": {}}}', "gihub");
    } catch (error) {
      expect(error).toBeInstanceOf(McpfsError);
      expect(error).toMatchObject({ code: "USAGE", hint: "Did you mean github?" });
      return;
    }
    throw new Error("expected a refusal");
  });
});

test("whatever a file looks like, adding and removing changes that one server and nothing else", () => {
  const space = fc.constantFrom("", " ", "\n", "\n  ", " // c, }\n", "/* , { */", "\t");
  const file = fc
    .record({
      names: fc.uniqueArray(fc.constantFrom("a", "b", "c", "d"), { maxLength: 4 }),
      spaces: fc.array(space, { minLength: 30, maxLength: 30 }),
      hasTrailing: fc.boolean(),
    })
    .map(({ names, spaces, hasTrailing }) => {
      let next = 0;
      const s = (): string => spaces[next++ % spaces.length] ?? "";
      const members = names
        .map((name) => `${s()}"${name}"${s()}:${s()}{"command":${s()}"${name}"}${s()}`)
        .join(",");
      return {
        names,
        text: `${s()}{${s()}"mcpServers":${s()}{${members}${hasTrailing && names.length > 0 ? "," : ""}${s()}}${s()}}${s()}`,
      };
    });
  const read = (text: string): unknown => {
    const errors: never[] = [];
    const value: unknown = parseJsonc(text, errors, { allowTrailingComma: true });
    expect(errors, text).toEqual([]);
    return value;
  };
  const comments = (text: string): number => text.split("/* , { */").length + text.split("// c, }").length;
  fc.assert(
    fc.property(file, ({ names, text }) => {
      const before = read(text) as { mcpServers: Record<string, unknown> };
      const added = addServer(text, "new", entry);
      expect(read(added)).toEqual({ mcpServers: { ...before.mcpServers, new: entry } });
      expect(comments(added)).toBe(comments(text));
      expect(read(removeServer(added, "new"))).toEqual(before);
      for (const name of names) {
        const { [name]: _gone, ...rest } = before.mcpServers;
        expect(read(removeServer(text, name))).toEqual({ mcpServers: rest });
      }
    }),
    { numRuns: 500 },
  );
});

describe("a server is switched on and off, and no other byte changes", () => {
  const off = '{"enabled": false}';
  test.each([
    [
      "one that says nothing",
      '{\n  "mcpServers": {\n    // a\n    "n": {\n      "x": 1 // one\n    }\n  }\n}\n',
      false,
      '{\n  "mcpServers": {\n    // a\n    "n": {\n      "x": 1, // one\n      "enabled": false\n    }\n  }\n}\n',
    ],
    [
      "one that is on",
      '{"mcpServers": {"n": {"enabled": /* on */ true, "x": 1}}}',
      false,
      '{"mcpServers": {"n": {"enabled": /* on */ false, "x": 1}}}',
    ],
    ["one that is off", `{"mcpServers": {"n": ${off}}}`, true, '{"mcpServers": {"n": {"enabled": true}}}'],
    [
      "in the other word",
      '{"mcpServers": {"n": {"disabled": true}}}',
      true,
      '{"mcpServers": {"n": {"disabled": false}}}',
    ],
    [
      "in both words",
      '{"mcpServers": {"n": {"disabled": false, "enabled": true}}}',
      false,
      '{"mcpServers": {"n": {"disabled": true, "enabled": false}}}',
    ],
    ["one of VS Code", `{"servers": {"n": ${off}}}`, true, '{"servers": {"n": {"enabled": true}}}'],
    ["one that is on already", '{"mcpServers": {"n": {}}}', true, '{"mcpServers": {"n": {}}}'],
    [
      "one of several",
      `{"mcpServers": {"m": ${off}, "n": ${off}}}`,
      true,
      `{"mcpServers": {"m": ${off}, "n": {"enabled": true}}}`,
    ],
  ])("%s", (_what, text, isEnabled, want) => {
    expect(setServerEnabled(text, "n", isEnabled)).toBe(want);
    expect(setServerEnabled(want, "n", isEnabled)).toBe(want);
  });

  test("one that is not there is named, with the nearest", () => {
    expect(() => setServerEnabled('{"mcpServers": {"name": {}}}', "nam", true)).toThrow(
      expect.objectContaining({ code: "USAGE", hint: "Did you mean name?" }),
    );
  });
});
