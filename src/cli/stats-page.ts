import type { Stats } from "../engine/search/stats.ts";
import { oneLine } from "../kernel/text.ts";
import { htmlPage, htmlText } from "./html-page.ts";
import { adviceLines } from "./stats-text.ts";

/** One bar of a chart with its second, lighter one below. */
interface Row {
  readonly label: string;
  readonly before: number;
  readonly after: number;
}

interface Chart {
  readonly title: string;
  readonly before: string;
  readonly after: string;
  readonly rows: readonly Row[];
}

const MAX_ROWS = 30;

/** The page of `mcpfs stats --html`: two charts. */
export function statsPage(stats: Stats): string {
  const advice = adviceLines(stats).map((line) => `<p>${htmlText(line)}</p>`);
  const body = `<h1>mcpfs stats</h1>
${advice.join("\n")}
${chartHtml(serverChart(stats))}
${chartHtml(runChart(stats))}`;
  return htmlPage({ title: "mcpfs stats", style: STYLE, body });
}

function serverChart({ servers }: Stats): Chart {
  return {
    title: "Tokens by server",
    before: "all definitions",
    after: "its index.ts",
    rows: servers
      .toSorted((a, b) => b.definitions - a.definitions)
      .slice(0, MAX_ROWS)
      .map(({ name, definitions, listing }) => ({ label: name, before: definitions, after: listing })),
  };
}

function runChart({ usage }: Stats): Chart {
  return {
    title: "Tokens by run, the latest last (estimated, definitions left out)",
    before: "arguments and results, had each call passed through the model",
    after: "script and answer, which did",
    rows: usage.latest.slice(-MAX_ROWS).map(({ script, tokens }) => ({
      label: script,
      before: tokens.arguments + tokens.results,
      after: tokens.script + tokens.answer,
    })),
  };
}

const WIDTH = 900;
const LABEL_WIDTH = 240;
const FIGURE_WIDTH = 90;
const ROW_HEIGHT = 34;
const BAR_HEIGHT = 11;

function chartHtml({ title, before, after, rows }: Chart): string {
  const head = `<h2>${htmlText(title)}</h2>
<p class="key"><span class="before"></span> ${htmlText(before)} <span class="after"></span> ${htmlText(after)}</p>`;
  if (rows.length === 0) return `${head}\n<p>Nothing so far.</p>`;
  const most = Math.max(1, ...rows.flatMap((row) => [row.before, row.after]));
  const bars = rows.map((row, at) =>
    rowSvg(row, at * ROW_HEIGHT, (WIDTH - LABEL_WIDTH - FIGURE_WIDTH) / most),
  );
  return `${head}
<svg viewBox="0 0 ${WIDTH} ${rows.length * ROW_HEIGHT}" role="img" aria-label="${htmlText(title)}">
${bars.join("\n")}
</svg>`;
}

function rowSvg({ label, before, after }: Row, top: number, perToken: number): string {
  const bar = (kind: string, tokens: number, y: number): string => {
    const width = Math.round(tokens * perToken * 10) / 10;
    const text = `<text class="figure" x="${LABEL_WIDTH + width + 6}" y="${y + BAR_HEIGHT - 2}">${tokens.toLocaleString("en-US")}</text>`;
    return `<rect class="${kind}" x="${LABEL_WIDTH}" y="${y}" width="${width}" height="${BAR_HEIGHT}"/>${text}`;
  };
  const name = `<text x="${LABEL_WIDTH - 8}" y="${top + 18}" text-anchor="end">${htmlText(oneLine(label, 34))}</text>`;
  return `${name}${bar("before", before, top + 3)}${bar("after", after, top + 4 + BAR_HEIGHT)}`;
}

const STYLE =
  "body{font:16px/1.5 system-ui,sans-serif;max-width:960px;margin:2rem auto;padding:0 1rem;color:#222;background:#fff}" +
  "svg{width:100%;height:auto;font-size:12px}svg text{fill:#222}.figure{font-size:10px}" +
  "rect.before,span.before{fill:#8a8f98;background:#8a8f98}rect.after,span.after{fill:#1f6feb;background:#1f6feb}" +
  ".key span{display:inline-block;width:.8em;height:.8em;margin-left:.8em}" +
  "@media(prefers-color-scheme:dark){body{color:#ddd;background:#111}svg text{fill:#ddd}}";
