/*
 * What ten tasks cost a model through `mcpfs serve`, in mode `code` and in mode `direct`: `npm run bench:serve-tasks`. The agent is
 * simulated: its words are written down in tasks.mjs, everything that it reads comes from the built program and real servers. Of mode
 * `code` it knows the tool list and the instructions; each wrapper that its script uses must stand in what its searches answered.
 * A request to a model holds all that was said before, so input counts again in every turn, as without a cache.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { countTokens } from "gpt-tokenizer";
import { tasksFor } from "./tasks.mjs";

const root = fileURLToPath(new URL("../..", import.meta.url));
const cli = join(root, "dist/cli.js");
const published = (name) =>
  join(root, "node_modules/@modelcontextprotocol", `server-${name}`, "dist/index.js");
const WINDOW = 200_000;

const base = mkdtempSync(join(tmpdir(), "mcpfs-serve-tasks-"));
const env = { ...process.env, MCPFS_HOME: join(base, "home") };
const files = join(base, "notes");
try {
  makeNotes();
  makeWorkspace();
  const rows = [];
  for (const task of tasksFor(files))
    rows.push({ title: task.title, code: await byCode(task), direct: await byCalls(task) });
  print(rows);
} finally {
  rmSync(base, { recursive: true, force: true });
}

function makeNotes() {
  mkdirSync(files, { recursive: true });
  for (let note = 1; note <= 12; note += 1)
    writeFileSync(
      join(files, `note-${note}.md`),
      `# Note ${note}\n\n${`Line of note ${note}, about nothing much. `.repeat(20 + note * 3)}\n`,
    );
}

function makeWorkspace() {
  const server = (name, ...args) => ({ command: process.execPath, args: [published(name), ...args] });
  const mcpServers = {
    crm: { builtin: "crm" },
    docs: { builtin: "docs" },
    files: server("filesystem", files),
    memory: { ...server("memory"), env: { MEMORY_FILE_PATH: join(base, "memory.json") } },
    everything: server("everything"),
  };
  writeFileSync(join(base, "mcpfs.json"), JSON.stringify({ mcpServers, policy: "open" }));
  for (const args of [["trust", "--yes"], ["sync"]]) {
    const { status, stderr } = spawnSync(process.execPath, [cli, "-C", base, ...args], {
      env,
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(stderr);
  }
}

/** A session, and the count of what a model would read and write in it. */
async function converse(mode, ask) {
  const client = new Client({ name: "agent", version: "1.0.0" }, { versionNegotiation: { mode: "legacy" } });
  const args = [cli, "-C", base, "serve", "--mode", mode];
  await client.connect(new StdioClientTransport({ command: process.execPath, args, env, stderr: "ignore" }));
  const { tools } = await client.listTools();
  const shown = tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema }));
  const start = [JSON.stringify(shown), client.getInstructions() ?? "", ask];
  let context = start.reduce((sum, text) => sum + countTokens(text), 0);
  const spent = { turns: 0, input: 0, output: 0, largest: 0 };
  /** One turn of the model: it reads all, and writes this. */
  const write = (text) => {
    spent.turns += 1;
    spent.input += context;
    spent.largest = Math.max(spent.largest, context);
    spent.output += countTokens(text);
    context += countTokens(text);
  };
  const read = (text) => {
    context += countTokens(text);
  };
  const callAll = async (calls) => {
    write(calls.map(({ name, args }) => JSON.stringify({ name, arguments: args })).join("\n"));
    const answers = await Promise.all(
      calls.map(({ name, args }) => client.callTool({ name, arguments: args }, { timeout: 120_000 })),
    );
    return answers.map((answer) => {
      const text = answer.content.map((block) => block.text ?? "").join("\n");
      if (answer.isError) throw new Error(`${calls[0].name}: ${text}`);
      read(answer.structuredContent === undefined ? text : JSON.stringify(answer.structuredContent));
      return answer.structuredContent ?? text;
    });
  };
  return { client, spent, write, callAll };
}

async function byCode({ ask, search, code }) {
  const { client, spent, write, callAll } = await converse("code", ask);
  const found = await callAll(
    search.map(([query, limit]) => ({ name: "search_tools", args: { query, limit, detail: "full" } })),
  );
  const scripts = [code].flat();
  const all = scripts.join("\n");
  for (const [, server, wrapper] of all.matchAll(/\b(\w+)\.(\w+)\(\{?/g))
    if (
      new RegExp(`import \\* as ${server}\\b`).test(all) &&
      !found.some((text) => text.includes(`function ${wrapper}(`))
    )
      throw new Error(`the search did not find ${server}.${wrapper}`);
  let answer = "";
  for (const script of scripts) [answer] = await callAll([{ name: "run_script", args: { code: script } }]);
  write(answer);
  await client.close();
  return { ...spent, answer };
}

async function byCalls({ ask, direct }) {
  const { client, spent, write, callAll } = await converse("direct", ask);
  const answers = [];
  for (const turn of direct) {
    const calls = turn(answers);
    if (calls.length > 0) answers.push(await callAll(calls));
  }
  write("The answer, in a sentence of about the length that the script's value has.");
  await client.close();
  return spent;
}

function print(rows) {
  const cell = ({ turns, input, output, largest }) =>
    `${turns} | ${input.toLocaleString("en-US")}${largest > WINDOW ? " (does not fit)" : ""} | ${output.toLocaleString("en-US")}`;
  console.log("| task | turns, code | tokens in | out | turns, direct | tokens in | out |");
  console.log("| --- | ---: | ---: | ---: | ---: | ---: | ---: |");
  for (const { title, code, direct } of rows) console.log(`| ${title} | ${cell(code)} | ${cell(direct)} |`);
  const fitting = rows.filter(({ direct }) => direct.largest <= WINDOW);
  const sum = (way, key) => fitting.reduce((total, row) => total + row[way][key], 0);
  const total = (way) =>
    ["turns", "input", "output"].map((key) => sum(way, key).toLocaleString("en-US")).join(" | ");
  console.log(`| the ${fitting.length} that both can do | ${total("code")} | ${total("direct")} |`);
  for (const { title, code } of rows) console.error(`${title}: ${code.answer.split("\n").join(" ")}`);
}
