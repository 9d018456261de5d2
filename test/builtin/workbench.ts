import { mkdir, mkdtemp, realpath, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Builtin, createBuiltin, DEFAULT_BUILTIN_LIMITS } from "../../src/builtin/builtin.ts";
import { McpfsError } from "../../src/kernel/errors.ts";
import type { Json, JsonObject } from "../../src/kernel/json.ts";
import { pause } from "../../src/kernel/wait.ts";

export interface Workbench extends AsyncDisposable {
  /** Absolute: the workspace, and the files folder in it. */
  readonly root: string;
  readonly files: string;
  readonly call: (tool: string, args: JsonObject, signal?: AbortSignal) => Promise<Json>;
  /** The error of a call that must fail. */
  readonly fault: (tool: string, args: JsonObject) => Promise<McpfsError>;
  /** Another run on the same workspace. */
  readonly again: () => Builtin;
}

/** A workspace in a temporary folder with the built-in server of one run. */
export async function createWorkbench(
  limits: Partial<typeof DEFAULT_BUILTIN_LIMITS> = {},
): Promise<Workbench> {
  const base = await realpath(await mkdtemp(join(tmpdir(), "mcpfs-builtin-")));
  const root = join(base, "project");
  await mkdir(root);
  const files = join(root, "workspace");
  const again = (): Builtin =>
    createBuiltin({
      filesFolder: files,
      search: async ({ query, limit = 5 }) => [
        { server: "s", tool: query, name: "n", file: "f", description: `${limit}` },
      ],
      pause,
      limits: { ...DEFAULT_BUILTIN_LIMITS, ...limits },
    });
  const builtin = again();
  const call: Workbench["call"] = (tool, args, signal = new AbortController().signal) =>
    builtin.call(tool, args, signal);
  return {
    root,
    files,
    call,
    fault: async (tool, args) => {
      const outcome = await call(tool, args).catch((thrown: unknown) => thrown);
      if (!(outcome instanceof McpfsError)) throw new Error(`${tool} did not fail as it should: ${outcome}`);
      return outcome;
    },
    again,
    [Symbol.asyncDispose]: () => rm(base, { recursive: true, force: true }),
  };
}
