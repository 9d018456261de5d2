import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { type Command, Option } from "commander";
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
    .addHelpText("after", "\nExample:\n  mcpfs init my-workspace --policy strict")
    .action(async (directory: string | undefined, { policy }: { policy: Preset }, command: Command) => {
      const root = resolve(cli.io.cwd, cli.globals().directory ?? ".", directory ?? ".");
      await mkdir(root, { recursive: true });
      await refuseForeign(root);
      const { createWorkspace } = await import("../create-workspace.ts");
      if (command.getOptionValueSource("policy") === "cli") await refuseOtherPolicy(root);
      const changed = await createWorkspace(cli, root, "templates/mcpfs.json", (text) =>
        text.replace('"policy": "balanced"', `"policy": ${JSON.stringify(policy)}`),
      );
      if (cli.globals().isJson) cli.printJson({ path: root, changed });
      else {
        cli.say(`${changed ? "made" : "kept"} the workspace in ${root}`);
        if (changed) cli.say('next: "mcpfs add <name> -- <command>"');
      }
    });
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
