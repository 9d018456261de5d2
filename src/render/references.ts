import type { Json, JsonObject } from "../kernel/json.ts";
import { isJsonObject, own, stableJson } from "../kernel/json.ts";

/** Where a reference leads inside its own document; nothing outside is ever looked at. */
export interface ReferenceTarget {
  readonly node: Json;
  /** Words from which a name can be made, the best one last: the parts of the pointer, or the anchor. */
  readonly path: readonly string[];
}

/** The references of one schema document. */
export interface References {
  /** What `schema` points to by `$ref`, `$dynamicRef` or `$recursiveRef`; `undefined` where it points nowhere known. */
  readonly resolve: (reference: string) => ReferenceTarget | undefined;
  /** True for a part that some reference of the document leads to: it gets a name, and is printed once. */
  readonly isTarget: (node: JsonObject) => boolean;
  /** The path of a part that something refers to: the same whichever way the walk comes to it. */
  readonly pathOf: (node: JsonObject) => readonly string[];
  /**
   * Text that is equal for two definitions, also of two documents, only when they mean the same; `undefined` for one
   * that refers to something beside the document's definitions.
   */
  readonly meaningOf: (node: JsonObject) => string | undefined;
}

/** The reference that a schema makes, or `undefined`. A non-text `$ref` counts as one that leads nowhere. */
export function referenceOf(schema: JsonObject): string | undefined {
  for (const keyword of REFERENCE_KEYWORDS) {
    const value = own(schema, keyword);
    if (value !== undefined) return typeof value === "string" ? value : "(not text)";
  }
  return undefined;
}

export const REFERENCE_KEYWORDS = ["$ref", "$dynamicRef", "$recursiveRef"] as const;

/**
 * Reads the ids, anchors and references of a document. Everything is resolved within it (JSON Schema 2020-12 §8.2):
 * pointers, `$anchor`, `$dynamicAnchor`, and whole or embedded `$id`s. An address is compared as text, never fetched.
 */
export function createReferences(root: Json): References {
  const ids = new Map<string, ReferenceTarget>();
  const found: string[] = [];
  scan(root, ids, found);
  const rootId = own(root, "$id") ?? own(root, "id");
  const base = typeof rootId === "string" ? withoutFragment(rootId) : "";

  const resolve = (reference: string): ReferenceTarget | undefined => {
    const hash = reference.indexOf("#");
    const address = hash < 0 ? reference : reference.slice(0, hash);
    const fragment = hash < 0 ? "" : decode(reference.slice(hash + 1));
    const document =
      address === "" || address === base
        ? { node: root, path: [] }
        : (ids.get(address) ?? ids.get(resolveAddress(base, address)));
    if (document === undefined || fragment === undefined) return undefined;
    if (fragment === "") return document;
    if (fragment.startsWith("/")) return follow(document.node, fragment) ?? followEmbedded(ids, fragment);
    return ids.get(`#${fragment}`);
  };

  const targets = new Map<Json, readonly string[]>();
  for (const reference of found) {
    const target = resolve(reference);
    if (target !== undefined && !targets.has(target.node)) targets.set(target.node, target.path);
  }
  const meaningOf = (node: JsonObject): string | undefined => {
    const inside: string[] = [];
    scan(node, new Map(), inside);
    if (inside.length === 0) return stableJson(node);
    if (!inside.every((reference) => /^#\/(\$defs|definitions)\//.test(reference))) return undefined;
    return stableJson([node, own(root, "$defs") ?? null, own(root, "definitions") ?? null]);
  };
  return {
    resolve,
    isTarget: (node) => targets.has(node),
    pathOf: (node) => targets.get(node) ?? [],
    meaningOf,
  };
}

/** Deeper nesting is not rendered either (see `schema-to-shape`), so what it refers to does not matter. */
const MAX_DEPTH = 400;

function scan(root: Json, ids: Map<string, ReferenceTarget>, found: string[]): void {
  const open: { node: Json; key: string; depth: number }[] = [{ node: root, key: "", depth: 0 }];
  for (let entry = open.pop(); entry !== undefined; entry = open.pop()) {
    const { node, key, depth } = entry;
    if (typeof node !== "object" || node === null || depth > MAX_DEPTH) continue;
    if (isJsonObject(node)) {
      const reference = referenceOf(node);
      if (reference !== undefined) found.push(reference);
      for (const [keyword, mark] of [
        ["$anchor", "#"],
        ["$dynamicAnchor", "#"],
        ["$id", ""],
        ["id", ""],
      ] as const) {
        const id = own(node, keyword);
        if (typeof id === "string" && id !== "" && !ids.has(mark + id))
          ids.set(mark + (mark === "" ? withoutEmptyFragment(id) : id), { node, path: [key || id] });
      }
    }
    for (const [name, child] of Object.entries(node).reverse())
      if (typeof child === "object") open.push({ node: child as Json, key: name, depth: depth + 1 });
  }
}

function follow(root: Json, pointer: string): ReferenceTarget | undefined {
  const path = pointer
    .slice(1)
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"));
  let node: Json | undefined = root;
  for (const part of path) {
    if (Array.isArray(node)) node = /^\d+$/.test(part) ? (node as readonly Json[])[Number(part)] : undefined;
    else node = own(node, part);
    if (node === undefined) return undefined;
  }
  return { node, path };
}

/** Inside a part with an `$id` of its own, a pointer starts at that part. */
function followEmbedded(
  ids: ReadonlyMap<string, ReferenceTarget>,
  pointer: string,
): ReferenceTarget | undefined {
  for (const [id, embedded] of ids) {
    const target = id.startsWith("#") ? undefined : follow(embedded.node, pointer);
    if (target !== undefined) return target;
  }
  return undefined;
}

function decode(fragment: string): string | undefined {
  try {
    return decodeURIComponent(fragment);
  } catch {
    return undefined;
  }
}

function withoutFragment(id: string): string {
  return id.replace(/#.*$/s, "");
}

function withoutEmptyFragment(id: string): string {
  return id.endsWith("#") ? id.slice(0, -1) : id;
}

function resolveAddress(base: string, address: string): string {
  try {
    return new URL(address, base).href;
  } catch {
    return address;
  }
}
