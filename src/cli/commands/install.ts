import { type Command, Option } from "commander";
import { MCP_CLIENTS } from "../../config/clients/mcp-clients.ts";
import { McpfsError } from "../../kernel/errors.ts";
import type { CliContext } from "../cli-context.ts";
import { askYes } from "../terminal.ts";

interface InstallOptions {
  readonly client: string;
  readonly name: string;
  readonly project?: boolean;
  readonly yes?: boolean;
  readonly print?: boolean;
}

/** `mcpfs install` and `mcpfs uninstall` */
export function addInstallCommands(program: Command, cli: CliContext): void {
  addOne(program, cli, "install");
  addOne(program, cli, "uninstall");
}

function addOne(program: Command, cli: CliContext, word: "install" | "uninstall"): void {
  const isInstall = word === "install";
  program
    .command(word)
    .description(
      isInstall
        ? "put this workspace into the config of an MCP client; shown first, a copy of what was there is kept"
        : "take this workspace out of the config of an MCP client",
    )
    .addOption(
      new Option("--client <client>", "whose config").choices([...MCP_CLIENTS.keys()]).makeOptionMandatory(),
    )
    .option("--name <name>", "what the server is called there", "mcpfs")
    .option("--project", "the client's config in this workspace's folder instead of the user's")
    .option("--print", "only show what would be written")
    .option("--yes", "write without asking")
    .addHelpText("after", `\nExample:\n  mcpfs ${word} --client cursor`)
    .action(async (options: InstallOptions) => {
      const { planInstall, applyInstall } = await import("../../serve/install.ts");
      // What was installed can be taken out when the workspace is gone.
      const root = isInstall || options.project === true ? await cli.root() : undefined;
      const { homeDir, platform, env } = cli.io;
      const { client, name } = options;
      const plan = await planInstall({
        client,
        name,
        place: {
          homeDir,
          platform,
          env,
          ...(options.project === true && root !== undefined ? { project: root } : {}),
        },
        ...(isInstall && root !== undefined ? { root } : {}),
      });
      const { title, path, shown, before, after } = plan;
      const isSame = (before ?? "") === after;
      cli.say(`${title}: ${path}${isSame ? ": nothing to change" : ""}`);
      if (!isSame) cli.say(shown);
      const isWritten = !isSame && options.print !== true && (options.yes === true || (await confirm(cli)));
      const backup = isWritten ? await applyInstall(plan) : undefined;
      if (isWritten && backup !== undefined) cli.say(`what was there: ${backup}`);
      if (isWritten && isInstall) cli.say(`restart ${title} to use it`);
      if (cli.globals().isJson) cli.printJson({ client, path, changed: isWritten, backup: backup ?? null });
    });
}

/** @throws McpfsError USAGE where nobody can be asked */
async function confirm(cli: CliContext): Promise<boolean> {
  const terminal = cli.terminal();
  if (terminal === undefined)
    throw new McpfsError("USAGE", "Nothing was written: there is nobody to ask.", {
      hint: "Say --yes to write it, or --print to see it only.",
    });
  return await askYes(terminal, [], "Write this?", cli.io.signal);
}
