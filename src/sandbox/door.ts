import { LOG_CALL, type LogLine } from "../model/door.ts";
import { MAX_WAITING_CALLS } from "../model/run.ts";
import type { HostCall } from "./crossing.ts";
import { REFUSED } from "./guest-contract.ts";
import type { WorkerJob } from "./messages.ts";
import type { Outbox } from "./outbox.ts";

/** The host's side of the one function: checks what the guest hands over, numbers it, and puts it into the outbox. */
export interface Door {
  readonly call: HostCall;
  /** Notes that a call is answered. */
  readonly close: (id: number) => void;
  /** Open calls that keep a run alive: all but timers. */
  readonly openCalls: () => number;
  /** Notes that the host will not answer a call any more. */
  readonly waits: (id: number) => void;
  /**
   * How long nothing has moved but timers, in milliseconds, where all calls that are open wait for a person; else `undefined`.
   * Without an open timer it is for ever.
   */
  readonly stalledMs: () => number | undefined;
  /** Those calls, in the order in which they were made. */
  readonly listOpen: () => readonly { readonly id: number; readonly name: string }[];
  /** From now on nothing passes. */
  readonly shut: () => void;
}

/** Timers are calls too, but a pending one does not keep a run alive (law 11). */
const SLEEP_CALL = "mcpfs__sleep";

const LEVELS: ReadonlySet<unknown> = new Set(["debug", "log", "info", "warn", "error"]);

export function createDoor(outbox: Outbox, limits: () => Pick<WorkerJob, "argumentBytes">): Door {
  let lastId = 0;
  let isShut = false;
  const open = new Map<number, string>();
  const waiting = new Set<number>();
  const readName = createNameReader();
  let sleeping = 0;
  let movedMs = 0;
  return {
    call: (nameText, argumentsText) => {
      if (isShut) return REFUSED.malformed;
      const name = readName(nameText);
      if (name === undefined) return REFUSED.malformed;
      if (name === LOG_CALL) {
        const line = parseLine(argumentsText);
        if (line === undefined) return REFUSED.malformed;
        outbox.add({ kind: "log", ...line });
        return REFUSED.taken;
      }
      if (isLarger(argumentsText, limits().argumentBytes)) return REFUSED.tooLarge;
      if (open.size >= MAX_WAITING_CALLS) return REFUSED.tooMany;
      lastId += 1;
      open.set(lastId, name);
      if (name === SLEEP_CALL) sleeping += 1;
      else movedMs = performance.now();
      outbox.add({ kind: "call", id: lastId, name, argumentsText });
      return lastId;
    },
    close: (id) => {
      if (open.get(id) === SLEEP_CALL) sleeping -= 1;
      else movedMs = performance.now();
      open.delete(id);
      waiting.delete(id);
    },
    openCalls: () => open.size - sleeping,
    waits: (id) => {
      if (open.has(id)) waiting.add(id);
      movedMs = performance.now();
    },
    stalledMs: () => {
      if (waiting.size === 0 || waiting.size < open.size - sleeping) return undefined;
      return sleeping === 0 ? Number.POSITIVE_INFINITY : performance.now() - movedMs;
    },
    listOpen: () => [...open].filter(([, name]) => name !== SLEEP_CALL).map(([id, name]) => ({ id, name })),
    shut: () => {
      isShut = true;
    },
  };
}

/** A script calls the same tool many times: the text of the last name is not read again. */
function createNameReader(): (nameText: string) => string | undefined {
  let lastText = "";
  let lastName: string | undefined;
  return (nameText) => {
    if (nameText !== lastText) {
      const name = parse(nameText);
      lastText = nameText;
      lastName = typeof name === "string" ? name : undefined;
    }
    return lastName;
  };
}

/** In UTF-8, which takes at most three bytes for a unit: most texts need not be counted. */
function isLarger(text: string, maxBytes: number): boolean {
  return text.length * 3 > maxBytes && Buffer.byteLength(text) > maxBytes;
}

function parseLine(text: string): LogLine | undefined {
  const value = parse(text);
  if (typeof value !== "object" || value === null) return undefined;
  const line = value as { readonly level?: unknown; readonly text?: unknown };
  if (typeof line.text !== "string" || !LEVELS.has(line.level)) return undefined;
  return { level: line.level as LogLine["level"], text: line.text };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
