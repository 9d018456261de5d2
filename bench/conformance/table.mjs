import { readFileSync, writeFileSync } from "node:fs";
import { PEERS } from "./peers.mjs";

const docs = new URL("../../docs/conformance.md", import.meta.url);
const START = "<!-- table: npm run conformance -- --write -->";
const END = "<!-- end of table -->";

/** Right of all that apply, by family and in all. */
export function printTable(probes, results, installed) {
  console.log("");
  for (const line of summary(probes, results, installed)) console.log(line);
  for (const probe of probes) {
    const { ours } = results.get(probe.id);
    if (ours !== "") console.log(`! ${probe.family}/${probe.id}: ${ours}`);
  }
}

/** Puts summary and table between the two marks of docs/conformance.md. */
export function writeTable(probes, results, installed) {
  const text = readFileSync(docs, "utf8");
  const [before] = text.split(START);
  const [, after] = text.split(END);
  const table = [
    START,
    "",
    ...summary(probes, results, installed),
    "",
    ...rows(probes, results, installed),
    "",
    END,
  ];
  writeFileSync(docs, before + table.join("\n") + after);
}

function columns(installed) {
  return PEERS.filter((peer) => installed.get(peer.key)?.folder !== undefined);
}

function summary(probes, results, installed) {
  const peers = columns(installed);
  const families = [...new Set(probes.map((probe) => probe.family))];
  const line = (cells) => `| ${cells.join(" | ")} |`;
  const counted = (list, word) => {
    const applying = list.filter((probe) => word(probe) !== "n/a");
    const right = applying.filter((probe) => word(probe) === "right").length;
    return applying.length === 0 ? "–" : `${right} of ${applying.length}`;
  };
  const cells = (list) => [
    counted(list, (probe) => (results.get(probe.id).ours === "" ? "right" : "wrong")),
    ...peers.map((peer) => counted(list, (probe) => results.get(probe.id).peers[peer.key] ?? "n/a")),
  ];
  return [
    line(["family", "mcpfs", ...peers.map((peer) => `${peer.name} ${peer.version}`)]),
    line(["---", ...["", ...peers].map(() => "---")]),
    ...families.map((family) => line([family, ...cells(probes.filter((probe) => probe.family === family))])),
    line(["**all**", ...cells(probes).map((cell) => `**${cell}**`)]),
  ];
}

function rows(probes, results, installed) {
  const peers = columns(installed);
  const line = (cells) => `| ${cells.join(" | ")} |`;
  return [
    line(["probe", "mcpfs", ...peers.map((peer) => peer.name)]),
    line(["---", ...["", ...peers].map(() => "---")]),
    ...probes.map((probe) => {
      const { ours, peers: words } = results.get(probe.id);
      return line([
        probe.id,
        ours === "" ? "right" : "wrong",
        ...peers.map((peer) => words[peer.key] ?? "n/a"),
      ]);
    }),
  ];
}
