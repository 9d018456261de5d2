// Proves that generated types say what the schemas say, and what they cost. For each schema of a corpus: valid instances and
// ones with one mistake, Ajv as the judge of what is valid, tsc as the judge of what the type accepts, all as literals in one
// program a column. Prints soundness, precision by kind of mistake, and tokens; the same for two other generators.
// Usage: node bench/fidelity.mjs [folder] [--seed N] [--valid N] [--mistakes N] [--only-own] [--list]
//        default folder: ../shared/corpus/servers; needs a build (dist/)
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { libraryColumn, mcporterColumn, ownColumn } from "./fidelity/columns.mjs";
import { makeInstance } from "./fidelity/instances.mjs";
import { judgeOf } from "./fidelity/judge.mjs";
import { KINDS, makeMistakes } from "./fidelity/mistakes.mjs";
import { judgeByCompiler } from "./fidelity/programs.mjs";
import { randomOf } from "./fidelity/random.mjs";
import { isObject, UnknownReference } from "./fidelity/schemas.mjs";

const { values: flags, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seed: { type: "string", default: "20261130" },
    valid: { type: "string", default: "6" },
    mistakes: { type: "string", default: "2" },
    "only-own": { type: "boolean", default: false },
    list: { type: "boolean", default: false },
  },
});
const root = fileURLToPath(new URL("..", import.meta.url));
const corpus = resolve(positionals[0] ?? join(root, "../shared/corpus/servers"));
if (!existsSync(corpus)) {
  console.log(`fidelity: skipped, there is no folder ${positionals[0] ?? "../shared/corpus/servers"}`);
  process.exit(0);
}
const [seed, validWanted, mistakesWanted] = [flags.seed, flags.valid, flags.mistakes].map(Number);

/** Targets of the project; a run that misses one of its own ends with exit code 1. */
const TARGETS = { soundness: 99.99, precision: 99.8, kind: 98, tokens: 0.8, median: 0.9, largest: 12_000 };

const servers = readServers();
const cases = makeCases();
const columns = [await ownColumn(servers)];
const notes = [];
if (!flags["only-own"]) {
  columns.push(await libraryColumn(servers));
  const mcporter = await mcporterColumn(servers);
  if (typeof mcporter === "string") notes.push(mcporter);
  else columns.push(mcporter);
}
const results = [];
for (const column of columns) results.push(await measure(column));
print();

function readServers() {
  return readdirSync(corpus)
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((file) => {
      const name = basename(file, ".json");
      const byName = new Map();
      for (const tool of JSON.parse(readFileSync(join(corpus, file), "utf8")).tools ?? [])
        if (typeof tool?.name === "string" && !byName.has(tool.name)) byName.set(tool.name, tool);
      return { name, tools: [...byName.values()] };
    });
}

/** Literals for all schemas: {server, key, side, kind, value}; `kind` is `valid` or the mistake's. */
function makeCases() {
  const literals = [];
  const counts = { schemas: 0, unusable: [], barren: [] };
  for (const { name, tools } of servers)
    for (const tool of tools)
      for (const side of ["input", "output"]) {
        const schema = tool[`${side}Schema`];
        if (typeof schema !== "object" || schema === null) continue;
        counts.schemas += 1;
        const key = `${name}/${tool.name}`;
        const judge = judgeOf(schema);
        if (typeof judge === "string") {
          counts.unusable.push(`${key} (${side}): ${judge}`);
          continue;
        }
        const random = randomOf(seed, `${key} ${side}`);
        const valid = [];
        const seen = new Set();
        for (let attempt = 0; attempt < validWanted * 4 && valid.length < validWanted; attempt += 1) {
          const mode = attempt === 0 ? "least" : attempt === 1 ? "most" : "some";
          const instance = attemptInstance(schema, random, mode);
          if (instance === undefined) break;
          const text = JSON.stringify(instance.value);
          // Arguments and structured answers are objects (MCP, `tools/call`), whatever a schema says.
          if (seen.has(text) || !isObject(instance.value) || !judge(instance.value)) continue;
          seen.add(text);
          valid.push(instance);
        }
        if (valid.length === 0) counts.barren.push(`${key} (${side})`);
        for (const { value } of valid) literals.push({ server: name, key, side, kind: "valid", value });
        for (const [kind, values] of makeMistakes(schema, valid, random, mistakesWanted)) {
          const wrong = values.filter(
            (value) => isObject(value) && !seen.has(JSON.stringify(value)) && !judge(value),
          );
          for (const value of wrong.slice(0, mistakesWanted))
            literals.push({ server: name, key, side, kind, value });
        }
      }
  return { literals, counts };
}

function attemptInstance(schema, random, mode) {
  try {
    return makeInstance(schema, random, mode);
  } catch (error) {
    if (error instanceof UnknownReference) return undefined;
    throw error;
  }
}

