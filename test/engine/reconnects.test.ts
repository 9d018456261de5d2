import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createReconnects } from "../../src/engine/watch/reconnects.ts";
import { DOWN_AFTER } from "../../src/mcp/place.ts";
import type { ServerName } from "../../src/model/names.ts";

const crm = "crm" as ServerName;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** When the tries came, in milliseconds, while each of them failed. */
function triesOf(count: number, random: number): number[] {
  const tries: number[] = [];
  const start = Date.now();
  const reconnects = createReconnects(
    (server) => {
      tries.push(Date.now() - start);
      reconnects.failed(server);
    },
    () => random,
  );
  reconnects.failed(crm);
  while (tries.length < count) vi.advanceTimersToNextTimer();
  reconnects.close();
  return tries;
}

test("waits double, up to five minutes", () => {
  const tries = triesOf(13, 0);
  expect(tries.slice(0, 7)).toEqual([250, 750, 1_750, 3_750, 7_750, 15_750, 31_750]);
  expect((tries[12] ?? 0) - (tries[11] ?? 0)).toBe(300_000);
});

test("waits are spread by up to a half", () => {
  expect(triesOf(2, 1)).toEqual([375, 1_125]);
});

test("a server that goes on failing is down once; one that stayed for a while starts anew", () => {
  const reconnects = createReconnects(() => {});
  for (let failure = 1; failure <= DOWN_AFTER + 2; failure += 1) expect(reconnects.failed(crm)).toBe(failure);
  expect(reconnects.back(crm)).toBe(true);
  expect(reconnects.back(crm)).toBe(false);
  expect(reconnects.isAway(crm)).toBe(false);
  expect(reconnects.failed(crm)).toBe(DOWN_AFTER + 3);
  reconnects.back(crm);
  vi.advanceTimersByTime(6_000);
  expect(reconnects.failed(crm)).toBe(1);
  reconnects.close();
  expect(vi.getTimerCount()).toBe(0);
});
