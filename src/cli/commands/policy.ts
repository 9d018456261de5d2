import type { Command } from "commander";
import type { ExplainedCall } from "../../engine/call/explain-call.ts";
import { McpfsError } from "../../kernel/errors.ts";
import { own } from "../../kernel/json.ts";
import { type Caller, readCaller } from "../../policy/decision.ts";
import { callArguments } from "../arguments.ts";
import type { CliContext } from "../cli-context.ts";

/** `mcpfs policy explain` */
export function addPolicyCommands(program: Command, cli: CliContext): void {
  const policy = program
    .command("policy")
    .description("what calls are allowed, asked about or denied")
    .addHelpText("after", "\nExample:\n  mcpfs policy explain crm/delete_lead id=7")
    .helpCommand(false);
  policy
    .command("explain")
    .description("say which rule decides about a call, without making it")
    .argument("<name>", "server/tool, or any other exact name of the tool")
    .argument("[arguments...]", "one JSON object, or key=value pairs, for rules that look at them")
    .option("--caller <caller>", "exec, call, serve, serve:<client> or skill:<name>", callerName, "exec")
    .addHelpText("after", "\nExample:\n  mcpfs policy explain crm/delete_lead id=7 --caller call")
    .action(async (name: string, words: string[], { caller }: { caller: Caller }) => {
      await cli.withHost(async (host) => {
        const { inputSchema } = (await host.lookup()).find(name);
        const args = callArguments(words, own(inputSchema, "properties"));
        const explained = await host.explain(name, args, caller);
        if (cli.globals().isJson) cli.printJson(explanationJson(explained));
        else printExplanation(cli, explained);
      });
    });
}

function callerName(text: string): Caller {
  const caller = readCaller(text);
  if (caller !== undefined) return caller;
  throw new McpfsError("USAGE", `No caller is called ${JSON.stringify(text)}.`, {
    hint: "Callers are exec, call, serve, serve:<client> and skill:<name>.",
  });
}

function explanationJson(explained: ExplainedCall): unknown {
  const { tool, caller, decision, considered, isGranted, isPolicyTrusted } = explained;
  return {
    server: tool.server,
    tool: tool.raw,
    caller,
    risk: tool.risk,
    permission: decision.kind,
    rule: decision.rule,
    reason: decision.reason,
    granted: isGranted,
    policyTrusted: isPolicyTrusted,
    considered,
  };
}

const WORDS: Readonly<Record<ExplainedCall["decision"]["kind"], string>> = {
  allow: "is allowed",
  ask: "needs an approval",
  deny: "is denied",
};

const UNTRUSTED_POLICY =
  'mcpfs.json lets out more than the policy that you have trusted; what it lets out more is asked about until "mcpfs trust"';

function printExplanation(
  cli: CliContext,
  { tool, caller, decision, considered, isGranted, isPolicyTrusted }: ExplainedCall,
): void {
  cli.printHeading(`${tool.server}/${tool.raw} ${WORDS[decision.kind]} for ${caller}`);
  cli.print(`  rule    ${decision.rule}`);
  cli.print(`  reason  ${decision.reason}`);
  cli.print(`  risk    ${tool.risk}`);
  if (!isPolicyTrusted) cli.print(`  trust   ${UNTRUSTED_POLICY}`);
  if (isGranted) cli.print("  grant   a grant of yours answers for you");
  for (const { rule, why } of considered) cli.print(`  looked at ${rule}: ${why}`);
}
