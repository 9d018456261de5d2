import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";

/** The sets of a folder: tools as they are searched, and queries with what is right for each. */
export function readSets(folder) {
  return readdirSync(folder)
    .filter((file) => file.endsWith(".tools.jsonl"))
    .map((file) => {
      const name = basename(file, ".tools.jsonl");
      const tools = linesOf(join(folder, file)).map(searched);
      const queriesFile = join(folder, `${name}.queries.jsonl`);
      const servers = new Set(tools.map((tool) => tool.server));
      const queries = existsSync(queriesFile)
        ? linesOf(queriesFile).flatMap((query) => labelled(query, servers))
        : [];
      return { name, tools, servers, queries };
    });
}

/** All tools of captured servers, one file a server; none where there is no such folder. */
export function readCaptured(folder) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .flatMap((file) => {
      const { tools } = JSON.parse(readFileSync(join(folder, file), "utf8"));
      return tools.map((tool) => searched({ ...tool, server: basename(file, ".json") }));
    });
}

function linesOf(file) {
  return readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
}

function searched({ server, name, title, description, inputSchema, annotations }) {
  return {
    server,
    purpose: "",
    name,
    title: title ?? annotations?.title ?? "",
    description: description ?? "",
    inputSchema: inputSchema ?? {},
  };
}

/** A name may be on several servers: right are those that the label names, else those of the set. Left out: what no tool of the set answers. */
function labelled({ query, gold, goldInTools, goldServers = {}, unresolvedGold = [] }, servers) {
  const known = goldInTools === false ? [] : gold.filter((name) => !unresolvedGold.includes(name));
  if (known.length === 0) return [];
  const isRight = (tool, name) =>
    tool.name === name && (goldServers[name]?.includes(tool.server) ?? servers.has(tool.server));
  return [{ query, gold: known, isRight }];
}
