import type { LogLine } from "../model/door.ts";

/**
 * Console lines that the worker has taken and not yet sent, in memory that the host can read: a worker killed inside
 * a native loop loses none of them.
 */
export interface LogBuffer {
  /** False when the line does not fit any more: send first, then clear. */
  readonly append: (line: LogLine) => boolean;
  readonly clear: () => void;
  readonly read: () => readonly LogLine[];
}

/** Also the size at which the worker sends what it has. */
const CAPACITY_BYTES = 16 * 1024;
/** The number of bytes in use stands first. */
const LENGTH_BYTES = 4;
/** Level (1 byte) and length of the text (4 bytes) before each line. */
const LINE_HEAD_BYTES = 5;
const LEVELS: readonly LogLine["level"][] = ["debug", "log", "info", "warn", "error"];

export function createLogMemory(): SharedArrayBuffer {
  return new SharedArrayBuffer(LENGTH_BYTES + CAPACITY_BYTES);
}

export function createLogBuffer(memory: SharedArrayBuffer): LogBuffer {
  const length = new Int32Array(memory, 0, 1);
  const view = new DataView(memory, LENGTH_BYTES);
  const bytes = new Uint8Array(memory, LENGTH_BYTES);
  return {
    append: ({ level, text }) => {
      const start = Atomics.load(length, 0);
      const encoded = Buffer.from(text);
      const end = start + LINE_HEAD_BYTES + encoded.length;
      if (end > CAPACITY_BYTES) return false;
      view.setUint8(start, LEVELS.indexOf(level));
      view.setUint32(start + 1, encoded.length);
      bytes.set(encoded, start + LINE_HEAD_BYTES);
      Atomics.store(length, 0, end);
      return true;
    },
    clear: () => void Atomics.store(length, 0, 0),
    read: () => {
      const lines: LogLine[] = [];
      const end = Atomics.load(length, 0);
      for (let at = 0; at < end; ) {
        const size = view.getUint32(at + 1);
        const start = at + LINE_HEAD_BYTES;
        const level = LEVELS[view.getUint8(at)] ?? "log";
        lines.push({ level, text: Buffer.from(bytes.subarray(start, start + size)).toString() });
        at = start + size;
      }
      return lines;
    },
  };
}
