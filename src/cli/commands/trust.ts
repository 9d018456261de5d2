import type { Command } from "commander";
import { McpfsError } from "../../kernel/errors.ts";
import { count } from "../../kernel/text.ts";
import { unaskedSentence } from "../../policy/unasked.ts";
import { trustLine, trustQuestion } from "../ask-trust.ts";
import type { CliContext } from "../cli-context.ts";

/** `mcpfs trust` */
export function addTrustCommand(program: Command, cli: CliContext): void {
  program
    .command("trust")
    .description("see what the servers of mcpfs.json start, and allow it: nothing starts before")
    .option("--yes", "trust all of it without asking")
    .addHelpText(
      "after",
      `
Examples:
  mcpfs trust
  MCPFS_TRUST=$(mcpfs trust --json | jq -r .digest)     for a machine that nobody sits at

A server is asked for again when its command, arguments, folder, URL, or the names of its variables and headers change.`,
    )
    .action(async (options: { yes?: boolean }) => {
      await cli.withHost(async (host) => {
        const before = await host.trusted();
        const fresh = before.filter((server) => !server.isTrusted);
        const question = trustQuestion(cli);
        if (!cli.globals().isJson && question === undefined)
          for (const server of fresh) cli.print(trustLine(cli, server));
        const unasked = unaskedSentence(host.config().policy);
        if (question === undefined && fresh.length > 0 && unasked !== undefined) cli.say(unasked);
        const isYes =
          fresh.length > 0 &&
          (options.yes === true || (question !== undefined && (await question(fresh, host.config().policy))));
        if (isYes) await host.trust(fresh.map((server) => server.name));
        if (cli.globals().isJson) {
          const servers = (await host.trusted()).map(({ name, starts, isTrusted }) => ({
            name,
            starts: cli.redactor.redact(starts),
            trusted: isTrusted,
          }));
          cli.printJson({ digest: host.trustDigest(), servers });
          cli.exitWith(servers.every((server) => server.trusted) ? 0 : 3);
        } else if (fresh.length === 0) cli.say("all servers are trusted");
        else if (isYes) cli.say(`trusted ${count(fresh.length, "server")}`);
        else {
          throw new McpfsError("UNTRUSTED", `${count(fresh.length, "server")} not trusted.`, {
            hint: 'Nothing of it is started. "mcpfs trust --yes" trusts all of it.',
          });
        }
      });
    });
}
