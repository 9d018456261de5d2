import type { Message } from "esbuild";
import { McpfsError } from "../kernel/errors.ts";
import { identifiersIn } from "../syntax/identifier.ts";
import { folderOf, serverFolderOf } from "../syntax/specifier.ts";
import type { Built } from "./build.ts";
import type { BuildPlan } from "./plan.ts";
import { entryModule, offsetOfMessage } from "./problems.ts";
import type { Resolver } from "./resolve.ts";
import { isFreeName } from "./virtual-modules.ts";
import type { BundleWorld } from "./world.ts";

/**
 * What the next build has to do besides, as far as the last one shows; `undefined` when another build would change nothing.
 * @throws McpfsError SCRIPT_ERROR for a script with a top-level `return` and an export
 */
export async function nextPlan(
  plan: BuildPlan,
  built: Built,
  world: BundleWorld,
  resolver: Resolver,
): Promise<BuildPlan | undefined> {
  const rewritten = built.kind === "failed" ? await withoutReturn(plan) : undefined;
  if (rewritten !== undefined) return rewritten;
  const freeNames = new Set(plan.freeNames);
  for (const text of built.texts.values())
    for (const name of identifiersIn(text, (word) => isFreeName(word, world))) freeNames.add(name);
  const stubs = await stubsFor(plan, built, resolver);
  if (freeNames.size === plan.freeNames.size && stubs === undefined) return undefined;
  return { ...plan, freeNames, stubs: stubs ?? plan.stubs };
}

async function withoutReturn(plan: BuildPlan): Promise<BuildPlan | undefined> {
  const { entry } = plan;
  if (entry.shift !== undefined || !/\breturn\b/.test(entry.text)) return undefined;
  // The parser takes longer to load than most scripts to build, and most scripts never need it.
  const { rewriteTopLevelReturn } = await import("../syntax/top-level-return.ts");
  const found = rewriteTopLevelReturn(entry.text);
  if (found.kind === "none") return undefined;
  if (found.kind === "with-export") {
    const message = "The script has both an export and a return outside of functions.";
    throw new McpfsError("SCRIPT_ERROR", message, {
      hint: "Give the value by one of them: drop the word export, or write export default instead of return.",
      data: { file: entry.name, ...found.place },
    });
  }
  return { ...plan, entry: { ...entry, ...found.script } };
}

/** `plan.stubs` with the names that this build missed in modules below `servers/`; `undefined` when there are no new ones. */
async function stubsFor(
  plan: BuildPlan,
  built: Built,
  resolver: Resolver,
): Promise<BuildPlan["stubs"] | undefined> {
  const stubs = new Map([...plan.stubs].map(([path, names]) => [path, new Set(names)]));
  let isNew = false;
  for (const message of messagesOf(built)) {
    const missing = await missingName(message, plan, built, resolver);
    if (missing === undefined) continue;
    const names = stubs.get(missing.path) ?? new Set();
    isNew ||= !names.has(missing.name);
    stubs.set(missing.path, names.add(missing.name));
  }
  return isNew ? stubs : undefined;
}

/** A missing name is an error in an import, and a warning behind a namespace (`crm.nope`). */
function messagesOf(built: Built): readonly Message[] {
  const warnings = built.warnings.filter((message) => message.id === "import-is-undefined");
  return built.kind === "failed" ? [...built.errors, ...warnings] : warnings;
}

async function missingName(
  message: Message,
  plan: BuildPlan,
  built: Built,
  resolver: Resolver,
): Promise<{ path: string; name: string } | undefined> {
  const module = message.location?.file ?? "";
  const text = built.texts.get(module);
  if (text === undefined || message.detail !== undefined) return undefined;
  const { importedNameAt } = await import("../syntax/imports.ts");
  const wanted = importedNameAt(text, offsetOfMessage(message, text) ?? -1);
  // There is no default export behind a server, and none is made up: the user means the namespace.
  if (wanted === undefined || wanted.name === "default") return undefined;
  const folder =
    module === entryModule(plan.entry) ? plan.entry.folder : folderOf(module.slice("workspace:".length));
  const target = await resolver.resolve(wanted.specifier, folder);
  if (target.kind !== "file" && target.kind !== "gone") return undefined;
  return serverFolderOf(target.path) === undefined ? undefined : { path: target.path, name: wanted.name };
}
