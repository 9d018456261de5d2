import type { ServerLink } from "../mcp/server-link.ts";
import type { ServerName } from "../model/names.ts";

/** Knows which servers have a request open, so that a connection is not closed under one. */
export interface OpenRequests {
  /** The same link, its requests counted; one object for one link. */
  readonly track: (link: ServerLink) => ServerLink;
  readonly isBusy: (server: ServerName) => boolean;
  /** Resolves when the server has no request open. */
  readonly quiet: (server: ServerName) => Promise<void>;
}

/** Creates the count. @param onQuiet called each time that a server's last open request has ended */
export function createOpenRequests(onQuiet: (server: ServerName) => void): OpenRequests {
  const open = new Map<ServerName, number>();
  const waiting = new Map<ServerName, (() => void)[]>();
  const tracked = new WeakMap<ServerLink, ServerLink>();

  const counted =
    <Given extends readonly unknown[], Result>(
      server: ServerName,
      work: (...given: Given) => Promise<Result>,
    ): ((...given: Given) => Promise<Result>) =>
    async (...given) => {
      open.set(server, (open.get(server) ?? 0) + 1);
      try {
        return await work(...given);
      } finally {
        const left = (open.get(server) ?? 1) - 1;
        open.set(server, left);
        if (left === 0) {
          for (const resolve of waiting.get(server) ?? []) resolve();
          waiting.delete(server);
          onQuiet(server);
        }
      }
    };

  return {
    track: (link) => {
      const { server } = link;
      const made = tracked.get(link) ?? {
        ...link,
        listTools: counted(server, link.listTools),
        listOffers: counted(server, link.listOffers),
        callTool: counted(server, link.callTool),
        readResource: counted(server, link.readResource),
        listResources: counted(server, link.listResources),
        getPrompt: counted(server, link.getPrompt),
      };
      tracked.set(link, made);
      return made;
    },
    isBusy: (server) => (open.get(server) ?? 0) > 0,
    quiet: (server) =>
      new Promise((resolve) => {
        if ((open.get(server) ?? 0) === 0) resolve();
        else waiting.set(server, [...(waiting.get(server) ?? []), resolve]);
      }),
  };
}
