import { afterEach, describe, expect, test, vi } from "vitest";
import type { ServeConfig } from "../../src/config/parse-serve.ts";
import { silentLog } from "../../src/kernel/log.ts";
import type { Served, ServedChange } from "../../src/protocol/served.ts";
import { createHttpGuard } from "../../src/serve/http-guard.ts";
import { type HttpListener, listenOnHttp } from "../../src/serve/http-listener.ts";
import { type AnyClient, type Generation, overHttp } from "./served.ts";

const token = (name: string): string => `token-of-${name}-0123456789`;
const clients = ["ann", "bob"].map((name) => ({
  name,
  token: token(name),
  mode: undefined,
  runsAtOnce: 1,
  limits: {},
}));
const config: ServeConfig = {
  mode: "direct",
  appends: false,
  results: "text",
  approvals: "person",
  hosts: [],
  origins: [],
  clients,
  oauth: undefined,
  problem: undefined,
  secrets: [],
};

/** Something small that is served, with a hand on its changes. */
function somethingServed(): {
  readonly served: Served;
  readonly tell: (change: ServedChange) => void;
  /** Keys of the sessions that were opened, by whose they are. */
  readonly keys: (identity: string) => readonly string[];
  readonly listeners: () => number;
} {
  const listeners = new Set<(change: ServedChange) => void>();
  const opened = new Map<string, string>();
  return {
    served: {
      identity: { name: "small", version: "1.0.0" },
      listTtlMs: 1_000,
      open: ({ identity, key }) => {
        opened.set(key, identity);
        return {
          instructions: "",
          tools: async () => [],
          call: async () => ({ kind: "result", result: { content: [] } }),
          prompts: { list: async () => [], get: async () => ({}) },
        };
      },
      onChange: (listener) => {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
    tell: (change) => {
      for (const listener of listeners) listener(change);
    },
    keys: (identity) => [...opened].filter(([, whose]) => whose === identity).map(([key]) => key),
    listeners: () => listeners.size,
  };
}

const open: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]();
});

async function listen(served: Served, host = "127.0.0.1"): Promise<HttpListener> {
  const options = { host, port: 0, config: () => config, token: undefined, log: silentLog };
  const listener = await listenOnHttp(served, options);
  open.push({ [Symbol.asyncDispose]: listener.close });
  return listener;
}

/** A client that hears of changes, and what it has heard. */
async function hearing(
  url: string,
  name: string,
  generation: Generation,
): Promise<{ readonly client: AnyClient; readonly heard: string[] }> {
  const heard: string[] = [];
  const session = await overHttp(url, generation, { token: token(name) }, (client) => {
    for (const kind of ["tools", "prompts"] as const)
      client.setNotificationHandler(`notifications/${kind}/list_changed`, async () => void heard.push(kind));
  });
  open.push(session);
  const { client } = session;
  if (generation === "modern") await client.listen({ toolsListChanged: true, promptsListChanged: true });
  return { client, heard };
}

describe("a list of tools that has changed", () => {
  test("is told once, and to nobody but the client whose list it is", async () => {
    const { served, tell, keys } = somethingServed();
    const { url } = await listen(served);
    const ann = await hearing(url, "ann", "modern");
    const bob = await hearing(url, "bob", "modern");
    const older = [await hearing(url, "ann", "legacy"), await hearing(url, "ann", "legacy")];
    const all = [ann, bob, ...older];
    // The stream of an older client opens beside its first requests.
    await vi.waitFor(() => {
      tell({ kind: "prompts" });
      expect(all.every(({ heard }) => heard.includes("prompts"))).toBe(true);
    }, 10_000);
    expect(keys("ann").length).toBeGreaterThanOrEqual(3);
    for (const session of keys("ann")) tell({ kind: "tools", session });
    // Whatever was told before has arrived when this has.
    tell({ kind: "resources" });
    tell({ kind: "prompts" });
    const isOver = ({ heard }: { heard: string[] }): boolean => heard.at(-1) === "prompts";
    const toldTools = ({ heard }: { heard: string[] }): number =>
      heard.filter((kind) => kind === "tools").length;
    await vi.waitFor(() => {
      for (const one of [ann, ...older]) expect([toldTools(one), isOver(one)]).toEqual([1, true]);
    }, 10_000);
    expect(toldTools(bob)).toBe(0);
    tell({ kind: "tools" });
    await vi.waitFor(() => {
      expect(all.map(toldTools)).toEqual([2, 1, 2, 2]);
    }, 10_000);
  });

  test("is looked for only while somebody could hear of it", async () => {
    const { served, listeners } = somethingServed();
    const { url } = await listen(served);
    expect(listeners()).toBe(0);
    const session = await overHttp(url, "modern", { token: token("ann") });
    await session.client.listTools();
    expect(listeners()).toBe(0);
    const subscription: any = await session.client.listen({ toolsListChanged: true });
    expect(listeners()).toBe(1);
    await subscription.close();
    await vi.waitFor(() => expect(listeners()).toBe(0), 10_000);
    await session[Symbol.asyncDispose]();
    const older = await overHttp(url, "legacy", { token: token("ann") });
    expect(listeners()).toBe(1);
    await (older.client.transport as any).terminateSession();
    await vi.waitFor(() => expect(listeners()).toBe(0), 10_000);
    await older[Symbol.asyncDispose]();
  });
});

describe("the names of the server", () => {
  test.each([
    ["fd00::5", "[fd00::5]:7090", true],
    ["FD00:0:0::5", "[fd00::5]:7090", true],
    ["fd00::5", "[fd00::6]:7090", false],
    ["0:0:0:0:0:0:0:1", "[::1]:7090", true],
    ["192.168.1.5", "192.168.1.5", true],
    ["Workspace.Example", "workspace.example:80", true],
    ["workspace.example", "evil.example", false],
  ])("%s is asked as %s: %s", (name, host, isTaken) => {
    const guard = createHttpGuard([name], []);
    expect(guard.refuse({ host }) === undefined).toBe(isTaken);
  });

  test("an IPv6 address can be reached at the very URL that is printed", async ({ skip }) => {
    const { served } = somethingServed();
    // The IPv4 address of this machine, written as IPv6; on a machine without IPv6 there is nothing to listen on.
    const listener = await listen(served, "::ffff:127.0.0.1").catch(() => skip());
    await using session = await overHttp(listener.url, "modern", { token: token("ann") });
    expect((await session.client.listTools()).tools).toEqual([]);
  });
});
