import { count, oneLine } from "../kernel/text.ts";
import type { Catalog } from "../model/tool.ts";
import { type ListedSkill, renderAgentsBlock } from "./agents-block.ts";
import { CLIENT_FILE } from "./client-file.ts";
import { SANDBOX_TYPES } from "./sandbox-types.ts";
import { tsconfigText } from "./tsconfig-file.ts";

/**
 * The generated files outside `servers/<server>/`, by slashed path below the workspace. Same in, same bytes out.
 * @param input.skills all that can be imported, by name: AGENTS.md names the first ones
 * @param input.skillFolders names of all folders below `skills/`: see {@link tsconfigText}
 */
export function renderWorkspace(input: {
  readonly catalog: Catalog;
  readonly skills: readonly ListedSkill[];
  readonly skillFolders?: readonly string[];
}): ReadonlyMap<string, string> {
  return new Map([
    ["client.ts", CLIENT_FILE],
    ["sandbox.d.ts", SANDBOX_TYPES],
    ["tsconfig.json", tsconfigText(input.skillFolders ?? [])],
    ["servers/README.md", serversReadme(input.catalog)],
    ["AGENTS.md", renderAgentsBlock(input.skills)],
    [".gitignore", ".mcpfs/\nworkspace/*\n"],
    ["skills/README.md", SKILLS_README],
  ]);
}

/** The text of `servers/README.md`: one line a server that is on. */
export function serversReadme(catalog: Catalog): string {
  const lines = catalog.servers
    .filter((server) => server.isEnabled)
    .map(({ folder, tools, prompts, resources, purpose }) => {
      const what = oneLine(purpose, 200);
      const others = `${resources === undefined ? "" : ", resources"}${prompts.length === 0 ? "" : ", prompts"}`;
      return `- \`${folder}/\`: ${count(tools.length, "tool")}${others}${what === "" ? "" : `. ${what}`}`;
    });
  const list =
    lines.length === 0 ? "No server yet: `mcpfs add <name> -- <command>` adds one." : lines.join("\n");
  return `# Servers\n\nEach folder's \`index.ts\` lists its tools, one a line.\n\n${list}\n`;
}

const SKILLS_README = `# Skills

Scripts that worked, kept as functions. \`mcpfs skills list\` shows them; any script imports them:
\`import { name } from "./skills/<skill>";\`

- \`mcpfs skills save script.ts --name <skill> --description "…"\` writes \`skills/<skill>/SKILL.md\` and \`index.ts\`.
- A file \`skills/<skill>.ts\` written by hand can be imported too.
`;
