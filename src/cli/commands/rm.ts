import type { Command } from "commander";
import { editConfig } from "../../engine/workspace/edit-config.ts";
import type { CliContext } from "../cli-context.ts";
import { knownServer } from "./sync.ts";

/** `mcpfs rm <name>` */
export function addRmCommand(program: Command, cli: CliContext): void {
  program
    .command("rm")
    .description("take a server out of mcpfs.json and its wrappers out of the tree")
    .argument("<name>", "the server's key")
    .addHelpText("after", "\nExample:\n  mcpfs rm crm")
    .action(async (name: string) => {
      const { removeServer } = await import("../../config/edit-config.ts");
      await cli.withHost(async (host) => {
        const server = knownServer(host.config().servers, name);
        await editConfig(host.root, (text) => removeServer(text, server));
        await host.reloadConfig();
        await host.sync({ isOffline: true });
        const path = "mcpfs.json";
        if (cli.globals().isJson) cli.printJson({ name: server, path, changed: true });
        else cli.say(`removed ${server} from ${path}`);
      });
    });
}
