import type { Command } from "commander";
import { McpfsError } from "../../kernel/errors.ts";
import { count } from "../../kernel/text.ts";
import { policySentences, trustLine, trustQuestion } from "../ask-trust.ts";
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

A server is asked for again when its command, arguments, folder, URL, or the names of its variables and headers change; the policy
when it lets out more than before.`,
    )
    .action(async (options: { yes?: boolean }) => {
      await cli.withHost(async (host) => {
        const before = await host.trusted();
        const fresh = before.filter((server) => !server.isTrusted);
        const { policy } = host.config();
        const isLoosened = !(await host.isPolicyTrusted());
        const isNew = fresh.length > 0 || isLoosened;
        const question = trustQuestion(cli);
        if (!cli.globals().isJson && question === undefined)
          for (const server of fresh) cli.print(trustLine(cli, server));
        if (question === undefined && isNew) policySentences(policy, isLoosened).forEach(cli.say);
        const isYes =
          isNew &&
          (options.yes === true || (question !== undefined && (await question(fresh, policy, isLoosened))));
        if (isYes) await host.trust();
        if (cli.globals().isJson) {
          const servers = (await host.trusted()).map(({ name, starts, isTrusted }) => ({
            name,
            starts: cli.redactor.redact(starts),
            trusted: isTrusted,
          }));
          const policyTrusted = await host.isPolicyTrusted();
          cli.printJson({ digest: host.trustDigest(), servers, policyTrusted });
          cli.exitWith(policyTrusted && servers.every((server) => server.trusted) ? 0 : 3);
        } else if (!isNew) cli.say("all servers are trusted");
        else {
          const what = fresh.length === 0 ? "the policy" : count(fresh.length, "server");
          if (isYes) return cli.say(`trusted ${what}`);
          throw new McpfsError("UNTRUSTED", `${fresh.length === 0 ? "The policy is" : what} not trusted.`, {
            hint: 'Nothing of it counts or is started. "mcpfs trust --yes" trusts all of it.',
          });
        }
      });
    });
}
