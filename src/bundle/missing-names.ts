import type { Message } from "esbuild";
import { folderOf, serverFolderOf } from "../syntax/specifier.ts";
import type { Built } from "./build.ts";
import type { Entry } from "./plan.ts";
import type { MissingName } from "./problems.ts";
import { entryModule, offsetOfMessage } from "./problems.ts";
import type { Resolver } from "./resolve.ts";

/**
 * Which of a build's messages say that a module lacks a name. esbuild gives such messages no mark of their own, so the place
 * decides: it is that of a name in an import, or behind a namespace (`crm.nope`, a mere warning).
 */
export async function missingNames(
  built: Built,
  entry: Entry,
  resolver: Resolver,
): Promise<ReadonlyMap<Message, MissingName>> {
  const missing = new Map<Message, MissingName>();
  const warnings = built.warnings.filter((message) => message.id === "import-is-undefined");
  for (const message of [...(built.kind === "failed" ? built.errors : []), ...warnings]) {
    const module = message.location?.file ?? "";
    const text = built.texts.get(module);
    if (text === undefined || message.detail !== undefined) continue;
    // The parser takes longer to load than most scripts to build, and most scripts never need it.
    const { importedNameAt } = await import("../syntax/imports.ts");
    const wanted = importedNameAt(text, offsetOfMessage(message, text) ?? -1);
    if (wanted === undefined) continue;
    const folder = module === entryModule(entry) ? entry.folder : folderOf(module.slice("workspace:".length));
    const target = await resolver.resolve(wanted.specifier, folder);
    const path = target.kind === "file" || target.kind === "gone" ? target.path : "";
    missing.set(message, { ...wanted, serverModule: serverFolderOf(path) === undefined ? undefined : path });
  }
  return missing;
}
