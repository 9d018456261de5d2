import { describe, expect, test } from "vitest";
import { mergeOwnBlock } from "../../src/engine/sync/own-block.ts";
import { AGENTS_BEGIN, AGENTS_END } from "../../src/render/agents-block.ts";

const own = `${AGENTS_BEGIN}\nnew $& words\n${AGENTS_END}\n`;
const old = `${AGENTS_BEGIN}\nold\n${AGENTS_END}\n`;

/** As Git on Windows writes a file. */
function onWindows(text: string): string {
  return text.replaceAll("\n", "\r\n");
}

describe("of a shared file only the part that is ours changes", () => {
  test.each<[string, string, string]>([
    ["an empty file", "", own],
    ["a file of the user", "# Mine\n\n\n", `# Mine\n\n${own}`],
    ["an older block between theirs", `# Mine\n${old}more\n`, `# Mine\n${own}more\n`],
    ["the same block", `# Mine\n${own}`, `# Mine\n${own}`],
    ["line ends of Windows, the same block", onWindows(`# Mine\n${own}`), onWindows(`# Mine\n${own}`)],
    ["line ends of Windows, an older block", onWindows(`a\n${old}b\n`), onWindows(`a\n${own}b\n`)],
    ["line ends of Windows, no block", onWindows("# Mine\n"), onWindows(`# Mine\n\n${own}`)],
  ])("AGENTS.md: %s", (_what, existing, want) => {
    expect(mergeOwnBlock("AGENTS.md", existing, own)).toBe(want);
  });

  test.each([
    ["a\n.mcpfs/\n", "a\n.mcpfs/\nworkspace/*\n"],
    ["a\r\n.mcpfs/\r\nworkspace/*\r\n", "a\r\n.mcpfs/\r\nworkspace/*\r\n"],
    ["a", "a\n.mcpfs/\nworkspace/*\n"],
  ])(".gitignore: %j", (existing, want) => {
    expect(mergeOwnBlock(".gitignore", existing, ".mcpfs/\nworkspace/*\n")).toBe(want);
  });
});
