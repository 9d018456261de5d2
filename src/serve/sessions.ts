import type { ServeConfig } from "../config/parse-serve.ts";
import type { Tool } from "../model/tool.ts";
import type { ClientCaller } from "../policy/decision.ts";
import type { ServedTool, Session } from "../protocol/served.ts";
import type { Mode } from "../tokens/recommend.ts";
import type { Client } from "./clients.ts";
import { directTool } from "./direct-tools.ts";
import { type DirectCost, settleMode } from "./mode.ts";
import { createToolList, type ToolList } from "./tool-list.ts";

/** What one client sees from the beginning of its session to the end, whatever is switched on and off meanwhile. */
export interface SessionState {
  readonly mode: Mode;
  readonly list: ToolList;
  /** Puts a tool of the catalog at the end of the list, where the config and the mode want that. */
  readonly append: (wire: string) => void;
}

/** The sessions that are open, and what stands for sessions where the protocol has none. */
export interface Sessions {
  readonly open: (session: Session, client: Client) => SessionState;
  readonly end: (key: string) => void;
  /** The catalog is another. */
  readonly update: () => void;
}

export interface SessionsOptions {
  /** The tools that a client may call, in an order that only grows. */
  readonly permitted: (caller: ClientCaller) => readonly Tool[];
  /** Wire names of tools that policy keeps from a client. */
  readonly denied: (caller: ClientCaller) => ReadonlySet<string>;
  readonly config: () => ServeConfig;
  readonly cost: (caller: ClientCaller) => DirectCost;
  /** Our own tools in a mode, without what policy keeps from the client. */
  readonly ownTools: (mode: Mode, caller: ClientCaller) => readonly ServedTool[];
  readonly onListChange: (key: string) => void;
}

interface Known extends SessionState {
  readonly update: () => void;
  readonly isLasting: boolean;
  lastUsedMs: number;
}

/** Where there are no sessions, a client that was away for so long begins a new one. */
const AWAY_MS = 30 * 60_000;

/** Creates the registry. */
export function createSessions(options: SessionsOptions): Sessions {
  const sessions = new Map<string, Known>();

  const begin = (session: Session, client: Client): Known => {
    const { permitted, denied, config } = options;
    const { key, isLasting } = session;
    const { caller } = client;
    const mode = settleMode(client.mode, options.cost(caller));
    const appended = new Set<string>();
    const wanted = (): readonly ServedTool[] => {
      if (mode === "direct") return permitted(caller).map(directTool);
      const asked = permitted(caller).filter(({ wire }) => appended.has(wire));
      return [...options.ownTools(mode, caller), ...asked.map(directTool)];
    };
    const list = createToolList(wanted());
    const update = (): void => {
      if (list.update(wanted(), denied(caller))) options.onListChange(key);
    };
    const append = (wire: string): void => {
      if (mode !== "discover" || !config().appends || appended.has(wire)) return;
      appended.add(wire);
      update();
    };
    return { mode, list, append, update, isLasting, lastUsedMs: Date.now() };
  };

  const dropAway = (): void => {
    const before = Date.now() - AWAY_MS;
    for (const [key, { isLasting, lastUsedMs }] of sessions)
      if (!isLasting && lastUsedMs < before) {
        sessions.delete(key);
        // Who listens without asking hears of no change of a list that nobody keeps, so it is to list anew.
        options.onListChange(key);
      }
  };

  return {
    open: (session, client) => {
      dropAway();
      const state = sessions.get(session.key) ?? begin(session, client);
      state.lastUsedMs = Date.now();
      sessions.set(session.key, state);
      return state;
    },
    end: (key) => void sessions.delete(key),
    update: () => {
      for (const { update } of sessions.values()) update();
    },
  };
}
