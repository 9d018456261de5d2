import { readFileSync, writeFileSync } from "node:fs";
import { PEERS } from "./peers.mjs";

const docs = new URL("../../docs/conformance.md", import.meta.url);
const START = "<!-- table: npm run conformance -- --write -->";
const END = "<!-- end of table -->";

/** Stands for our word where nothing was run. */
export const NOT_RUN = "not run";

/** Right of all that apply, by family and in all. */
export function printTable(probes, results) {
  console.log("");
  for (const line of summary(probes, results)) console.log(line);
  for (const probe of probes) {
    const { ours } = results.get(probe.id);
    if (ours !== "" && ours !== NOT_RUN) console.log(`! ${probe.family}/${probe.id}: ${ours}`);
  }
}

/** Puts summary and table between the two marks of docs/conformance.md. */
export function writeTable(probes, results) {
  const text = readFileSync(docs, "utf8");
  const [before] = text.split(START);
  const [, after] = text.split(END);
  const table = [START, "", ...summary(probes, results), "", ...rows(probes, results), "", END];
  writeFileSync(docs, before + table.join("\n") + after);
}

/** What the page says already: for each probe our word, and those of the peers by their keys. */
export function readTable() {
  const known = new Map();
  let names = [];
  for (const line of readFileSync(docs, "utf8").split("\n")) {
    const [id, ...words] = line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim());
    if (id === "probe") names = words;
    else if (names.length > 0 && words.length === names.length && !id.startsWith("-")) {
      const wordOf = (name) => words[names.indexOf(name)];
      const peers = PEERS.filter(({ name }) => names.includes(name)).map(({ key, name }) => [
        key,
        wordOf(name),
      ]);
      known.set(id, { ours: wordOf("mcpfs"), peers: Object.fromEntries(peers) });
    }
  }
  return known;
}

/** Peers that were asked anything. */
function columns(probes, results) {
  return PEERS.filter((peer) => probes.some((probe) => results.get(probe.id).peers[peer.key] !== undefined));
}

function summary(probes, results) {
  const peers = columns(probes, results);
  const families = [...new Set(probes.map((probe) => probe.family))];
  const line = (cells) => `| ${cells.join(" | ")} |`;
  const counted = (list, word) => {
    const applying = list.filter((probe) => word(probe) !== "n/a");
    const right = applying.filter((probe) => word(probe) === "right").length;
    return applying.length === 0 ? "–" : `${right} of ${applying.length}`;
  };
  const cells = (list) => [
    counted(list, (probe) => ourWord(results.get(probe.id))),
    ...peers.map((peer) => counted(list, (probe) => results.get(probe.id).peers[peer.key] ?? "n/a")),
  ];
  return [
    line(["family", "mcpfs", ...peers.map((peer) => `${peer.name} ${peer.version}`)]),
    line(["---", ...["", ...peers].map(() => "---")]),
    ...families.map((family) => line([family, ...cells(probes.filter((probe) => probe.family === family))])),
    line(["**all**", ...cells(probes).map((cell) => `**${cell}**`)]),
  ];
}

function ourWord({ ours }) {
  if (ours === NOT_RUN) return "n/a";
  return ours === "" ? "right" : "wrong";
}

function rows(probes, results) {
  const peers = columns(probes, results);
  const line = (cells) => `| ${cells.join(" | ")} |`;
  return [
    line(["probe", "mcpfs", ...peers.map((peer) => peer.name)]),
    line(["---", ...["", ...peers].map(() => "---")]),
    ...probes.map((probe) => {
      const { ours, peers: words } = results.get(probe.id);
      return line([probe.id, ourWord({ ours }), ...peers.map((peer) => words[peer.key] ?? "n/a")]);
    }),
  ];
}
