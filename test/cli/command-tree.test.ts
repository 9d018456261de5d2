import { existsSync, readFileSync } from "node:fs";
import { PassThrough, Readable } from "node:stream";
import { Command } from "commander";
import { describe, expect, test } from "vitest";
import { createCliContext } from "../../src/cli/cli-context.ts";
import { buildProgram } from "../../src/cli/main.ts";
import { packageFile } from "../../src/kernel/paths.ts";
import { runMain } from "./run-main.ts";

const page = readFileSync(packageFile("docs/commands.md"), "utf8");
const { commands, program, groups } = commandTree();

/** Every command that does something, by its words: `skills save`. */
function commandTree(): {
  program: Command;
  commands: ReadonlyMap<string, Command>;
  groups: readonly string[];
} {
  const io = {
    stdout: new PassThrough(),
    stderr: new PassThrough(),
    stdin: Readable.from([]),
    env: {},
    cwd: "/",
    platform: process.platform,
    homeDir: "/",
    isTerminal: false,
    isOutputTerminal: false,
    signal: new AbortController().signal,
  };
  const root = new Command("mcpfs");
  buildProgram(
    root,
    createCliContext(io, "0", () => ({ isJson: false, isQuiet: false })),
  );
  const found = new Map<string, Command>();
  const groups: string[] = [];
  const visit = (command: Command, words: readonly string[]): void => {
    if (command.commands.length === 0) found.set(words.join(" "), command);
    else groups.push(words.join(" "));
    for (const inner of command.commands) visit(inner, [...words, inner.name()]);
  };
  visit(root, []);
  return { program: root, commands: found, groups };
}

/** `add <name> [command...]`, as the help writes it. */
function usageOf(words: string, command: Command): string {
  const given = command.registeredArguments.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
    return argument.required ? `<${name}>` : `[${name}]`;
  });
  return [words, ...given].join(" ");
}

/** The first cells of a table's rows, without their backticks. */
function cells(text: string): readonly string[] {
  return [...text.matchAll(/^\| `([^`]+)` \|/gm)].map((match) => match[1] ?? "");
}

/** The part of the page below a heading, up to the next one. */
function section(words: string): string {
  const from = page.indexOf(`\n## mcpfs ${words}\n`);
  if (from < 0) return "";
  const to = page.indexOf("\n## ", from + 4);
  return page.slice(from, to < 0 ? undefined : to);
}

const globalOptions = ["-h, --help", ...program.options.map((option) => option.flags)];

describe("docs/commands.md and the program are the same", () => {
  const head = page.slice(0, page.indexOf("\n## "));

  test("the table has every command with its arguments, in the program's order", () => {
    const documented = cells(head.slice(0, head.indexOf("option of every command")));
    expect(documented).toEqual([...commands].map(([words, command]) => usageOf(words, command)));
  });

  test("the options of every command stand there once", () => {
    const documented = cells(head.slice(head.indexOf("option of every command")));
    expect([...documented].sort()).toEqual([...globalOptions].sort());
  });

  test.each([...commands.keys()])("%s has a section with its options, an example and its JSON", (words) => {
    const command = commands.get(words);
    const text = section(words);
    expect(cells(text)).toEqual(command?.options.map((option) => option.flags));
    expect(text).toMatch(new RegExp(`^mcpfs ${words}\\b|\\| mcpfs ${words}\\b`, "m"));
    const shape = packageFile(`dist/schemas/${words.replace(" ", "-")}.schema.json`);
    expect(text.includes("\nJSON")).toBe(existsSync(shape));
  });

  test("no section is of a command that does not exist", () => {
    const headings = [...page.matchAll(/^## mcpfs (.+)$/gm)].map((match) => match[1]);
    expect(headings).toEqual([...commands.keys()]);
  });
});

describe("help", () => {
  test.each([...groups, ...commands.keys()])(
    "of mcpfs %s has an example that is a command",
    async (words) => {
      const args = [...words.split(" ").filter((word) => word !== ""), "--help"];
      const { code, stdout } = await runMain("/", args);
      expect(code).toBe(0);
      const examples = stdout
        .slice(stdout.search(/^Examples?:$/m))
        .split("\n")
        .slice(1);
      const named = examples.flatMap((line) => /(?:^ {2}|\| )mcpfs (.+)/.exec(line)?.[1] ?? []);
      expect(named.length).toBeGreaterThan(0);
      for (const [run] of stdout.matchAll(/\b\d{8}-\d{6}-\w+/g))
        expect(run, "no run can be called so").toMatch(/-[0-9a-f]{8}$/);
      for (const line of named)
        expect([...commands.keys()].some((known) => line === known || line.startsWith(`${known} `))).toBe(
          true,
        );
    },
  );
});
