import type { ToldRun } from "../engine/past/runs.ts";
import { type TimedCall, timedCalls } from "../engine/run/timed-calls.ts";
import { type Json, stringifyJson } from "../kernel/json.ts";
import { count } from "../kernel/text.ts";
import { htmlPage, htmlText } from "./html-page.ts";

/** One run as a page of HTML. Secrets were hidden when it was recorded. */
export function runPage({ past, events, report, isRunning }: ToldRun): string {
  const { calls, totalMs } = timedCalls(past, events);
  const { runId, caller, atMs } = past.run;
  const facts = [
    ["run", runId],
    ["started", new Date(atMs).toISOString()],
    ["by", `${caller} ${past.script.script}`],
    ["took", `${(totalMs / 1_000).toFixed(3)} s`],
    ["ended", isRunning ? "it still goes on" : report.kind],
    [
      "calls",
      `${count(report.calls.total, "call")}: ${report.calls.ok} done, ${report.calls.failed} failed, ${report.calls.unknown} unknown`,
    ],
    ...(report.next === null ? [] : [["go on", report.next]]),
  ];
  const error =
    report.error === null
      ? ""
      : `<section class="error"><h2>${text(report.error.code)}</h2><pre>${text(report.error.message)}</pre><p>${text(report.error.hint)}</p></section>`;
  const output = report.output.length === 0 ? "" : folded("Output", report.output.join("\n"));
  const value =
    report.value === undefined || report.value === null ? "" : folded("Value", pretty(report.value));
  const body = `<h1>${text(past.script.script)}</h1>
<dl>${facts.map(([name = "", fact = ""]) => `<dt>${text(name)}</dt><dd>${text(fact)}</dd>`).join("")}</dl>
${error}
<section class="calls">
${calls.map((call) => callRow(call, totalMs)).join("\n")}
</section>
${value}
${output}
${folded("Script", past.script.text)}`;
  return htmlPage({ title: `${runId} ${past.script.script}`, style: STYLE, body });
}

function callRow({ made, startMs, tookMs, bytes, place }: TimedCall, totalMs: number): string {
  const percent = (ms: number): string => `${((ms / Math.max(1, totalMs)) * 100).toFixed(2)}%`;
  const widthMs = tookMs ?? (made.sentMs === undefined ? 0 : totalMs - startMs);
  const facts = `${(startMs / 1_000).toFixed(3)} s${tookMs === undefined ? "" : ` · took ${(tookMs / 1_000).toFixed(3)} s`}${bytes === undefined ? "" : ` · ${count(bytes, "byte")}`}`;
  const given = made.answer?.error ?? made.answer?.value;
  const name = `${made.call} ${made.server}/${made.tool}`;
  return `<details class="${made.effect} ${place}"><summary><span class="name">${text(name)}</span><span class="lane"><i style="left:${percent(startMs)};width:${percent(widthMs)}"></i></span><span class="what">${text(made.effect)}</span></summary>
<p>${text(facts)} · ${text(made.risk)}</p>
<h3>Arguments</h3><pre>${text(pretty(made.arguments))}</pre>
${given === undefined ? "" : `<h3>Answer</h3><pre>${text(pretty(given as Json))}</pre>`}</details>`;
}

function folded(title: string, content: string): string {
  return `<details class="part"><summary>${text(title)}</summary><pre>${text(content)}</pre></details>`;
}

/** A page of a hundred such texts still opens. */
const MAX_TEXT = 100_000;

function pretty(value: Json): string {
  try {
    return JSON.stringify(value, null, 2);
  } catch {
    // A long integer is no number of JavaScript.
    return stringifyJson(value);
  }
}

function text(raw: string): string {
  const whole = raw.length <= MAX_TEXT ? raw : `${raw.slice(0, MAX_TEXT)}… (${raw.length} characters)`;
  return htmlText(whole);
}

const STYLE = `
:root { color-scheme: light dark; font: 14px/1.45 system-ui, sans-serif; --done: #2a7de1; --bad: #d33; --odd: #d98200; --line: #8884; }
body { max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.3rem; } h2, h3 { font-size: 1rem; margin: .5rem 0 0; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; } dt { opacity: .7; } dd { margin: 0; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: #8881; padding: .5rem; border-radius: .3rem; max-height: 30rem; overflow: auto; }
.error { border-left: .3rem solid var(--bad); padding-left: 1rem; }
.calls { border-top: 1px solid var(--line); margin: 1rem 0; }
.calls details { border-bottom: 1px solid var(--line); border-left: .25rem solid transparent; padding-left: .3rem; }
.calls .first, .calls .between, .calls .last { border-left-color: var(--line); }
.calls summary { display: grid; grid-template-columns: 18rem 1fr 6rem; gap: .7rem; align-items: center; cursor: pointer; padding: .15rem 0; }
.name { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.lane { position: relative; height: .8rem; background: #8881; }
.lane i { position: absolute; top: 0; bottom: 0; min-width: 2px; background: var(--done); }
.failed .lane i, .failed .what { background: var(--bad); } .unknown .lane i { background: var(--odd); }
.failed .what, .unknown .what { background: none; font-weight: bold; }
.part { margin: .5rem 0; }
`;
