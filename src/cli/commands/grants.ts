import type { Command } from "commander";
import type { ListedGrant } from "../../engine/call/grants.ts";
import { McpfsError } from "../../kernel/errors.ts";
import { nearestOf } from "../../kernel/nearest.ts";
import { count } from "../../kernel/text.ts";
import { parseToolPattern } from "../../policy/tool-pattern.ts";
import type { CliContext } from "../cli-context.ts";

/** `mcpfs grants list|revoke` */
export function addGrantsCommands(program: Command, cli: CliContext): void {
  const grants = program
    .command("grants")
    .description("calls that you have allowed for longer than a run, in this workspace")
    .addHelpText("after", "\nExample:\n  mcpfs grants list")
    .helpCommand(false);
  grants
    .command("list")
    .description("list your grants, and which of them still hold")
    .addHelpText("after", "\nExample:\n  mcpfs grants list --json")
    .action(async () => {
      await cli.withHost(async (host) => {
        const listed = await host.grants();
        if (cli.globals().isJson) cli.printJson(listed.map(grantElement));
        else if (listed.length === 0) cli.say("no grants; one is given at the question of a run");
        else for (const grant of listed) cli.print(grantLine(grant));
      });
    });
  grants
    .command("revoke")
    .description("take grants away; what they allowed is asked about again")
    .argument("[grants...]", "ids, or patterns such as crm/*")
    .option("--all", "all grants of this workspace")
    .addHelpText("after", "\nExample:\n  mcpfs grants revoke crm/delete_lead")
    .action(async (words: string[], { all = false }: { all?: boolean }) => {
      if (words.length === 0 && !all)
        throw new McpfsError("USAGE", "It is not said which grants.", {
          hint: "Name ids or patterns, or say --all.",
        });
      await cli.withHost(async (host) => {
        const listed = await host.grants();
        const revoked = all ? listed : words.flatMap((word) => meant(word, listed));
        await host.revokeGrants(new Set(revoked.map(({ id }) => id)));
        if (cli.globals().isJson) cli.printJson(revoked.map(grantElement));
        else cli.say(`revoked ${count(revoked.length, "grant")}`);
      });
    });
}

/** @throws McpfsError USAGE for a word that means no grant */
function meant(word: string, listed: readonly ListedGrant[]): readonly ListedGrant[] {
  const isMeant = word.includes("/") ? parseToolPattern(word).matches : undefined;
  const found = listed.filter(
    ({ id, server, tool }) => id === word || isMeant?.({ server, raw: tool }) === true,
  );
  if (found.length > 0) return found;
  const near = nearestOf(
    word,
    listed.flatMap(({ id, server, tool }) => [id, `${server}/${tool}`]),
    3,
  );
  throw new McpfsError("USAGE", `No grant is called ${JSON.stringify(word)}.`, {
    hint: near.length === 0 ? 'See "mcpfs grants list".' : `Nearest: ${near.join(", ")}.`,
  });
}

function grantElement({ id, server, tool, status, untilMs, grantedMs }: ListedGrant): unknown {
  return {
    id,
    server,
    tool,
    scope: untilMs === undefined ? "forever" : "until",
    until: untilMs === undefined ? null : new Date(untilMs).toISOString(),
    grantedAt: new Date(grantedMs).toISOString(),
    status,
  };
}

const STATUS: Readonly<Record<ListedGrant["status"], string>> = {
  valid: "",
  expired: "  (expired)",
  changed: "  (does not hold: the tool or its server has changed since)",
};

function grantLine({ id, server, tool, status, untilMs }: ListedGrant): string {
  const end = untilMs === undefined ? "for ever" : `until ${new Date(untilMs).toISOString()}`;
  return `${id}  ${server}/${tool}  ${end}${STATUS[status]}`;
}
