import { describe, expect, test } from "vitest";
import type { LedgerRecord, RunRecord } from "../../src/model/ledger.ts";
import { DEFAULT_CONTEXT, recommend } from "../../src/tokens/recommend.ts";
import { summarizeLedger } from "../../src/tokens/summarize-ledger.ts";

// M11
test.each([
  [2_000, "direct", 1],
  [2_001, "discover", 1.0005],
  [10_000, "discover", 5],
  [10_001, "code", 5.0005],
])("%d tokens of definitions in a window of 200,000 are best handed out by %s", (tokens, mode, percent) => {
  expect(recommend(tokens, DEFAULT_CONTEXT)).toEqual({ mode, percent });
});

test("window and limits are the user's", () => {
  const limits = { windowTokens: 1_000_000, directPercent: 2, discoverPercent: 3 };
  expect(recommend(20_000, limits).mode).toBe("direct");
  expect(recommend(31_000, limits).mode).toBe("code");
});

const MINUTE = 60_000;
const search = (minute: number, shown: readonly string[]): LedgerRecord => ({
  kind: "search",
  atMs: minute * MINUTE,
  caller: "host",
  query: "q",
  shown,
  tookMs: minute,
  tokens: 10,
});
const run = (minute: number, called: readonly string[], unknown: readonly string[] = []): RunRecord => ({
  kind: "run",
  atMs: minute * MINUTE,
  runId: `r${minute}`,
  script: "s.ts",
  ended: "ok",
  calls: called.length,
  called,
  unknown,
  tokens: { arguments: 1, results: 100, script: 20, answer: 3, models: 5 },
});

// M27
describe("the ledger as a whole", () => {
  test("sums what runs cost, and what discovery cost", () => {
    const { runs, calls, tokens } = summarizeLedger([
      search(1, ["a"]),
      run(2, ["a", "b"]),
      { kind: "show", atMs: 3 * MINUTE, tool: "a", tokens: 7 },
      run(4, []),
    ]);
    expect({ runs, calls, tokens }).toEqual({
      runs: 2,
      calls: 2,
      tokens: { arguments: 2, results: 200, script: 40, answer: 6, models: 10, discovery: 17 },
    });
  });

  test("a hit is a called tool that a search of the same piece of work had shown", () => {
    const { search: found } = summarizeLedger([
      run(0, ["before-any-search"]),
      search(1, ["a", "b"]),
      run(2, ["a", "missed"]),
      search(3, ["missed"]),
      run(4, ["missed", "b"]),
      // More than half an hour later: another piece of work, without a search.
      run(60, ["a"]),
    ]);
    expect(found).toEqual({
      searches: 2,
      empty: 0,
      medianMs: 1,
      p95Ms: 3,
      calledAfter: 4,
      shownBefore: 3,
    });
  });

  test("unknown names are counted wherever they were used", () => {
    const { unknown } = summarizeLedger([
      { kind: "unknown", atMs: 0, name: "x" },
      run(1, [], ["y", "x"]),
      { kind: "unknown", atMs: 2, name: "x" },
    ]);
    expect(unknown).toEqual([
      { name: "x", times: 3 },
      { name: "y", times: 1 },
    ]);
  });

  test("a server's first listing is no change of its list", () => {
    const list = (tools: number, added: number, changed: number, removed: number): LedgerRecord => ({
      kind: "list",
      atMs: 0,
      server: "crm",
      tools,
      added,
      changed,
      removed,
    });
    expect(summarizeLedger([list(5, 5, 0, 0), list(6, 1, 2, 0), list(5, 0, 0, 1)]).lists).toEqual({
      changes: 2,
      added: 1,
      changed: 2,
      removed: 1,
    });
  });

  test("what clients report is put together, and is null where none does", () => {
    expect(summarizeLedger([]).client).toEqual({ requests: 0, firstTokenMs: null, cachedPercent: null });
    const { client } = summarizeLedger([
      { kind: "client", atMs: 0, firstTokenMs: 900, inputTokens: 1_000, cachedTokens: 750 },
      { kind: "client", atMs: 1, firstTokenMs: 300, inputTokens: 1_000, cachedTokens: 0 },
      { kind: "client", atMs: 2 },
    ]);
    expect(client).toEqual({ requests: 3, firstTokenMs: 300, cachedPercent: 37.5 });
  });
});
