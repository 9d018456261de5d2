import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type Command, InvalidArgumentError, Option } from "commander";
import { MCP_CLIENTS } from "../../config/clients/mcp-clients.ts";
import { McpfsError } from "../../kernel/errors.ts";
import { statIfExists } from "../../kernel/fsx.ts";
import { PRESETS, type Preset } from "../../policy/presets.ts";
import type { CliContext } from "../cli-context.ts";

/** `mcpfs init [dir]` */
export function addInitCommand(program: Command, cli: CliContext): void {
  program
    .command("init")
    .description("make a workspace: mcpfs.json, and the files that agents and editors need")
    .argument("[dir]", "the folder; default: this one")
    .addOption(
      new Option("--policy <preset>", "what calls need an approval; docs/policy.md says more")
        .choices(PRESETS)
        .default("balanced"),
    )
    .option(
      "--from <clients>",
      `take the servers of MCP clients over: ${[...MCP_CLIENTS.keys()].join(", ")}, or a file; commas between`,
      clientWords,
    )
    .addHelpText(
      "after",
      `
Examples:
  mcpfs init my-workspace --policy strict
  mcpfs init --from claude,cursor,./.vscode/mcp.json

Keys stay in the clients' files: mcpfs.json gets variables in their place, and init says which to set.`,
    )
    .action(async (directory: string | undefined, { policy, from }: InitOptions, command: Command) => {
      const root = resolve(cli.io.cwd, cli.globals().directory ?? ".", directory ?? ".");
      const { readImport, writeImport, sayImport } = await import("../import-servers.ts");
      const plan = from === undefined ? undefined : await readImport(cli, root, from);
      await mkdir(root, { recursive: true });
      await refuseForeign(root);
      const { createWorkspace } = await import("../create-workspace.ts");
      if (command.getOptionValueSource("policy") === "cli") await refuseOtherPolicy(root);
      const changed = await createWorkspace(cli, root, "templates/mcpfs.json", (text) =>
        text.replace('"policy": "balanced"', `"policy": ${JSON.stringify(policy)}`),
      );
      const report = plan === undefined ? undefined : await writeImport(cli, root, plan);
      const { servers = [], variables = [], warnings = [] } = report ?? {};
      if (servers.some(({ status }) => status === "faulty")) cli.exitWith(1);
      if (cli.globals().isJson) {
        const isChanged = changed || report?.changed === true;
        return cli.printJson({ path: root, changed: isChanged, servers, variables, warnings });
      }
      cli.say(`${changed ? "made" : "kept"} the workspace in ${root}`);
      if (report !== undefined) sayImport(cli, report);
      if (report !== undefined || changed)
        cli.say(`next: "${report === undefined ? "mcpfs add <name> -- <command>" : "mcpfs sync"}"`);
    });
}

interface InitOptions {
  readonly policy: Preset;
  readonly from?: readonly string[];
}

function clientWords(text: string, before: readonly string[] = []): readonly string[] {
  const words = text.split(",").map((word) => word.trim());
  if (words.includes("")) throw new InvalidArgumentError("Expected clients or files with commas between.");
  return [...before, ...words];
}

/** What a config says is not changed by the way. */
async function refuseOtherPolicy(root: string): Promise<void> {
  if ((await statIfExists(join(root, "mcpfs.json"))) === undefined) return;
  throw new McpfsError("USAGE", "There is a workspace already, and --policy is for a new one.", {
    hint: 'Change "policy" in its mcpfs.json; docs/policy.md says what it may be.',
  });
}

/** The files that a workspace needs and that mcpfs never shares with somebody else's. */
const OWN_FILES = ["client.ts", "sandbox.d.ts", "tsconfig.json", "servers"];

/** A folder that is something else already is not turned into a workspace over its files. */
async function refuseForeign(root: string): Promise<void> {
  if ((await statIfExists(join(root, "mcpfs.json"))) !== undefined) return;
  const inTheWay: string[] = [];
  for (const name of OWN_FILES) if ((await statIfExists(join(root, name))) !== undefined) inTheWay.push(name);
  if (inTheWay.length === 0) return;
  throw new McpfsError(
    "FILE_IN_THE_WAY",
    `These stand where a workspace has files of its own: ${inTheWay.join(", ")}.`,
    {
      hint: 'Make the workspace in a folder of its own: "mcpfs init mcp".',
      data: { files: inTheWay },
    },
  );
}
