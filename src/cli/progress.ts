import { oneLine } from "../kernel/text.ts";
import type { CallProgress } from "../model/call-progress.ts";
import type { StatusLine } from "./status-line.ts";

/** A line on a terminal that says how far a long step is; nothing elsewhere. */
export interface Progress {
  readonly step: (done: number, total: number, what: string) => void;
  /** Takes the line away. */
  readonly end: () => void;
}

/** Creates a progress line; it appears with the first step. */
export function createProgress(status: StatusLine, title: string): Progress {
  return {
    step: (done, total, what) => status.show(`${title} ${done}/${total} ${oneLine(what, 40)}`),
    end: status.clear,
  };
}

/** Shows how far a call is, as its server reports it. */
export function showCallProgress(status: StatusLine, progress: CallProgress): void {
  const { server, what, done, total, message, isOver } = progress;
  const amount = total === undefined ? `${done}` : `${done}/${total}`;
  if (isOver) status.clear();
  else status.show(`${server}/${what} ${amount} ${message}`);
}
