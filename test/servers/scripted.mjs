/*
 * A stdio MCP server whose behaviour is a JSON object: `node scripted.mjs <file.json | JSON text>`.
 * Written without the SDK, so that it starts in milliseconds and can misbehave.
 *
 * What it says of itself
 *   serverInfo, capabilities, protocolVersion, instructions   answered to `initialize` as given;
 *                        the defaults are {name:"scripted",version:"1.0.0"}, {tools:{listChanged:true}}, what the client asked for, none
 *   initialize           {error:{code,message}} | {never:true} | {delayMs:n} | {exit:code, stderr:"text"}
 * What it lists
 *   tools                the elements of tools/list, verbatim
 *   toolsText            the same as literal JSON text (for what a JavaScript value cannot hold)
 *   pages                {start: page, "<cursor>": page, "*": page}: the page for a request without cursor, with that cursor,
 *                        with any other; a page is {tools, nextCursor}, nextCursor may be null, "" or repeat.
 *                        "{n}" inside a cursor or a tool's name becomes the number of the list request, from 1
 *   listError            {code,message}: what tools/list answers
 *   listDelayMs          waits before each page
 *   watchFile            path of a JSON file that holds the tools; a change of the file changes the list and notifies
 * What it answers to tools/call
 *   answers              {tool: answer} or {tool: [answer, …]}: the n-th call gets the n-th, the last repeats. A tool without
 *                        an answer echoes `<tool> <arguments as JSON>` as one text block. An answer has any of
 *     text "…" | result {…} | raw "literal JSON text of the result" | error {code,message,data} | echoLine true (the received line, verbatim)
 *     echoArguments true   the arguments as structuredContent, with the digits they came with
 *     environment true   the server's environment as structuredContent
 *     isError true       with `text`
 *     delayMs n | delayFromArg "ms"   waits so long, or as long as that argument says
 *     progress {everyMs, times}   sends so many progress reports first, when the request carries a token
 *     stderrBytes n      writes so many bytes to stderr, without a newline, before answering
 *     stdoutBefore "…"   writes this to stdout, as it is, before answering
 *     textBytes n        one text block of so many characters
 *     never true         does not answer
 *     exit code | kill "SIGKILL"   ends instead of answering
 *     addTool {…} | removeTool "name"   changes the list and notifies (`silent: true` does not notify), then answers
 *     notifyTimes n      sends list_changed so many times, then answers
 *     notify {method, params}   sends this notification, then answers
 *     ask {method, params}   sends this request and answers with what the client answered, as structuredContent
 *     askThenCancel {method, params}   sends this request, takes it back after 50 ms, then answers
 * How it behaves
 *   banner ["line", …]   lines on stdout before anything else      stderr "text" on start
 *   byteByByte true      answers are flushed byte by byte           crlf true: lines end with \r\n
 *   stringIds true       ids come back as strings                   dieAfter n (dieCode 1): exits after the n-th answer to tools/call
 *   ignoreStdinEnd true  ignoreTerm true                            (also given to the grandchild)
 *   grandchild true | "detached"   starts a process that lives until it is killed, in its group or in one of its own
 *   exitAtOnce code      exits before reading anything
 *   askEvery {everyMs, method, params}   sends this request again and again from the first line it received
 *
 * With SCRIPTED_LOG=<file> in its environment it appends to that file a line `{"event":"start","pid":…}`, one
 * `{"event":"grandchild","pid":…}`, `{"event":"end"}` when stdin ends, and for every line received
 * `{"event":"line","pid":…,"line":"…"}`. `readServerLog()` in servers.ts reads it.
 */
import { spawn } from "node:child_process";
import { appendFileSync, readFileSync, watchFile } from "node:fs";

const given = process.argv[2] ?? "{}";
const spec = JSON.parse(given.trimStart().startsWith("{") ? given : readFileSync(given, "utf8"));
const log = (entry) => {
  if (process.env.SCRIPTED_LOG)
    appendFileSync(
      process.env.SCRIPTED_LOG,
      `${JSON.stringify({ ...entry, pid: entry.pid ?? process.pid })}\n`,
    );
};
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

