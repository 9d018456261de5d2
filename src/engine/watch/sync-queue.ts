import type { ServerName } from "../../model/names.ts";

/** Decides when servers that changed are synced. */
export interface SyncQueue {
  /** The server has to be asked again: soon, or once the sync that it is in has ended. */
  readonly mark: (server: ServerName) => void;
  /** Begins nothing any more; resolves when what was begun has ended. */
  readonly close: () => Promise<void>;
}

/** Syncs of one server that follow each other closer than this are a storm: each waits twice as long as the one before. */
const CALM_MS = 1_500;
const MIN_SETTLE_MS = 40;
const MAX_SETTLE_MS = 1_000;
/** So many are synced one by one, so that none waits for another; beyond that the rest is one sync, which costs less. */
const MAX_AT_ONCE = 16;

/** What is known of a server that was marked. */
interface Marked {
  timer: NodeJS.Timeout | undefined;
  isBusy: boolean;
  isMarkedAgain: boolean;
  settleMs: number;
  lastEndMs: number;
}

/**
 * Creates the queue. Each server has a sync of its own: one that does not answer, or whose changes never end, keeps no other from
 * being shown as it is. Two syncs of one server never run at the same time.
 * @param sync must not reject
 */
export function createSyncQueue(sync: (servers: readonly ServerName[]) => Promise<void>): SyncQueue {
  const known = new Map<ServerName, Marked>();
  const due = new Set<ServerName>();
  const running = new Set<Promise<void>>();
  let isClosed = false;

  const mark = (server: ServerName): void => {
    const state = known.get(server) ?? newlyMarked();
    known.set(server, state);
    if (state.isBusy) state.isMarkedAgain = true;
    if (state.isBusy || state.timer !== undefined || isClosed) return;
    const isStorm = Date.now() - state.lastEndMs < CALM_MS;
    // A first change waits no longer: the hub has gathered those of 30 ms already.
    state.settleMs = isStorm ? Math.min(Math.max(state.settleMs * 2, MIN_SETTLE_MS), MAX_SETTLE_MS) : 0;
    state.timer = setTimeout(() => {
      due.add(server);
      begin();
    }, state.settleMs);
  };

  const begin = (): void => {
    while (due.size > 0 && running.size < MAX_AT_ONCE && !isClosed) {
      const next = due.size > MAX_AT_ONCE ? [...due] : [...due].slice(0, 1);
      for (const server of next) due.delete(server);
      const work = run(next).finally(() => {
        running.delete(work);
        begin();
      });
      running.add(work);
    }
  };

  const run = async (servers: readonly ServerName[]): Promise<void> => {
    const states = servers.map((server) => known.get(server) ?? newlyMarked());
    for (const state of states) Object.assign(state, { isBusy: true, isMarkedAgain: false });
    await sync(servers);
    for (const [index, state] of states.entries()) {
      Object.assign(state, { isBusy: false, timer: undefined, lastEndMs: Date.now() });
      const server = servers[index];
      if (state.isMarkedAgain && server !== undefined) mark(server);
    }
  };

  return {
    mark,
    close: async () => {
      isClosed = true;
      for (const { timer } of known.values()) clearTimeout(timer);
      await Promise.all(running);
    },
  };
}

function newlyMarked(): Marked {
  return { timer: undefined, isBusy: false, isMarkedAgain: false, settleMs: 0, lastEndMs: 0 };
}
