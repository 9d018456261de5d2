import { McpfsError } from "../kernel/errors.ts";
import type { Json } from "../kernel/json.ts";
import { type ListKind, PROMPTS, RESOURCES, TEMPLATES } from "./list-all.ts";

/** What came of listing one kind of thing. */
export interface ListedItems {
  readonly items: readonly Json[];
  readonly warnings: readonly string[];
  readonly ttlMs: number | undefined;
}

/** What a server has besides tools, as received. A part is `undefined` where the server would not say. */
export interface OfferLists {
  readonly resources: readonly Json[] | undefined;
  readonly templates: readonly Json[] | undefined;
  readonly prompts: readonly Json[] | undefined;
  readonly warnings: readonly string[];
}

/**
 * Lists what a server says that it has besides tools. A server that then answers with an error costs nothing but a warning.
 * @param has the capabilities of the server
 */
export async function listParts(
  has: { readonly resources?: unknown; readonly prompts?: unknown },
  list: (kind: ListKind) => Promise<ListedItems>,
): Promise<OfferLists> {
  const warnings: string[] = [];
  const part = async (isThere: boolean, kind: ListKind): Promise<readonly Json[] | undefined> => {
    if (!isThere) return [];
    try {
      const listed = await list(kind);
      warnings.push(...listed.warnings);
      return listed.items;
    } catch (error) {
      if (!(error instanceof McpfsError)) throw error;
      warnings.push(error.message);
      return undefined;
    }
  };
  const [resources, templates, prompts] = await Promise.all([
    part(has.resources !== undefined, RESOURCES),
    part(has.resources !== undefined, TEMPLATES),
    part(has.prompts !== undefined, PROMPTS),
  ]);
  return { resources, templates, prompts, warnings };
}
