import type { ServerName } from "../../model/names.ts";

/** Knows which servers have a request open, so that a connection is not closed under one. */
export interface OpenRequests {
  /** Does `work` and counts it as a request to the server. */
  readonly during: <T>(server: ServerName, work: () => Promise<T>) => Promise<T>;
  readonly isBusy: (server: ServerName) => boolean;
  /** Resolves when the server has no request open. */
  readonly quiet: (server: ServerName) => Promise<void>;
}

/** Creates the count. @param onQuiet called each time that a server's last open request has ended */
export function createOpenRequests(onQuiet: (server: ServerName) => void): OpenRequests {
  const open = new Map<ServerName, number>();
  const waiting = new Map<ServerName, (() => void)[]>();
  const isBusy = (server: ServerName): boolean => open.has(server);

  const end = (server: ServerName): void => {
    const left = (open.get(server) ?? 1) - 1;
    if (left > 0) {
      open.set(server, left);
      return;
    }
    open.delete(server);
    for (const resolve of waiting.get(server) ?? []) resolve();
    waiting.delete(server);
    onQuiet(server);
  };

  return {
    during: async (server, work) => {
      open.set(server, (open.get(server) ?? 0) + 1);
      try {
        return await work();
      } finally {
        end(server);
      }
    },
    isBusy,
    quiet: (server) =>
      new Promise((resolve) => {
        if (isBusy(server)) waiting.set(server, [...(waiting.get(server) ?? []), resolve]);
        else resolve();
      }),
  };
}
