import { McpfsError } from "../kernel/errors.ts";
import type { Bundle } from "../model/bundle.ts";
import type { LineShift } from "../syntax/line-shift.ts";
import { serverFolderOf } from "../syntax/specifier.ts";

import type { EsbuildResult } from "./build.ts";
import type { Entry } from "./plan.ts";
import { shownFile, type Telling, toWarning } from "./problems.ts";

/**
 * The source map of a bundle. `x_shift` belongs to the script whose top-level `return` was rewritten: the columns of its
 * first line are still those of the rewritten text, and `createPlaceMapper` undoes the shift.
 */
export interface BundleMap {
  readonly version: 3;
  /** Names to show; an empty string for text of ours. */
  readonly sources: readonly string[];
  readonly names: readonly string[];
  readonly mappings: string;
  readonly x_shift?: LineShift & { readonly source: string };
}

/** What a finished build is to the rest of mcpfs. */
export function bundleOf(result: EsbuildResult, telling: Telling): Bundle {
  const { entry } = telling;
  const map = result.outputFiles.find((file) => file.path.endsWith(".map"))?.text;
  const code = result.outputFiles.find((file) => !file.path.endsWith(".map"))?.text;
  if (map === undefined || code === undefined)
    throw new McpfsError("INTERNAL", "The bundler gave no bundle.");
  const used = Object.values(result.metafile.outputs)
    .flatMap((output) => Object.entries(output.inputs))
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([source]) => shownFile(source, entry))
    .filter((file) => file !== undefined);
  const folders = used.map(serverFolderOf).filter((folder) => folder !== undefined);
  return {
    code,
    map: JSON.stringify(mapOf(map, entry)),
    files: [...new Set([entry.name, ...used])].sort(),
    folders: [...new Set(folders)].sort(),
    warnings: result.warnings
      .map((message) => toWarning(message, telling))
      .filter((line) => line !== undefined),
  };
}

function mapOf(text: string, entry: Entry): BundleMap {
  const map = JSON.parse(text) as { sources: string[]; names: string[]; mappings: string };
  return {
    version: 3,
    sources: map.sources.map((source) => shownFile(source, entry) ?? ""),
    names: map.names,
    mappings: map.mappings,
    ...(entry.shift === undefined ? {} : { x_shift: { source: entry.name, ...entry.shift } }),
  };
}
