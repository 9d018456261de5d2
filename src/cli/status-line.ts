import { oneLine } from "../kernel/text.ts";
import type { Io } from "./io.ts";

/** One line at the bottom of a terminal that says what goes on; everything else that is written takes it away first. */
export interface StatusLine {
  /** `text` may hold anything: it is made visible, and cut where it is too long for one line. */
  readonly show: (text: string) => void;
  readonly clear: () => void;
}

/** As much as fits most terminals: a line that wraps cannot be taken away. */
const MAX_LENGTH = 78;

/** Creates the line; where no person looks at stderr it does nothing. */
export function createStatusLine(io: Pick<Io, "stderr" | "isTerminal">, isWanted: () => boolean): StatusLine {
  let isShown = false;
  return {
    show: (text) => {
      if (!io.isTerminal || !isWanted()) return;
      isShown = true;
      io.stderr.write(`\r\u001b[K${oneLine(text, MAX_LENGTH)}`);
    },
    clear: () => {
      if (isShown) io.stderr.write("\r\u001b[K");
      isShown = false;
    },
  };
}
