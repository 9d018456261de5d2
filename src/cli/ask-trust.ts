import type { TrustedServer } from "../engine/workspace/trust.ts";
import type { Redactor } from "../kernel/log.ts";
import { count, quotedWord } from "../kernel/text.ts";
import type { PolicyRules } from "../policy/policy.ts";
import { unaskedSentence } from "../policy/unasked.ts";
import { askYes, type Terminal } from "./terminal.ts";

/** What a question on the terminal takes of a command. */
interface Asker {
  readonly io: { readonly signal: AbortSignal };
  readonly terminal: () => Terminal | undefined;
  readonly redactor: Redactor;
}

/**
 * Asks a person on the terminal whether servers may be started, and a policy that was loosened counts. @returns undefined where nobody can be asked
 */
export function trustQuestion(
  cli: Asker,
):
  | ((servers: readonly TrustedServer[], policy: PolicyRules, isLoosened?: boolean) => Promise<boolean>)
  | undefined {
  const terminal = cli.terminal();
  if (terminal === undefined) return undefined;
  return async (servers, policy, isLoosened = false) => {
    const head = `mcpfs.json names ${count(servers.length, "server")} that you have not trusted. Each of these would run with your rights:`;
    const lines = [
      ...(servers.length > 0 ? [head] : []),
      ...servers.map((server) => trustLine(cli, server)),
      ...policySentences(policy, isLoosened),
    ];
    return await askYes(terminal, lines, `Trust ${servers.length > 0 ? "and start" : "it"}?`, cli.io.signal);
  };
}

/** What whoever trusts a config should know of its policy. */
export function policySentences(policy: PolicyRules, isLoosened: boolean): readonly string[] {
  const sentences = [isLoosened ? LOOSENED : undefined, unaskedSentence(policy)];
  return sentences.filter((sentence) => sentence !== undefined);
}

const LOOSENED =
  "Its policy lets out more than the one that you have trusted; until you trust this one, what it lets out more is asked about. Read its rules.";

/** `  lint  node ./lint.mjs --stdio`, secrets hidden. The name is a key of a file that may come from anybody. */
export function trustLine(cli: Pick<Asker, "redactor">, { name, starts }: TrustedServer): string {
  return `  ${quotedWord(name)}  ${cli.redactor.redact(starts)}`;
}
