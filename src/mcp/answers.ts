import type { Json, JsonObject } from "../kernel/json.ts";
import type { ClientAnswer } from "./client-answer.ts";
import type { ClientRequests } from "./client-requests.ts";

/** Requests that a server makes of its client, from arrival to answer. */
export interface Answers {
  /** @returns false for a request that is not ours to answer */
  readonly take: (id: Json, method: string, params: Json | undefined) => boolean;
  /** The server no longer wants the answer to its request `id`. */
  readonly cancel: (id: Json | undefined) => void;
  /** True while a request is open. */
  readonly isAsking: () => boolean;
  readonly close: () => void;
}

/** Creates the keeper of open requests. `onOpen` comes with the first, `onIdle` after the last of those open at once. */
export function createAnswers(options: {
  readonly answer: ClientRequests["answer"];
  readonly send: (message: JsonObject) => void;
  readonly onOpen: () => void;
  readonly onIdle: () => void;
}): Answers {
  const open = new Map<Json, AbortController>();
  const reply = async (id: Json, stop: AbortController, work: Promise<ClientAnswer>): Promise<void> => {
    const answer = await work;
    open.delete(id);
    // A request that was cancelled gets no answer (basic/utilities/cancellation).
    if (!stop.signal.aborted) {
      const { kind, ...body } = answer;
      options.send({ jsonrpc: "2.0", id, ...(kind === "error" ? { error: body } : body) });
    }
    if (open.size === 0) options.onIdle();
  };
  return {
    take: (id, method, params) => {
      const stop = new AbortController();
      const work = options.answer(method, params, stop.signal);
      if (work === undefined) return false;
      if (open.size === 0) options.onOpen();
      open.set(id, stop);
      void reply(id, stop, work);
      return true;
    },
    cancel: (id) => {
      if (id !== undefined) open.get(id)?.abort();
    },
    isAsking: () => open.size > 0,
    close: () => {
      for (const stop of open.values()) stop.abort();
    },
  };
}
