import { oneLine } from "../kernel/text.ts";
import type { CliContext } from "./cli-context.ts";

/** A line on a terminal that says how far a long step is; nothing elsewhere. */
export interface Progress {
  readonly step: (done: number, total: number, what: string) => void;
  /** Takes the line away. */
  readonly end: () => void;
}

/** Creates a progress line; it appears with the first step. */
export function createProgress(cli: CliContext, title: string): Progress {
  const { isQuiet, isJson } = cli.globals();
  if (!cli.io.isTerminal || isQuiet || isJson) return { step: () => {}, end: () => {} };
  let isShown = false;
  return {
    step: (done, total, what) => {
      isShown = true;
      cli.io.stderr.write(`\r\u001b[K${title} ${done}/${total} ${oneLine(what, 40)}`);
    },
    end: () => {
      if (isShown) cli.io.stderr.write("\r\u001b[K");
      isShown = false;
    },
  };
}
