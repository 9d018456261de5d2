import { randomUUID } from "node:crypto";
import { McpfsError } from "../kernel/errors.ts";
import type { Json } from "../kernel/json.ts";
import { pause } from "../kernel/wait.ts";
import type { CallReply, ClientRequest, Exchange, ToolResult } from "../protocol/served.ts";

/** A call in whose middle the client can be asked. */
export interface Conversation {
  /** The exchange that is open now, or was last. */
  readonly exchange: () => Exchange;
  /** Aborts when the client gives the call up. */
  readonly signal: AbortSignal;
  /** Sends a request to the client and waits for its answer, which is untrusted; `undefined` where none comes. */
  readonly ask: (request: ClientRequest, signal: AbortSignal) => Promise<Json | undefined>;
}

/** Keeps calls alive while their clients answer: the client makes the same call again, with the answers and our state. */
export interface Conversations {
  /**
   * Begins the call of `exchange`, or goes on with the one that its state names.
   * @throws McpfsError OUTCOME_UNKNOWN when that one is over, and what `begin` throws
   */
  readonly hold: (
    exchange: Exchange,
    identity: string,
    begin: (conversation: Conversation) => Promise<ToolResult>,
  ) => Promise<CallReply>;
  readonly close: () => void;
}

interface Talk {
  readonly id: string;
  readonly identity: string;
  readonly stop: AbortController;
  readonly questions: Map<
    string,
    { readonly request: ClientRequest; readonly settle: (answer?: Json) => void }
  >;
  result: Promise<ToolResult>;
  exchange: Exchange;
  /** Stops listening to the exchange. */
  detach: () => void;
  /** Called when a question comes up. */
  wake: () => void;
  /** Runs while no exchange is open. */
  timer: NodeJS.Timeout | undefined;
  asked: number;
  /** Its client did not come back in time: whatever it is asked from now on, no answer comes. */
  isAbandoned: boolean;
}

/** A person who has not answered after so long will not. */
const ANSWER_MS = 10 * 60_000;
/** Calls that wait for their clients; each holds a run. */
const MAX_WAITING = 1_000;
/** Calls that run side by side ask side by side: one round for all. */
const GATHER_MS = 5;

/** Creates the keeper. */
export function createConversations(): Conversations {
  const waiting = new Map<string, Talk>();

  const resume = (exchange: Exchange, id: string, identity: string): Talk => {
    const talk = waiting.get(id);
    if (talk === undefined || talk.identity !== identity) throw over();
    waiting.delete(id);
    clearTimeout(talk.timer);
    talk.exchange = exchange;
    for (const [key, answer] of Object.entries(exchange.answers)) talk.questions.get(key)?.settle(answer);
    return talk;
  };

  const park = (talk: Talk): CallReply => {
    if (waiting.size >= MAX_WAITING) giveUp(talk);
    waiting.set(talk.id, talk);
    talk.timer = setTimeout(() => {
      talk.isAbandoned = true;
      giveUp(talk);
    }, ANSWER_MS).unref();
    const requests = Object.fromEntries([...talk.questions].map(([key, { request }]) => [key, request]));
    return { kind: "input", requests, state: talk.id };
  };

  /** The call goes on without the answers; who comes back for it later finds it gone. */
  const giveUp = (talk: Talk): void => {
    waiting.delete(talk.id);
    for (const { settle } of [...talk.questions.values()]) settle();
  };

  return {
    hold: async (exchange, identity, begin) => {
      const { state, signal } = exchange;
      const talk = state === undefined ? start(exchange, identity, begin) : resume(exchange, state, identity);
      const cancel = (): void => talk.stop.abort(cancelled());
      talk.detach();
      if (signal.aborted) cancel();
      signal.addEventListener("abort", cancel, { once: true });
      talk.detach = () => signal.removeEventListener("abort", cancel);
      try {
        const result = await Promise.race([talk.result, questionsOf(talk)]);
        return result === undefined ? park(talk) : { kind: "result", result };
      } finally {
        // A request that ends with a question was not cancelled.
        talk.detach();
      }
    },
    close: () => {
      for (const talk of [...waiting.values()]) {
        clearTimeout(talk.timer);
        talk.stop.abort(cancelled());
        giveUp(talk);
      }
    },
  };
}

function start(
  exchange: Exchange,
  identity: string,
  begin: (conversation: Conversation) => Promise<ToolResult>,
): Talk {
  const talk: Talk = {
    id: randomUUID(),
    identity,
    stop: new AbortController(),
    questions: new Map(),
    result: Promise.resolve({ content: [] }),
    exchange,
    detach: () => {},
    wake: () => {},
    timer: undefined,
    asked: 0,
    isAbandoned: false,
  };
  talk.result = begin({
    exchange: () => talk.exchange,
    signal: talk.stop.signal,
    ask: (request, signal) => ask(talk, request, signal),
  });
  // Nobody may be there to hear of a failure: a client that never came back.
  talk.result.catch(() => {});
  return talk;
}

async function ask(talk: Talk, request: ClientRequest, signal: AbortSignal): Promise<Json | undefined> {
  if (signal.aborted || talk.stop.signal.aborted || talk.isAbandoned) return undefined;
  const both = AbortSignal.any([signal, talk.stop.signal]);
  // Who says no, or is gone, gives no answer.
  return talk.exchange.ask === undefined
    ? await askByReply(talk, request, both)
    : await talk.exchange.ask(request, both).catch(() => undefined);
}

/** The question waits until the call's reply asks it, and the client has called again. */
function askByReply(talk: Talk, request: ClientRequest, signal: AbortSignal): Promise<Json | undefined> {
  return new Promise((resolve) => {
    talk.asked += 1;
    const key = `question-${talk.asked}`;
    const settle = (answer?: Json): void => {
      if (!talk.questions.delete(key)) return;
      signal.removeEventListener("abort", leave);
      resolve(answer);
    };
    const leave = (): void => settle();
    signal.addEventListener("abort", leave, { once: true });
    talk.questions.set(key, { request, settle });
    talk.wake();
  });
}

/** Resolves once there is a question. */
async function questionsOf(talk: Talk): Promise<undefined> {
  for (;;) {
    if (talk.questions.size === 0)
      await new Promise<void>((resolve) => {
        talk.wake = resolve;
      });
    await pause(GATHER_MS);
    // It may have been withdrawn meanwhile.
    if (talk.questions.size > 0) return undefined;
  }
}

function over(): McpfsError {
  return new McpfsError("OUTCOME_UNKNOWN", "The call that this answer belongs to is over.", {
    hint: "Look what it did before you make it again.",
  });
}

function cancelled(): McpfsError {
  return new McpfsError("INTERRUPTED", "The client gave this call up.", {
    hint: "Nothing goes on in the background.",
  });
}
