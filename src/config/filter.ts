import { McpfsError } from "../kernel/errors.ts";
import { matchGlob } from "../kernel/glob.ts";
import type { ItemKind, ToolFilter } from "../model/server-entry.ts";

/** What a rename module exports. Nothing (or an empty text) as its answer means: keep the name. */
export type RenameFunction = (name: string, server: string, kind: ItemKind) => string | undefined;

/** A rename module's text, and what it exports unless it was held back: code runs only for a user who has trusted it. */
export interface RenameModule {
  readonly digest: string;
  readonly rename: RenameFunction | undefined;
}

/** One way to rename: exact names, patterns in order, or a module. */
export type Rename =
  | { readonly kind: "map"; readonly names: ReadonlyMap<string, string> }
  | {
      readonly kind: "patterns";
      readonly patterns: readonly { readonly pattern: string; readonly to: string }[];
    }
  /** A module that cannot be read or loaded. */
  | { readonly kind: "unknown" }
  | (RenameModule & { readonly kind: "module"; readonly path: string; readonly written: string });

/**
 * The filter of one server. Patterns meet the raw name; `deny` wins over `allow`, and an absent `allow` allows
 * all. Of rename patterns the first that matches counts, and each `*` of `to` is what the same `*` of the
 * pattern stood for.
 * @returns a filter whose `rename` throws McpfsError CONFIG_INVALID when a rename module fails
 */
export function createFilter(options: {
  readonly server: string;
  readonly allow: readonly string[] | undefined;
  readonly deny: readonly string[];
  readonly rename: Rename | undefined;
}): ToolFilter {
  const { server, allow, deny, rename } = options;
  const matches = (patterns: readonly string[], name: string): boolean =>
    patterns.some((pattern) => matchGlob(pattern, name) !== undefined);
  return {
    isAllowed: (name) => !matches(deny, name) && (allow === undefined || matches(allow, name)),
    allowsAll: deny.length === 0 && allow === undefined,
    rename: (name, kind) => renamed(rename, name, server, kind) || name,
    keepsNames: rename?.kind === "unknown" || (rename?.kind === "module" && rename.rename === undefined),
  };
}

/** A filter that lets all through as it is. */
export const OPEN_FILTER: ToolFilter = { isAllowed: () => true, allowsAll: true, rename: (name) => name };

/** The number of `*` in a pattern. */
export function starsIn(pattern: string): number {
  return pattern.split("*").length - 1;
}

function renamed(rename: Rename | undefined, name: string, server: string, kind: ItemKind): string {
  switch (rename?.kind) {
    case undefined:
    case "unknown":
      return name;
    case "map":
      return rename.names.get(name) ?? name;
    case "patterns":
      for (const { pattern, to } of rename.patterns) {
        const captures = matchGlob(pattern, name);
        if (captures === undefined) continue;
        let star = 0;
        return to.replaceAll("*", () => captures[star++] ?? "");
      }
      return name;
    case "module":
      return askModule(rename, name, server, kind);
  }
}

function askModule(
  module: { readonly path: string; readonly rename: RenameFunction | undefined },
  name: string,
  server: string,
  kind: ItemKind,
): string {
  let answer: unknown;
  try {
    answer = module.rename?.(name, server, kind);
  } catch (error) {
    throw refused(`threw for the ${kind} ${JSON.stringify(name)} of ${server}`, error);
  }
  if (answer === undefined || answer === null) return name;
  if (typeof answer === "string") return answer;
  throw refused(`answered ${typeof answer} for the ${kind} ${JSON.stringify(name)} of ${server}`);

  function refused(what: string, cause?: unknown): McpfsError {
    return new McpfsError("CONFIG_INVALID", `The rename module ${module.path} ${what}.`, {
      hint: "It must return a text, or nothing to keep the name; a promise is not waited for.",
      cause,
    });
  }
}