log({ event: "start" });
if (spec.stderr !== undefined) process.stderr.write(spec.stderr);
if (spec.exitAtOnce !== undefined) process.exit(spec.exitAtOnce);
if (spec.ignoreTerm) process.on("SIGTERM", () => {});
if (spec.grandchild) {
  const script = `${spec.ignoreTerm ? "trap '' TERM; " : ""}while :; do sleep 0.2; done`;
  const child = spawn("/bin/sh", ["-c", script], {
    stdio: "inherit",
    detached: spec.grandchild === "detached",
  });
  child.unref();
  log({ event: "grandchild", pid: child.pid });
}
for (const line of spec.banner ?? []) process.stdout.write(`${line}\n`);

const tools = spec.tools ?? [];
const calls = new Map();
let listRequests = 0;
let answered = 0;

if (spec.watchFile !== undefined) {
  const read = () => tools.splice(0, tools.length, ...JSON.parse(readFileSync(spec.watchFile, "utf8")));
  read();
  watchFile(spec.watchFile, { interval: 50 }, () => {
    try {
      read();
    } catch {
      return; // Half written: the next change tells the rest.
    }
    notifyChanged();
  });
}

let writing = Promise.resolve();
function write(text) {
  writing = writing.then(async () => {
    const line = text + (spec.crlf ? "\r\n" : "\n");
    if (!spec.byteByByte) return void process.stdout.write(line);
    for (const byte of Buffer.from(line)) {
      process.stdout.write(Buffer.from([byte]));
      await new Promise((resolve) => setImmediate(resolve));
    }
  });
  return writing;
}
const idText = (id) => JSON.stringify(spec.stringIds ? String(id) : id);
const sendResult = (id, text) => write(`{"jsonrpc":"2.0","id":${idText(id)},"result":${text}}`);
const sendError = (id, error) =>
  write(`{"jsonrpc":"2.0","id":${idText(id)},"error":${JSON.stringify(error)}}`);
const notify = (method, params) =>
  write(JSON.stringify({ jsonrpc: "2.0", method, ...(params && { params }) }));
const notifyChanged = () => notify("notifications/tools/list_changed");

async function initialize(id, params) {
  const how = spec.initialize ?? {};
  if (how.stderr !== undefined) process.stderr.write(how.stderr);
  if (how.exit !== undefined) process.exit(how.exit);
  if (how.never) return;
  if (how.delayMs !== undefined) await pause(how.delayMs);
  if (how.error !== undefined) return sendError(id, how.error);
  await sendResult(
    id,
    JSON.stringify({
      protocolVersion: spec.protocolVersion ?? params?.protocolVersion,
      capabilities: spec.capabilities ?? { tools: { listChanged: true } },
      serverInfo: spec.serverInfo ?? { name: "scripted", version: "1.0.0" },
      ...(spec.instructions !== undefined && { instructions: spec.instructions }),
    }),
  );
}

async function list(id, cursor) {
  listRequests += 1;
  if (spec.listDelayMs !== undefined) await pause(spec.listDelayMs);
  if (spec.listError !== undefined) return sendError(id, spec.listError);
  if (spec.toolsText !== undefined) return sendResult(id, `{"tools":${spec.toolsText}}`);
  if (spec.pages === undefined) return sendResult(id, JSON.stringify({ tools }));
  const page = (cursor === undefined ? spec.pages.start : spec.pages[cursor]) ?? spec.pages["*"];
  if (page === undefined) return sendError(id, { code: -32602, message: `Unknown cursor ${cursor}` });
  await sendResult(id, JSON.stringify(page).replaceAll("{n}", String(listRequests)));
}

/** The text of a request's arguments: a JavaScript value would lose long integers. */
function argumentsIn(line) {
  const mark = '"arguments":';
  const start = line.indexOf(mark) + mark.length;
  for (let end = line.indexOf("}", start) + 1; end > 0; end = line.indexOf("}", end) + 1) {
    try {
      JSON.parse(line.slice(start, end));
      return line.slice(start, end);
    } catch {
      // A brace inside.
    }
  }
  return "{}";
}

