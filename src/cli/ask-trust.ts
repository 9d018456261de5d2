import type { TrustedServer } from "../engine/workspace/trust.ts";
import type { Redactor } from "../kernel/log.ts";
import { count } from "../kernel/text.ts";
import type { PolicyRules } from "../policy/policy.ts";
import { unaskedSentence } from "../policy/unasked.ts";
import type { Io } from "./io.ts";

/** What a question on the terminal takes of a command. */
interface Asker {
  readonly io: Io;
  readonly globals: () => { readonly isJson: boolean };
  readonly styled: (style: "bold", text: string) => string;
  readonly redactor: Redactor;
}

/**
 * Asks a person on the terminal whether servers may be started, and a policy that was loosened counts. @returns undefined where nobody can be asked: input or messages
 * are no terminal, or a program reads the answer
 */
export function trustQuestion(
  cli: Asker,
):
  | ((servers: readonly TrustedServer[], policy: PolicyRules, isLoosened?: boolean) => Promise<boolean>)
  | undefined {
  if (!cli.io.isTerminal || cli.io.stdin.isTTY !== true || cli.globals().isJson) return undefined;
  return async (servers, policy, isLoosened = false) => {
    const { stdin: input, stderr: output, signal } = cli.io;
    if (servers.length > 0)
      output.write(
        `mcpfs.json names ${count(servers.length, "server")} that you have not trusted. Each of these would run with your rights:\n`,
      );
    for (const server of servers) output.write(`${trustLine(cli, server)}\n`);
    for (const sentence of policySentences(policy, isLoosened)) output.write(`${sentence}\n`);
    const { createInterface } = await import("node:readline/promises");
    const terminal = createInterface({ input, output });
    try {
      const answer = await terminal.question(`Trust ${servers.length > 0 ? "and start" : "it"}? [y/N] `, {
        signal,
      });
      return /^y(es)?$/i.test(answer.trim());
    } catch {
      return false;
    } finally {
      terminal.close();
    }
  };
}

/** What whoever trusts a config should know of its policy. */
export function policySentences(policy: PolicyRules, isLoosened: boolean): readonly string[] {
  const sentences = [isLoosened ? LOOSENED : undefined, unaskedSentence(policy)];
  return sentences.filter((sentence) => sentence !== undefined);
}

const LOOSENED =
  "Its policy lets out more than the one that you have trusted; until you trust this one, what it lets out more is asked about. Read its rules.";

/** `  lint  node ./lint.mjs --stdio`, secrets hidden. */
export function trustLine(cli: Asker, { name, starts }: TrustedServer): string {
  return `  ${cli.styled("bold", name)}  ${cli.redactor.redact(starts)}`;
}
