import type { Command } from "commander";
import { McpfsError } from "../../kernel/errors.ts";
import type { ServerName } from "../../model/names.ts";
import type { CliContext } from "../cli-context.ts";
import { openBrowser } from "../open-browser.ts";

interface AuthOptions {
  readonly browser: boolean;
  readonly forget?: boolean;
}

/** `mcpfs auth <server>` */
export function addAuthCommand(program: Command, cli: CliContext): void {
  program
    .command("auth")
    .description("sign in to a server over HTTP that wants OAuth; renewed by itself from then on")
    .argument("<server>", "the server's key")
    .option("--no-browser", "only print the address; open it on this machine")
    .option("--forget", "sign out: forget what was got, and end it at the authorization server")
    .addHelpText("after", "\nExamples:\n  mcpfs auth github\n  mcpfs auth github --forget")
    .action(async (name: string, { browser, forget = false }: AuthOptions) => {
      if (forget && !browser)
        throw new McpfsError("USAGE", "--forget opens no browser.", { hint: "Leave --no-browser away." });
      const server = name as ServerName;
      await cli.withHost(async (host) => {
        const { signal } = cli.io;
        if (forget) {
          const had = await host.signOut(server, signal);
          if (cli.globals().isJson) cli.printJson({ server, signedIn: false, issuer: null, scopes: [] });
          else cli.say(had ? `signed out of ${server}` : `nobody was signed in to ${server}`);
          return;
        }
        const onAddress = (address: string): void => {
          // Not silenced by --quiet: without it nobody can go on.
          cli.printToStderr(`To sign in to ${server}, open this address on this machine:\n\n  ${address}\n`);
          if (browser) openBrowser(cli.io, address);
        };
        const { issuer, scopes } = await host.signIn(server, { onAddress, signal });
        if (cli.globals().isJson) cli.printJson({ server, signedIn: true, issuer, scopes });
        else cli.say(`signed in to ${server} at ${issuer}; "mcpfs sync ${server}" writes its tools`);
      });
    });
}
