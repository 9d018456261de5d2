/*
 * The process that is killed: `node host.mjs <workspace> <trust digest> <JSON>`, where the JSON is {text, args} for a new run, or
 * {resume: runId}. Prints `begin` when it is about to run, then the report, or {error: {code}}.
 */
import { openWorkspace } from "../../dist/index.js";

const [root = "", trust = "", words = "{}"] = process.argv.slice(2);
const { text, args, resume } = JSON.parse(words);
const workspace = await openWorkspace(root, { trust });
process.stdout.write("begin\n");
try {
  const report =
    resume === undefined
      ? await workspace.run({ path: undefined, name: "crash.ts", text }, { args })
      : await workspace.resume(resume);
  process.stdout.write(`${JSON.stringify(report)}\n`);
} catch (error) {
  process.stdout.write(`${JSON.stringify({ error: { code: error.code, message: error.message } })}\n`);
}
await workspace.close();
