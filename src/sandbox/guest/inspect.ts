import type { InspectState } from "./inspect-layout.ts";
import { layOut } from "./inspect-layout.ts";
import { quoted, quotedKey } from "./inspect-text.ts";

/**
 * Values as text, after Node's `util.inspect` with its default options; an error is printed without its frames,
 * since they are the bundle's.
 */
export interface InspectOptions {
  readonly depth?: number;
}

const DEFAULT_DEPTH = 2;
const MAX_ITEMS = 100;
const MAX_STRING_LENGTH = 10_000;
const MAX_BYTES_SHOWN = 50;

export function inspect(value: unknown, options: InspectOptions = {}): string {
  const depth = options.depth ?? DEFAULT_DEPTH;
  return format({ depth, parents: [], circles: new Map(), indentation: 0, level: 0 }, value, 0, true);
}

function format(state: InspectState, value: unknown, level: number, isRoot = false): string {
  if (typeof value === "function" || (typeof value === "object" && value !== null)) {
    if (!state.parents.includes(value)) return tryObject(state, value, level, isRoot);
    const number = state.circles.get(value) ?? state.circles.size + 1;
    state.circles.set(value, number);
    return `[Circular *${number}]`;
  }
  if (typeof value === "string") return formatString(state, value);
  if (typeof value === "bigint") return `${value}n`;
  if (Object.is(value, -0)) return "-0";
  return String(value);
}

/** Printed for an object that throws when it is looked at: a proxy, a getter of its name. */
export const UNREADABLE = "[unreadable]";

function tryObject(state: InspectState, value: object, level: number, isRoot: boolean): string {
  const { indentation } = state;
  const depth = state.parents.length;
  try {
    return formatObject(state, value, level, isRoot);
  } catch {
    state.parents.length = depth;
    state.indentation = indentation;
    return UNREADABLE;
  }
}

function formatString(state: InspectState, value: string): string {
  const rest = value.length - MAX_STRING_LENGTH;
  const shown = rest > 0 ? value.slice(0, MAX_STRING_LENGTH) : value;
  const trailer = rest > 0 ? `... ${rest} more character${rest === 1 ? "" : "s"}` : "";
  if (shown.length <= 16 || shown.length <= 128 - state.indentation - 4) return quoted(shown) + trailer;
  const lines = shown.split(/(?<=\n)/).map(quoted);
  return lines.join(` +\n${" ".repeat(state.indentation + 2)}`) + trailer;
}

/** How one kind of object is printed: a text before the braces, the braces, and its parts. */
interface Form {
  readonly base: string;
  readonly open: string;
  readonly close: "}" | "]";
  readonly parts: () => string[];
  /** True when `parts` gives something. */
  readonly hasParts: boolean;
  /** Own keys that the parts show already. */
  readonly isShown?: (key: string | symbol) => boolean;
}

function formatObject(state: InspectState, value: object, level: number, isRoot: boolean): string {
  const form = formOf(state, value, level, isRoot);
  const keys = keysOf(value).filter((key) => form.isShown?.(key) !== true);
  if (!form.hasParts && keys.length === 0) return form.base === "" ? form.open + form.close : form.base;
  if (level > state.depth) return `[${nameOf(value)}]`;
  state.parents.push(value);
  state.level = level;
  const parts = form.parts();
  for (const key of keys) parts.push(formatMember(state, value, key, level));
  state.parents.pop();
  const number = state.circles.get(value);
  const reference = number === undefined ? "" : `<ref *${number}> `;
  const open = form.base === "" ? `${reference}${form.open}` : form.open;
  const base = form.base === "" ? "" : `${reference}${form.base} `;
  const isList = form.close === "]";
  return layOut(state, { base, open, close: form.close, parts, list: isList ? value : undefined, level });
}

function formOf(state: InspectState, value: object, level: number, isRoot: boolean): Form {
  const name = nameOf(value);
  const inner = (item: unknown): string => {
    state.indentation += 2;
    const text = format(state, item, level + 1);
    state.indentation -= 2;
    return text;
  };
  if (Array.isArray(value)) {
    const prefix = name === "Array" ? "" : `${name}(${value.length}) `;
    const isShown = (key: string | symbol): boolean => typeof key === "string" && /^(0|[1-9]\d*)$/.test(key);
    const hasParts = value.length > 0;
    return {
      base: "",
      open: `${prefix}[`,
      close: "]",
      parts: () => listParts(value, inner),
      hasParts,
      isShown,
    };
  }
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) {
    const items = value as Uint8Array;
    const isShown = (key: string | symbol): boolean => typeof key === "string" && /^\d+$/.test(key);
    const hasParts = items.length > 0;
    const open = `${name}(${items.length}) [`;
    return { base: "", open, close: "]", parts: () => listParts(items, inner), hasParts, isShown };
  }
  const braces = { open: "{", close: "}", hasParts: true } as const;
  if (value instanceof Map) {
    const parts = (): string[] => cut([...value], (entry) => `${inner(entry[0])} => ${inner(entry[1])}`);
    return { ...braces, base: "", open: `${name}(${value.size}) {`, parts, hasParts: value.size > 0 };
  }
  if (value instanceof Set) {
    const parts = (): string[] => cut([...value], inner);
    return { ...braces, base: "", open: `${name}(${value.size}) {`, parts, hasParts: value.size > 0 };
  }
  const only = (base: string, open = "{"): Form => ({
    base,
    open,
    close: "}",
    parts: () => [],
    hasParts: false,
  });
  if (typeof value === "function") return only(functionBase(value));
  if (value instanceof RegExp) return only(String(value));
  if (value instanceof Date)
    return only(Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString());
  if (value instanceof Error) return errorForm(value, isRoot, inner);
  if (value instanceof ArrayBuffer) {
    const parts = (): string[] => [
      `[Uint8Contents]: <${hexOf(new Uint8Array(value))}>`,
      `byteLength: ${value.byteLength}`,
    ];
    return { ...braces, base: "", open: "ArrayBuffer {", parts };
  }
  if (value instanceof Promise)
    return { ...braces, base: "", open: "Promise {", parts: () => ["<not awaited>"] };
  if (value instanceof WeakMap || value instanceof WeakSet)
    return { ...braces, base: "", open: `${name} {`, parts: () => ["<items unknown>"] };
  const boxed = boxedValue(value);
  if (boxed !== undefined) {
    const isShown = (key: string | symbol): boolean => typeof key === "string" && /^\d+$/.test(key);
    return { ...only(`[${name}: ${format(state, boxed, level)}]`), isShown };
  }
  const tag = tagOf(value, name);
  const prefix = name === "Object" && tag === "" ? "" : `${name} ${tag}`;
  return only("", `${prefix}{`);
}