async function measure(column) {
  const groups = servers.map(({ name }) => ({
    name: name.replace(/[^\w-]/g, "_"),
    head: column.heads.get(name) ?? [],
    literals: [],
  }));
  const groupOf = new Map(servers.map(({ name }, index) => [name, groups[index]]));
  for (const [id, { server, key, side, value }] of cases.literals.entries()) {
    const types = column.types.get(key);
    if (types !== undefined) groupOf.get(server).literals.push({ id, type: types[side], value });
  }
  const { refused, errors } = await judgeByCompiler(column.files, groups);
  if (column.apart !== undefined) errors.push(...(await judgeByCompiler(column.apart, [])).errors);
  const judged = new Set(groups.flatMap(({ literals }) => literals.map(({ id }) => id)));
  const kinds = new Map(["valid", ...KINDS].map((kind) => [kind, { total: 0, refused: 0 }]));
  const wrong = [];
  for (const [id, literal] of cases.literals.entries()) {
    if (!judged.has(id)) continue;
    const count = kinds.get(literal.kind);
    count.total += 1;
    if (refused.has(id)) count.refused += 1;
    if (refused.has(id) === (literal.kind === "valid"))
      wrong.push({ ...literal, error: refused.get(id) ?? "accepted" });
  }
  const percent = (part, whole) => (whole === 0 ? 100 : (100 * part) / whole);
  const valid = kinds.get("valid");
  const byKind = KINDS.map((kind) => percent(kinds.get(kind).refused, kinds.get(kind).total));
  return {
    column,
    errors,
    wrong,
    kinds,
    soundness: percent(valid.total - valid.refused, valid.total),
    byKind,
    precision: byKind.reduce((sum, value) => sum + value, 0) / byKind.length,
    ...tokensOf(column),
  };
}

function tokensOf(column) {
  const options = { allowedSpecial: new Set(), disallowedSpecial: new Set() };
  let json = 0;
  const ratios = [];
  let largest = 0;
  for (const { name, tools } of servers)
    for (const { name: tool, description, inputSchema, outputSchema } of tools) {
      const before = countTokens(
        JSON.stringify({ name: tool, description, inputSchema, outputSchema }),
        options,
      );
      json += before;
      const text = column.texts.get(`${name}/${tool}`);
      if (text === undefined) continue;
      const after = countTokens(text, options);
      largest = Math.max(largest, after);
      ratios.push(after / before);
    }
  const total = [...column.texts.values()].reduce((sum, text) => sum + countTokens(text, options), 0);
  ratios.sort((a, b) => a - b);
  return { json, ratio: total / json, median: ratios[Math.floor(ratios.length / 2)], largest };
}

function print() {
  const { counts, literals } = cases;
  const count = (kind) => literals.filter((literal) => literal.kind === kind).length;
  const shown = positionals[0] ?? "../shared/corpus/servers";
  console.log(
    `corpus ${shown}: ${servers.length} servers, ${servers.reduce((sum, { tools }) => sum + tools.length, 0)} tools, ${counts.schemas} schemas; seed ${seed}`,
  );
  console.log(`literals: ${["valid", ...KINDS].map((kind) => `${kind} ${count(kind)}`).join(", ")}`);
  if (counts.unusable.length > 0)
    console.log(`schemas that Ajv refuses, not judged: ${counts.unusable.length}`);
  if (counts.barren.length > 0)
    console.log(`schemas for which no valid instance was found: ${counts.barren.length}`);
  if (flags.list) for (const line of [...counts.unusable, ...counts.barren]) console.log(`  ${line}`);
  const row = (name, cell) =>
    console.log(name.padEnd(34) + results.map((result) => cell(result).padStart(28)).join(""));
  console.log("");
  row("", ({ column }) => column.name);
  row("soundness: valid accepted, %", ({ soundness }) => soundness.toFixed(3));
  row("precision: mistakes refused, %", ({ precision }) => precision.toFixed(2));
  for (const [index, kind] of KINDS.entries()) row(`  ${kind}`, ({ byKind }) => byKind[index].toFixed(2));
  row("type errors in generated files", ({ errors }) => String(errors.length));
  row("stray statements", ({ column }) => String(column.strayStatements ?? "-"));
  row("tokens, sum / JSON definitions", ({ ratio }) => ratio.toFixed(3));
  row("tokens, median tool", ({ median }) => (median === undefined ? "-" : median.toFixed(3)));
  row("tokens, largest tool", ({ largest }) => (largest === 0 ? "-" : String(largest)));
  for (const note of [
    ...notes,
    ...columns.flatMap(({ name, notes: own }) => own.map((one) => `${name}: ${one}`)),
  ])
    console.log(note);
  const [own] = results;
  const faults = own.wrong.filter(({ kind }) => kind === "valid");
  if (faults.length > 0) console.log(`\nvalid values that the types of mcpfs refuse: ${faults.length}`);
  for (const { key, side, value, error } of faults.slice(0, flags.list ? Infinity : 20))
    console.log(`  ${key} (${side}): ${error}\n    ${JSON.stringify(value).slice(0, 300)}`);
  if (flags.list)
    for (const { kind, key, side, value } of own.wrong.filter((one) => one.kind !== "valid"))
      console.log(`  ${kind}, accepted: ${key} (${side}): ${JSON.stringify(value).slice(0, 300)}`);
  for (const error of own.errors.slice(0, 20)) console.log(`  ${error}`);
  const missed = [
    own.soundness < TARGETS.soundness && `soundness below ${TARGETS.soundness} %`,
    own.precision < TARGETS.precision && `precision below ${TARGETS.precision} %`,
    ...KINDS.map((kind, index) => own.byKind[index] < TARGETS.kind && `"${kind}" below ${TARGETS.kind} %`),
    own.errors.length > 0 && "type errors",
    own.column.strayStatements > 0 && "stray statements",
    own.ratio > TARGETS.tokens && `tokens above ${TARGETS.tokens} of the definitions`,
    own.median > TARGETS.median && `median tool above ${TARGETS.median}`,
    own.largest >= TARGETS.largest && `a tool of ${TARGETS.largest} tokens or more`,
  ].filter((one) => one !== false);
  console.log(missed.length === 0 ? "\nall targets are met" : `\nmissed: ${missed.join(", ")}`);
  process.exitCode = missed.length === 0 ? 0 : 1;
}
