import { extname } from "node:path";
import { stop } from "esbuild";
import { McpfsError } from "../kernel/errors.ts";
import { oneLine } from "../kernel/text.ts";
import type { Bundle, ScriptSource } from "../model/bundle.ts";
import { raiseHint } from "../model/run.ts";
import { identifiersIn } from "../syntax/identifier.ts";
import { folderOf } from "../syntax/specifier.ts";
import { runBuild } from "./build.ts";
import { bundleOf } from "./bundle-of.ts";
import { isTooDeep, tooDeep } from "./depth.ts";
import { missingNames } from "./missing-names.ts";
import { nextPlan } from "./next-plan.ts";
import type { BuildPlan, Entry } from "./plan.ts";
import { type Telling, toBuildError } from "./problems.ts";
import { createResolver, type Resolver } from "./resolve.ts";
import { isFreeName, plainStart } from "./virtual-modules.ts";
import type { BundleWorld } from "./world.ts";

/** Turns scripts into single modules for the sandbox. */
export interface Bundler {
  /**
   * Bundles a script with all it imports from the workspace. Nothing else is ever read.
   * @throws McpfsError SCRIPT_ERROR, IMPORT_REFUSED with `data` `{file, line, column}`; LIMIT_BUNDLE
   */
  readonly bundle: (source: ScriptSource, world: BundleWorld) => Promise<Bundle>;
  /** Ends esbuild's process, once the bundles under way are done. */
  readonly close: () => Promise<void>;
}

/**
 * Most scripts need one build. Another follows for each thing that only a build shows: a top-level `return`, free names in
 * a skill, names that a server lacks, and what those bring in. Every round must add something to the plan.
 */
const MAX_ROUNDS = 6;

/** Creates a bundler on esbuild, whose process starts with the first bundle and is shared by all bundlers of this process. */
export function createBundler(): Bundler {
  const underWay = new Set<Promise<Bundle>>();
  return {
    bundle: (source, world) => {
      const bundling = bundleScript(source, world).finally(() => underWay.delete(bundling));
      underWay.add(bundling);
      return bundling;
    },
    close: async () => {
      await Promise.allSettled(underWay);
      await stop();
    },
  };
}

async function bundleScript(source: ScriptSource, world: BundleWorld): Promise<Bundle> {
  checkSize(`The script ${oneLine(source.name)}`, source.text, world.maxBytes);
  if (isTooDeep(source.text)) throw tooDeep(source.name);
  const resolver = await createResolver(world);
  const entry = await entryOf(source, resolver);
  let plan: BuildPlan = {
    entry,
    freeNames: new Set(identifiersIn(entry.text, (name) => isFreeName(name, world))),
    stubs: new Map(),
  };
  for (let round = 1; ; round += 1) {
    const built = await runBuild(plan, world, resolver);
    const missing = await missingNames(built, plan.entry, resolver);
    const next = round < MAX_ROUNDS ? await nextPlan(plan, built, missing.values(), world) : undefined;
    if (next !== undefined) plan = next;
    else {
      const telling: Telling = { entry: plan.entry, texts: built.texts, missing, maxBytes: world.maxBytes };
      if (built.kind === "failed") throw toBuildError(built.errors, telling);
      const bundle = bundleOf(built.result, telling);
      checkSize(`The bundle of ${oneLine(source.name)}`, bundle.code, world.maxBytes);
      return bundle;
    }
  }
}

async function entryOf(source: ScriptSource, resolver: Resolver): Promise<Entry> {
  const path = source.path === undefined ? undefined : await resolver.pathInRoot(source.path);
  const text = plainStart(source.text);
  return {
    name: source.name,
    original: text,
    text,
    shift: undefined,
    path,
    // Text from stdin stands at the root; a script outside stands nowhere.
    folder: source.path !== undefined && path === undefined ? undefined : folderOf(path ?? ""),
    isTypeScript: ![".js", ".mjs"].includes(extname(source.path ?? "")),
  };
}

function checkSize(what: string, text: string, maxBytes: number): void {
  const bytes = Buffer.byteLength(text);
  if (bytes <= maxBytes) return;
  throw new McpfsError("LIMIT_BUNDLE", `${what} has ${bytes} bytes; ${maxBytes} are allowed.`, {
    hint: raiseHint(
      "Keep data in ./workspace/ and read it with await fs.readFile(…).",
      "bundleBytes",
      maxBytes,
    ),
    data: { bytes, maxBytes },
  });
}
