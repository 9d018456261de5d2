import { McpfsError } from "../kernel/errors.ts";
import { identifiersIn } from "../syntax/identifier.ts";
import type { Built } from "./build.ts";
import type { BuildPlan } from "./plan.ts";
import type { MissingName } from "./problems.ts";
import { isFreeName } from "./virtual-modules.ts";
import type { BundleWorld } from "./world.ts";

/**
 * What the next build has to do besides, as far as the last one shows; `undefined` when another build would change nothing.
 * @throws McpfsError SCRIPT_ERROR for a script with a top-level `return` and an export
 */
export async function nextPlan(
  plan: BuildPlan,
  built: Built,
  missing: Iterable<MissingName>,
  world: BundleWorld,
): Promise<BuildPlan | undefined> {
  const rewritten = built.kind === "failed" ? await withoutReturn(plan) : undefined;
  if (rewritten !== undefined) return rewritten;
  const freeNames = new Set(plan.freeNames);
  for (const text of built.texts.values())
    for (const name of identifiersIn(text, (word) => isFreeName(word, world))) freeNames.add(name);
  const stubs = stubsFor(plan, missing);
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
function stubsFor(plan: BuildPlan, missing: Iterable<MissingName>): BuildPlan["stubs"] | undefined {
  const stubs = new Map([...plan.stubs].map(([path, names]) => [path, new Set(names)]));
  let isNew = false;
  for (const { serverModule, name } of missing) {
    // No server has a default export, and none is made up: who writes one means the namespace.
    if (serverModule === undefined || name === "default") continue;
    const names = stubs.get(serverModule) ?? new Set();
    isNew ||= !names.has(name);
    stubs.set(serverModule, names.add(name));
  }
  return isNew ? stubs : undefined;
}
