import { type JsonObject, stableJson } from "../../kernel/json.ts";
import { serverNames } from "../edit-config.ts";
import { variableNames } from "../variables.ts";
import { type ClientFile, findClientFiles, type ImportPlace } from "./find-client-files.ts";
import { hideSecrets } from "./hide-secrets.ts";
import { type JudgedServer, judgeServer, type LeftOut } from "./judge-server.ts";
import type { PlainEntry } from "./place-entry.ts";
import { readClientFile } from "./read-client-file.ts";
import { createVariableNames, type NeededVariable } from "./variable-names.ts";

/** What becomes of one server of a client's config. */
export interface ImportedServer {
  readonly name: string;
  /** The client's file. */
  readonly file: string;
  /** True for a file of the user's own, whose servers are started by a client already. */
  readonly isOwn: boolean;
  /** The entry for `mcpfs.json`, without secrets, or why there is none. */
  readonly outcome:
    | { readonly kind: "taken"; readonly entry: JsonObject }
    | { readonly kind: "left-out"; readonly why: LeftOut };
}

/** An import that is ready to be written. */
export interface ImportPlan {
  readonly servers: readonly ImportedServer[];
  /** What the servers that are taken read from the environment, secrets that stay in the clients' files among them. */
  readonly variables: readonly NeededVariable[];
  /** Sentences about what is odd and does no harm. */
  readonly warnings: readonly string[];
}

/**
 * Reads the configs of MCP clients and prepares their servers for `mcpfs.json`. Nothing is written or started.
 * @param words clients and paths, as `--from` takes them
 * @param configText the text of `mcpfs.json`: its servers stay as they are, and its variables keep their meaning
 * @throws McpfsError USAGE for words that name nothing; CONFIG_INVALID for a file that cannot be read, with its place
 */
export async function planImport(
  words: readonly string[],
  place: ImportPlace,
  configText: string,
): Promise<ImportPlan> {
  const { files, missing } = await findClientFiles(words, place);
  const warnings = missing.map((sentence) => `${sentence}.`);
  const found: FoundServer[] = [];
  for (const file of files) {
    const read = await readClientFile(file);
    warnings.push(...read.warnings);
    if (read.servers.length === 0) warnings.push(`${file.path} has no servers.`);
    for (const server of read.servers)
      found.push({ name: server.name, file, judged: judgeServer(server, { file, read, place }, warnings) });
  }
  const chosen = chooseNames(found, serverNames(configText));
  const names = createVariableNames(place.env);
  names.reserve(configText);
  names.reserve(JSON.stringify(chosen.map(({ judged }) => judged)));
  const variables: NeededVariable[] = [];
  const servers = chosen.map(({ name, file: { path, isOwn }, judged }): ImportedServer => {
    if (judged.kind === "left-out") return { name, file: path, isOwn, outcome: judged };
    const { env } = place;
    const referred = openVariables(JSON.stringify(judged.entry)).map((variable) => ({
      name: variable,
      server: name,
      source: `named in ${path}`,
      isSet: env[variable] !== undefined,
    }));
    const { entry, needed } = hideSecrets(judged.entry, { server: name, file: path, names, env });
    variables.push(...referred, ...needed);
    return { name, file: path, isOwn, outcome: { kind: "taken", entry: entry as JsonObject } };
  });
  return { servers, variables, warnings };
}

/** The variables of a text that have no default. */
function openVariables(text: string): readonly string[] {
  const open = text.replace(/\$\$\{|\$\{(?:env:)?\w+:?-[^{}]*\}/g, "");
  return [...new Set(variableNames(open))];
}

interface FoundServer {
  readonly name: string;
  readonly file: ClientFile;
  readonly judged: JudgedServer;
}

/** The first server of a name is taken; one that says the same is the same server, and any other is told of. */
function chooseNames(found: readonly FoundServer[], existing: readonly string[]): readonly FoundServer[] {
  const taken = new Map<string, { readonly file: ClientFile; readonly entry: PlainEntry }>();
  return found.flatMap((server) => {
    const { name, file, judged } = server;
    if (judged.kind === "left-out") return [server];
    const leftOut = (sentence: string): readonly FoundServer[] => [
      { name, file, judged: { kind: "left-out", why: { kind: "taken", sentence } } },
    ];
    if (existing.includes(name)) return leftOut("is in mcpfs.json already, and stays as it is there");
    const first = taken.get(name);
    if (first === undefined) {
      taken.set(name, { file, entry: judged.entry });
      return [server];
    }
    if (stableJson(first.entry) === stableJson(judged.entry)) return [];
    return leftOut(`differs from the server of that name in ${first.file.path}, which is taken`);
  });
}