async function call(id, params, line) {
  const made = (calls.get(params.name) ?? 0) + 1;
  calls.set(params.name, made);
  const given = spec.answers?.[params.name];
  const answer = (Array.isArray(given) ? given[Math.min(made, given.length) - 1] : given) ?? {};
  const delayMs = answer.delayFromArg ? params.arguments?.[answer.delayFromArg] : answer.delayMs;
  if (delayMs) await pause(delayMs);
  const token = params._meta?.progressToken;
  for (let step = 1; step <= (answer.progress?.times ?? 0); step += 1) {
    await pause(answer.progress.everyMs);
    if (token !== undefined) notify("notifications/progress", { progressToken: token, progress: step });
  }
  if (answer.stderrBytes) process.stderr.write("e".repeat(answer.stderrBytes));
  if (answer.stdoutBefore !== undefined) process.stdout.write(answer.stdoutBefore);
  if (answer.exit !== undefined) process.exit(answer.exit);
  if (answer.kill !== undefined) return process.kill(process.pid, answer.kill);
  if (answer.addTool !== undefined) tools.push(answer.addTool);
  if (answer.removeTool !== undefined)
    tools.splice(0, tools.length, ...tools.filter((tool) => tool.name !== answer.removeTool));
  if ((answer.addTool ?? answer.removeTool) !== undefined && !answer.silent) notifyChanged();
  for (let time = 0; time < (answer.notifyTimes ?? 0); time += 1) notifyChanged();
  for (const { method, params } of [answer.notify ?? []].flat()) notify(method, params);
  if (answer.ask !== undefined) {
    const { result, error } = await ask(answer.ask);
    return sendResult(id, JSON.stringify({ content: [], structuredContent: { result, error } }));
  }
  if (answer.askThenCancel !== undefined) {
    void ask(answer.askThenCancel);
    await pause(50);
    await notify("notifications/cancelled", { requestId: `ask-${asked}` });
  }
  if (answer.never) return;
  if (answer.error !== undefined) await sendError(id, answer.error);
  else if (answer.raw !== undefined) await sendResult(id, answer.raw);
  else if (answer.echoArguments)
    await sendResult(id, `{"content":[],"structuredContent":${argumentsIn(line)}}`);
  else if (answer.environment)
    await sendResult(id, JSON.stringify({ content: [], structuredContent: process.env }));
  else if (answer.result !== undefined) await sendResult(id, JSON.stringify(answer.result));
  else {
    const text =
      answer.text ??
      (answer.textBytes ? "x".repeat(answer.textBytes) : undefined) ??
      (answer.echoLine ? line : `${params.name} ${JSON.stringify(params.arguments ?? {})}`);
    const content = [{ type: "text", text }];
    await sendResult(id, JSON.stringify({ content, ...(answer.isError && { isError: true }) }));
  }
  answered += 1;
  if (answered === spec.dieAfter) process.stdout.write("", () => process.exit(spec.dieCode ?? 1));
}

const replies = new Map();
let asked = 0;
function ask({ method, params }) {
  asked += 1;
  const id = `ask-${asked}`;
  void write(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
  return new Promise((resolve) => replies.set(id, resolve));
}

function receive(line) {
  log({ event: "line", line });
  const { id, method, params, result, error } = JSON.parse(line);
  if (method === undefined) return replies.get(id)?.({ result, error });
  if (id === undefined) return;
  if (method === "initialize") return initialize(id, params);
  if (method === "ping") return sendResult(id, "{}");
  if (method === "tools/list") return list(id, params?.cursor);
  if (method === "tools/call") return call(id, params ?? {}, line);
  return sendError(id, { code: -32601, message: `Method not found: ${method}` });
}

if (spec.askEvery !== undefined)
  process.stdin.once("data", () => setInterval(() => void ask(spec.askEvery), spec.askEvery.everyMs));

let rest = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop();
  for (const line of lines) if (line.trim() !== "") receive(line);
});
process.stdin.on("end", () => {
  log({ event: "end" });
  if (spec.ignoreStdinEnd) setInterval(() => {}, 1000);
  else process.exit(0);
});
