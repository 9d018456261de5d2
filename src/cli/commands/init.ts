import { mkdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Command } from "commander";
import { McpfsError } from "../../kernel/errors.ts";
import { statIfExists } from "../../kernel/fsx.ts";
import type { CliContext } from "../cli-context.ts";

/** `mcpfs init [dir]` */
export function addInitCommand(program: Command, cli: CliContext): void {
  program
    .command("init")
    .description("make a workspace: mcpfs.json, and the files that agents and editors need")
    .argument("[dir]", "the folder; default: this one")
    .addHelpText("after", "\nExample:\n  mcpfs init my-workspace")
    .action(async (directory: string | undefined) => {
      const root = resolve(cli.io.cwd, cli.globals().directory ?? ".", directory ?? ".");
      await mkdir(root, { recursive: true });
      await refuseForeign(root);
      const { createWorkspace } = await import("../create-workspace.ts");
      const changed = await createWorkspace(cli, root, "templates/mcpfs.json");
      if (cli.globals().isJson) cli.printJson({ path: root, changed });
      else {
        cli.say(`${changed ? "made" : "kept"} the workspace in ${root}`);
        if (changed) cli.say('next: "mcpfs add <name> -- <command>"');
      }
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
