import { type BuildFailure, type BuildResult, build, type Message, stop } from "esbuild";
import { SCRIPT_FILE } from "../model/bundle.ts";
import { tooDeep } from "./depth.ts";
import { type BuildPlan, ENTRY, FREE_NAMES } from "./plan.ts";
import { workspacePlugin } from "./plugin.ts";
import type { Resolver } from "./resolve.ts";
import type { BundleWorld } from "./world.ts";

/**
 * Stands before a script that may patch the language: the engine ties the module to the run (by `then`, and by `import()`, which
 * asks for the species of a promise) in the ticks that these take. After them a script may replace `Promise.prototype` as it
 * likes. Other scripts go without: behind an `await` the engine no longer knows the line of a loop that never ends.
 */
const HEAD_START = "await 0; await 0; await 0; await 0;";
const MAY_PATCH =
  /prototype|__proto__|species|defineProperty|getPrototypeOf|setPrototypeOf|Promise\.\w+ *=|constructor/i;

/** How a build ended, and the texts in it that people wrote, by module as esbuild names it: `workspace:skills/x/index.ts`. */
export type Built = (
  | { readonly kind: "done"; readonly result: EsbuildResult; readonly warnings: readonly Message[] }
  | { readonly kind: "failed"; readonly errors: readonly Message[]; readonly warnings: readonly Message[] }
) & { readonly texts: ReadonlyMap<string, string> };

export type EsbuildResult = BuildResult<{ write: false; metafile: true }>;

/**
 * Builds once. The process of esbuild may be gone: another bundler closed it, or a script was its death. It gets a second
 * chance; a script that kills it twice is nested in a way that {@link isTooDeep} does not see.
 * @throws McpfsError SCRIPT_ERROR
 */
export async function runBuild(plan: BuildPlan, world: BundleWorld, resolver: Resolver): Promise<Built> {
  for (let attempt = 1; ; attempt += 1) {
    const texts = new Map<string, string>();
    try {
      const result = await esbuild(plan, world, resolver, texts);
      return { kind: "done", result, warnings: result.warnings, texts };
    } catch (error) {
      if (isBuildFailure(error))
        return { kind: "failed", errors: error.errors, warnings: error.warnings, texts };
      await stop();
      if (attempt === 2) throw tooDeep(plan.entry.name);
    }
  }
}

async function esbuild(
  plan: BuildPlan,
  world: BundleWorld,
  resolver: Resolver,
  texts: Map<string, string>,
): Promise<EsbuildResult> {
  return await build({
    entryPoints: [ENTRY],
    ...(plan.freeNames.size > 0 ? { inject: [FREE_NAMES] } : {}),
    plugins: [workspacePlugin(plan, world, resolver, texts)],
    absWorkingDir: world.root,
    outfile: SCRIPT_FILE,
    write: false,
    metafile: true,
    bundle: true,
    ...(MAY_PATCH.test(plan.entry.text) ? { banner: { js: HEAD_START } } : {}),
    format: "esm",
    platform: "neutral",
    target: "es2023",
    treeShaking: true,
    // What a wrapper is made by: one that no script uses is left out.
    pure: ["tool"],
    sourcemap: "external",
    sourcesContent: false,
    charset: "utf8",
    legalComments: "none",
    logLevel: "silent",
    // Neither a tsconfig.json on the way up nor NODE_PATH has a say.
    tsconfigRaw: "{}",
    nodePaths: [],
  });
}

function isBuildFailure(error: unknown): error is BuildFailure {
  return error instanceof Error && "errors" in error && Array.isArray(error.errors);
}