function errorForm(error: Error, isRoot: boolean, inner: (item: unknown) => string): Form {
  const text = `${error.name}${error.message === "" ? "" : `: ${error.message}`}`;
  const hidden = ["cause", "errors"].filter((key) => Object.hasOwn(error, key) && !isEnumerable(error, key));
  return {
    base: isRoot ? text : `[${text}]`,
    open: "{",
    close: "}",
    parts: () => hidden.map((key) => `[${key}]: ${inner((error as never)[key])}`),
    hasParts: hidden.length > 0,
    isShown: (key) => key === "name" || key === "message" || key === "stack",
  };
}

function listParts(items: ArrayLike<unknown>, inner: (item: unknown) => string): string[] {
  const parts: string[] = [];
  let index = 0;
  for (; index < items.length && parts.length < MAX_ITEMS; index += 1) {
    if (index in items) {
      parts.push(inner(items[index]));
      continue;
    }
    const start = index;
    while (index + 1 < items.length && !(index + 1 in items)) index += 1;
    const holes = index - start + 1;
    parts.push(`<${holes} empty item${holes === 1 ? "" : "s"}>`);
  }
  if (index < items.length) parts.push(more(items.length - index));
  return parts;
}

function cut<T>(items: readonly T[], print: (item: T) => string): string[] {
  const parts = items.slice(0, MAX_ITEMS).map(print);
  if (items.length > MAX_ITEMS) parts.push(more(items.length - MAX_ITEMS));
  return parts;
}

function more(rest: number): string {
  return `... ${rest} more item${rest === 1 ? "" : "s"}`;
}

function keysOf(value: object): (string | symbol)[] {
  return Reflect.ownKeys(value).filter((key) => isEnumerable(value, key));
}

function isEnumerable(value: object, key: string | symbol): boolean {
  return Object.prototype.propertyIsEnumerable.call(value, key);
}

function formatMember(state: InspectState, value: object, key: string | symbol, level: number): string {
  const member = Object.getOwnPropertyDescriptor(value, key);
  const shown = typeof key === "symbol" ? `[${String(key)}]` : quotedKey(key);
  if (member?.get !== undefined) return `${shown}: [Getter${member.set === undefined ? "" : "/Setter"}]`;
  if (member?.set !== undefined) return `${shown}: [Setter]`;
  state.indentation += 2;
  const text = format(state, member?.value, level + 1);
  state.indentation -= 2;
  return `${shown}: ${text}`;
}

function nameOf(value: object): string {
  for (let at: object | null = value; at !== null; at = Object.getPrototypeOf(at)) {
    const kind: unknown = Object.getOwnPropertyDescriptor(at, "constructor")?.value;
    if (typeof kind === "function" && kind.name !== "") return kind.name;
  }
  return "[Object: null prototype]";
}

function tagOf(value: object, name: string): string {
  if (isEnumerable(value, Symbol.toStringTag)) return "";
  const tag: unknown = (value as { [Symbol.toStringTag]?: unknown })[Symbol.toStringTag];
  return typeof tag === "string" && tag !== "" && tag !== name ? `[${tag}] ` : "";
}

function functionBase(value: { readonly name?: unknown }): string {
  const source = Function.prototype.toString.call(value);
  const name = typeof value.name === "string" ? value.name : "";
  if (source.startsWith("class")) {
    const parent: unknown = Object.getPrototypeOf(value)?.name;
    const base = typeof parent === "string" && parent !== "" ? ` extends ${parent}` : "";
    return `[class ${name === "" ? "(anonymous)" : name}${base}]`;
  }
  return `[${nameOf(value)}${name === "" ? " (anonymous)" : `: ${name}`}]`;
}

function boxedValue(value: object): unknown {
  const tag = Object.prototype.toString.call(value);
  const isBoxed = value instanceof String || value instanceof Number || value instanceof Boolean;
  return isBoxed || tag === "[object BigInt]" || tag === "[object Symbol]" ? value.valueOf() : undefined;
}

function hexOf(bytes: Uint8Array): string {
  const shown = [...bytes.subarray(0, MAX_BYTES_SHOWN)].map((byte) => byte.toString(16).padStart(2, "0"));
  const rest = bytes.length - MAX_BYTES_SHOWN;
  return shown.join(" ") + (rest > 0 ? ` ... ${rest} more byte${rest === 1 ? "" : "s"}` : "");
}
