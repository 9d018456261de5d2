import { visibleText } from "../kernel/text.ts";
import type { ExportName } from "../model/names.ts";
import type { Literal } from "./shape.ts";

/** Names of the types that a wrapper exports for its tool: `GetDocumentInput`, `GetDocumentOutput`. */
export function toolTypeNames(name: ExportName): { readonly input: string; readonly output: string } {
  const [first = "", ...others] = name;
  const upper = first.toUpperCase();
  // `ß` would become two letters, and then another tool's name.
  const base = [...upper].length === 1 ? upper + others.join("") : name;
  return { input: `${base}Input`, output: `${base}Output` };
}

/**
 * A legal type name made from the key of a definition (`get_tree[User]` → `GetTreeUser`), which is none of `taken`
 * and hides no global type.
 */
export function definitionName(key: string, taken: ReadonlySet<string>): string {
  const words = key
    .normalize("NFC")
    // Beyond the basic plane, compilers disagree on what is a letter.
    .split(/[^\p{ID_Continue}$]+|[\u{10000}-\u{10ffff}]+|_+/u)
    .filter((word) => word !== "");
  const joined = words
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("")
    .slice(0, MAX_LENGTH);
  let base = /^[\p{ID_Start}$]/u.test(joined) ? joined : joined === "" ? "Type" : `_${joined}`;
  if (GLOBAL_TYPES.has(base)) base += "_";
  let name = base;
  for (let number = 2; taken.has(name); number += 1) name = `${base}_${number}`;
  return name;
}

/** Longer keys are generics spelled out by a schema library; their start says enough. */
const MAX_LENGTH = 60;

/** A property's name as it stands in a type. */
export function propertyName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : literalText(name);
}

/** A value as it stands in a type; characters that a reader would not see are written as escapes. */
export function literalText(value: Literal): string {
  if (typeof value === "bigint") return `${value}n`;
  return typeof value === "string" ? visibleText(JSON.stringify(value)) : JSON.stringify(value);
}

/** Global types of ES2023 and of the sandbox: a definition of such a name would change what `Promise<…>` means. */
const GLOBAL_TYPES: ReadonlySet<string> = new Set(
  `AbortController AbortSignal AggregateError Array ArrayBuffer ArrayLike AsyncGenerator AsyncIterable AsyncIterator
  Atomics Awaited BigInt BigInt64Array BigUint64Array Boolean CallableFunction Capitalize ConstructorParameters DataView
  Date Error EvalError Exclude Extract Float32Array Float64Array Function Generator InstanceType Int16Array Int32Array
  Int8Array Intl Iterable Iterator JSON Lowercase Map Math NewableFunction NoInfer NonNullable Number Object Omit
  OmitThisParameter Parameters Partial Pick Promise PromiseLike PropertyDescriptor PropertyKey Proxy RangeError Readonly
  ReadonlyArray ReadonlyMap ReadonlySet Record ReferenceError Reflect RegExp Required ReturnType Set SharedArrayBuffer
  String Symbol SyntaxError TemplateStringsArray TextDecoder TextEncoder ThisType TypeError URIError URL URLSearchParams
  Uint16Array Uint32Array Uint8Array Uint8ClampedArray Uncapitalize Uppercase WeakMap WeakRef WeakSet MCPToolError`.split(
    /\s+/,
  ),
);
