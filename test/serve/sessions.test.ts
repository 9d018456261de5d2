import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { ServeConfig } from "../../src/config/parse-serve.ts";
import { DEFAULT_LIMITS } from "../../src/model/run.ts";
import type { ServedTool } from "../../src/protocol/served.ts";
import { createClients } from "../../src/serve/clients.ts";
import { createSessions } from "../../src/serve/sessions.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const AN_HOUR_MS = 3_600_000;
const serve: ServeConfig = {
  mode: "code",
  appends: false,
  results: "text",
  approvals: "person",
  hosts: [],
  origins: [],
  clients: [],
  oauth: undefined,
  problem: undefined,
  secrets: [],
};

test("a client that only listens is told when the list that was kept for it goes, and of changes before", () => {
  const told: string[] = [];
  let own: readonly ServedTool[] = [];
  const sessions = createSessions({
    permitted: () => [],
    denied: () => new Set(),
    config: () => serve,
    cost: () => ({ tools: 0, tokens: 0, percent: 0, recommended: "code" }),
    ownTools: () => own,
    onListChange: (key) => void told.push(key),
  });
  const clients = createClients(
    () => serve,
    () => DEFAULT_LIMITS,
  );
  const open = (identity: string, isLasting: boolean): void =>
    void sessions.open({ identity, key: identity, isLasting }, clients.of(identity));
  open("listener", false);
  open("session", true);
  own = [{ name: "new", inputSchema: {} }];
  sessions.update();
  expect(told.splice(0)).toEqual(["listener", "session"]);
  vi.advanceTimersByTime(AN_HOUR_MS);
  open("other", false);
  expect(told).toEqual(["listener"]);
});
