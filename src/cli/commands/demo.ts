import { Argument, type Command } from "commander";
import type { CliContext } from "../cli-context.ts";

/** `mcpfs demo [dir]` and `mcpfs demo-server docs|crm` */
export function addDemoCommands(program: Command, cli: CliContext): void {
  program
    .command("demo")
    .description("a complete example on built-in servers: no network, nothing to set up")
    .argument("[dir]", "an empty folder for the example's workspace; default: a temporary one")
    .option("--keep", "keep the temporary folder")
    .addHelpText("after", "\nExample:\n  mcpfs demo my-demo")
    .action(async (directory: string | undefined, options: { keep?: boolean }) => {
      const { playDemo } = await import("../play-demo.ts");
      await playDemo(cli, { directory, isKept: options.keep ?? false });
    });
  program
    .command("demo-server")
    .description("serve one of the example's MCP servers over stdio")
    .addArgument(new Argument("<name>", "which one").choices(["docs", "crm"]))
    .addHelpText("after", "\nExample:\n  mcpfs add docs --builtin docs")
    .action(async (name: "docs" | "crm") => {
      const { runDemoServer } = await import("../../demo/run-demo-server.ts");
      await runDemoServer(name);
    });
}
