import { afterAll, beforeAll, expect, test } from "vitest";
import { runCli, writeFiles } from "../cli/run-cli.ts";
import { scripted, temporaryFolder } from "../servers/servers.ts";
import { type Connected, makeServed, overStdio, textOf } from "./served.ts";

const object = { type: "object", properties: { id: { type: "string" } } };
const numbers = Array.from({ length: 12 }, (_, at) => ({
  name: `read_meter_${at}`,
  description: `Reads meter ${at}. Twice.`,
  inputSchema: object,
}));
const mcpServers = {
  meters: scripted({ tools: numbers }),
  bank: scripted({
    tools: [
      {
        name: "pay",
        description: "Pays a bill.",
        inputSchema: object,
        annotations: { destructiveHint: true },
      },
    ],
  }),
};
const folder = temporaryFolder();
let session: Connected;
const search = async (args: object): Promise<string> => await textOf(session.client, "search_tools", args);

beforeAll(async () => {
  await makeServed(folder.path, mcpServers);
  // Nothing listens at this address.
  const models = { embeddings: { url: "http://127.0.0.1:9/v1", model: "none", apiKey: "${NO_KEY}" } };
  writeFiles(folder.path, { "mcpfs.json": { mcpServers, models, serve: { mode: "code" } } });
  await runCli(folder.path, ["sync", "--offline"], { env: { NO_KEY: "k" } });
  session = await overStdio(folder.path, "modern", { env: { NO_KEY: "k" } });
});
afterAll(async () => {
  await session[Symbol.asyncDispose]();
  folder[Symbol.dispose]();
});

// M4
test("hits stand by server, with what they may do; a name, one line, or types", async () => {
  expect(await search({ query: "pay a bill", limit: 1 })).toBe("# bank\nbank__pay (ask): Pays a bill.");
  expect(await search({ query: "pay a bill", limit: 1, detail: "name" })).toBe("# bank\nbank__pay (ask)");
  expect(await search({ query: "pay a bill", limit: 1, detail: "full" })).toMatch(
    /^# bank\nbank__pay \(ask\)\n[\s\S]*id\?: string/,
  );
});

test("no words list a namespace, page by page, each tool once", async () => {
  const seen: string[] = [];
  let offset = 0;
  for (;;) {
    const text = await search({ query: "", server: "meters", limit: 5, offset, detail: "name" });
    seen.push(...text.split("\n").filter((line) => line.startsWith("meters__")));
    const next = /More with offset (\d+)\./.exec(text)?.[1];
    if (next === undefined) break;
    offset = Number(next);
  }
  expect(seen.toSorted()).toEqual(numbers.map(({ name }) => `meters__${name}`).toSorted());
  const all = await search({ query: "", limit: 50, detail: "name" });
  expect(all).toContain("# bank\nbank__pay");
  // What a script has of ours cannot be called from here.
  expect(all).not.toContain("mcpfs");
});

test("a namespace that is none says which are near; a name that is nearly one says which", async () => {
  expect(await search({ query: "", server: "bnak" })).toMatch(/^USAGE: .*\n.*bank/);
  expect(await search({ query: "bank__pya" })).toMatch(/bank__pay/);
  expect(await search({ query: "qqqq wwww zzzz" })).toBe("Nothing found. Use other words, or list_servers.");
});

// M5
test("each query may have its strategy, and one that cannot be used says so and falls back to words", async () => {
  expect(await search({ query: "meter_1$", strategy: "regex", detail: "name" })).toBe(
    "# meters\nmeters__read_meter_1",
  );
  expect(await search({ query: `${".?".repeat(60)}~`, strategy: "regex" })).toMatch(/^USAGE: The pattern/);
  const text = await search({ query: "pay a bill", strategy: "semantic", limit: 1 });
  expect(text).toMatch(/^note: The strategy semantic cannot be used, so keyword was: .*\n# bank\nbank__pay/);
});

test("the command, a script and a client find the same, in the same order", async () => {
  const query = "read meter twice";
  const served = (await search({ query, limit: 8, detail: "name" }))
    .split("\n")
    .filter((line) => !/^#|^More/.test(line));
  const { stdout } = await runCli(folder.path, ["--json", "search", query, "-k", "8"], {
    env: { NO_KEY: "k" },
  });
  expect(JSON.parse(stdout).map(({ wire }: { wire: string }) => wire)).toEqual(served);
  const code = `import { searchTools } from "./servers/mcpfs"; export default (await searchTools({ query: "${query}", limit: 8 })).map(({ wire }) => wire)`;
  expect(JSON.parse(await textOf(session.client, "run_script", { code }))).toEqual(served);
});
