// Reads the tree of the chaos run all the time, as an agent would while it is written, and tells its parent of everything that is
// not whole: an empty or half-written file, and an index that names a file that is not there. Argument in the environment: CHAOS_ROOT.
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { transform } from "esbuild";

process.on("disconnect", () => process.exit(0));
const root = process.env.CHAOS_ROOT ?? "";
const seen = new Map();
const OWN = [".ts", ".json", ".md"];
const FIXED = [
  "mcpfs.lock.json",
  "mcpfs.learned.json",
  "AGENTS.md",
  "client.ts",
  "sandbox.d.ts",
  "tsconfig.json",
];
let reads = 0;

const textOf = (path) => {
  try {
    return readFileSync(path, "utf8");
  } catch {
    // Gone between two looks.
    return undefined;
  }
};

/** @returns what is wrong with a file, or undefined */
async function faultOf(path, text) {
  if (text === "") return "is empty";
  if (!text.endsWith("\n")) return "does not end with a line";
  try {
    if (path.endsWith(".json")) JSON.parse(text);
    else if (path.endsWith(".ts")) await transform(text, { loader: "ts" });
  } catch (error) {
    return `cannot be read: ${error.message}`;
  }
  return undefined;
}

/** An index may name only what is there; looked at twice, since a whole change may lie between the two looks. */
function missingOf(path) {
  const names = [...(textOf(path) ?? "").matchAll(/from "\.\/([^"]+)"/g)].map(([, name]) => name);
  return names.filter((name) => !existsSync(join(path, "..", `${name.replace(/\.[jt]s$/, "")}.ts`)));
}

async function look(path) {
  let stat;
  try {
    stat = statSync(path);
  } catch {
    return;
  }
  const stamp = `${stat.ino} ${stat.mtimeMs} ${stat.size}`;
  if (seen.get(path) === stamp) return;
  seen.set(path, stamp);
  const text = textOf(path);
  if (text === undefined) return;
  reads += 1;
  const fault = await faultOf(path, text);
  if (fault !== undefined) process.send?.({ kind: "violation", what: `${path} ${fault}` });
  if (!path.endsWith("index.ts")) return;
  const missing = missingOf(path);
  if (missing.length === 0) return;
  const still = missingOf(path).filter((name) => missing.includes(name));
  if (still.length > 0 && textOf(path) === text)
    process.send?.({ kind: "violation", what: `${path} names ${still.join(", ")}, which is not there` });
}

for (;;) {
  let files = [];
  try {
    files = readdirSync(join(root, "servers"), { recursive: true }).map((name) =>
      join(root, "servers", name),
    );
  } catch {
    // Not there yet.
  }
  for (const path of [...files, ...FIXED.map((name) => join(root, name))])
    if (OWN.some((end) => path.endsWith(end))) await look(path);
  process.send?.({ kind: "reads", reads });
  await pause(15);
}
