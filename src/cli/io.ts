import type { Readable, Writable } from "node:stream";

/** The process around a command, handed in so that a test can be one. */
export interface Io {
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly platform: NodeJS.Platform;
  readonly homeDir: string;
  /** True when stderr is a terminal that a person looks at: bars and colours go there only. */
  readonly isTerminal: boolean;
  /** True when stdout is a terminal: what a value holds must not move its cursor. */
  readonly isOutputTerminal: boolean;
  /** Aborts when a person presses Ctrl-C or the process is asked to end. */
  readonly signal: AbortSignal;
}

/** Resolves when all that was written to `stream` has left this process, or nobody reads it any more. */
export function flushed(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || stream.writableLength === 0) return resolve();
    stream.once("error", () => resolve());
    stream.write("", () => resolve());
  });
}
