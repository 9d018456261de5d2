// The globals of the sandbox besides ES2023. No fetch, process, require or Buffer: tools are the only way out.

declare var callMCPTool: typeof import("./client.js").callMCPTool;
declare var tool: typeof import("./client.js").tool;
/** A number without a fraction. */
type integer = number;
declare var MCPToolError: typeof import("./client.js").MCPToolError;
type MCPToolError = import("./client.js").MCPToolError;
declare var mcp: typeof import("./client.js").mcp;

/** What follows `--` on the command line: one JSON value, an object of key=value pairs, or an array of words. */
declare var args: any;

/** What `using` and `await using` ask for. */
interface SymbolConstructor {
  readonly dispose: unique symbol;
  readonly asyncDispose: unique symbol;
}
interface Disposable {
  [Symbol.dispose](): void;
}
interface AsyncDisposable {
  [Symbol.asyncDispose](): PromiseLike<void>;
}

interface Console {
  log(...values: unknown[]): void;
  info(...values: unknown[]): void;
  debug(...values: unknown[]): void;
  warn(...values: unknown[]): void;
  error(...values: unknown[]): void;
  trace(...values: unknown[]): void;
  assert(condition?: unknown, ...values: unknown[]): void;
  dir(value: unknown, options?: { depth?: number | null }): void;
  table(rows: unknown, columns?: readonly string[]): void;
  count(label?: string): void;
  countReset(label?: string): void;
  time(label?: string): void;
  timeLog(label?: string, ...values: unknown[]): void;
  timeEnd(label?: string): void;
  group(...values: unknown[]): void;
  groupCollapsed(...values: unknown[]): void;
  groupEnd(): void;
}
declare var console: Console;

interface Timeout {
  ref(): Timeout;
  unref(): Timeout;
  hasRef(): boolean;
  close(): Timeout;
  [Symbol.toPrimitive](): number;
}
declare function setTimeout(callback: (...args: any[]) => unknown, ms?: number, ...args: unknown[]): Timeout;
declare function setInterval(callback: (...args: any[]) => unknown, ms?: number, ...args: unknown[]): Timeout;
declare function setImmediate(callback: (...args: any[]) => unknown, ...args: unknown[]): Timeout;
declare function clearTimeout(timer?: Timeout | number | null): void;
declare function clearInterval(timer?: Timeout | number | null): void;
declare function clearImmediate(timer?: Timeout | number | null): void;
declare function queueMicrotask(callback: () => unknown): void;
declare function structuredClone<T>(value: T, options?: { transfer?: readonly ArrayBuffer[] }): T;
declare function atob(text: string): string;
declare function btoa(text: string): string;

declare var performance: { now(): number; readonly timeOrigin: number };
/** Random numbers come from the run's seed: the same when the run is replayed. */
declare var crypto: {
  randomUUID(): string;
  getRandomValues<T extends ArrayBufferView>(view: T): T;
};

declare class TextEncoder {
  readonly encoding: string;
  encode(text?: string): Uint8Array;
  encodeInto(text: string, target: Uint8Array): { read: number; written: number };
}
declare class TextDecoder {
  constructor(encoding?: string, options?: { fatal?: boolean; ignoreBOM?: boolean });
  readonly encoding: string;
  readonly fatal: boolean;
  readonly ignoreBOM: boolean;
  decode(bytes?: ArrayBuffer | ArrayBufferView, options?: { stream?: boolean }): string;
}

declare class DOMException extends Error {
  constructor(message?: string, name?: string);
  readonly code: number;
}
declare class AbortSignal {
  private constructor();
  static abort(reason?: unknown): AbortSignal;
  static timeout(ms: number): AbortSignal;
  static any(signals: Iterable<AbortSignal>): AbortSignal;
  readonly aborted: boolean;
  readonly reason: any;
  onabort: ((event: { readonly type: string; readonly target: AbortSignal }) => unknown) | null;
  throwIfAborted(): void;
  addEventListener(type: "abort", callback: (event: { readonly type: string }) => unknown, options?: { once?: boolean }): void;
  removeEventListener(type: "abort", callback: (event: { readonly type: string }) => unknown): void;
}
declare class AbortController {
  readonly signal: AbortSignal;
  abort(reason?: unknown): void;
}

declare class URL {
  constructor(url: string | URL, base?: string | URL);
  static canParse(url: string | URL, base?: string | URL): boolean;
  static parse(url: string | URL, base?: string | URL): URL | null;
  href: string;
  readonly origin: string;
  protocol: string;
  username: string;
  password: string;
  host: string;
  hostname: string;
  port: string;
  pathname: string;
  search: string;
  readonly searchParams: URLSearchParams;
  hash: string;
  toString(): string;
  toJSON(): string;
}
declare class URLSearchParams {
  constructor(init?: string | Iterable<[string, string]> | Record<string, string> | URLSearchParams);
  readonly size: number;
  append(name: string, value: string): void;
  delete(name: string, value?: string): void;
  get(name: string): string | null;
  getAll(name: string): string[];
  has(name: string, value?: string): boolean;
  set(name: string, value: string): void;
  sort(): void;
  toString(): string;
  forEach(callback: (value: string, name: string, params: URLSearchParams) => void): void;
  entries(): IterableIterator<[string, string]>;
  keys(): IterableIterator<string>;
  values(): IterableIterator<string>;
  [Symbol.iterator](): IterableIterator<[string, string]>;
}

type FileEncoding = "utf8" | "utf-8" | "UTF-8" | "base64";
interface FileStats {
  readonly size: number;
  readonly mtimeMs: number;
  readonly mtime: Date;
  isFile(): boolean;
  isDirectory(): boolean;
  isSymbolicLink(): boolean;
}
interface FileEntry {
  readonly name: string;
  readonly parentPath: string;
  readonly path: string;
  isFile(): boolean;
  isDirectory(): boolean;
}
/** Files below ./workspace/, the only ones a script can reach; they stay from run to run. */
interface FileSystem {
  readFile(path: string, options: FileEncoding | { encoding: FileEncoding }): Promise<string>;
  readFile(path: string, options?: { encoding?: null } | null): Promise<Uint8Array>;
  writeFile(path: string, data: string | ArrayBuffer | ArrayBufferView, options?: FileEncoding | { encoding?: FileEncoding; flag?: "w" | "a" }): Promise<void>;
  appendFile(path: string, data: string | ArrayBuffer | ArrayBufferView, options?: FileEncoding | { encoding?: FileEncoding }): Promise<void>;
  readdir(path: string, options: { withFileTypes: true; recursive?: boolean }): Promise<FileEntry[]>;
  readdir(path: string, options?: { withFileTypes?: false; recursive?: boolean }): Promise<string[]>;
  mkdir(path: string, options?: { recursive?: boolean }): Promise<void>;
  stat(path: string): Promise<FileStats>;
  lstat(path: string): Promise<FileStats>;
  exists(path: string): Promise<boolean>;
  access(path: string): Promise<void>;
  rm(path: string, options?: { recursive?: boolean; force?: boolean }): Promise<void>;
  unlink(path: string): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  copyFile(from: string, to: string): Promise<void>;
  readonly promises: FileSystem;
}
declare var fs: FileSystem;

declare module "node:fs/promises" {
  const files: FileSystem;
  export default files;
  export const readFile: FileSystem["readFile"];
  export const writeFile: FileSystem["writeFile"];
  export const appendFile: FileSystem["appendFile"];
  export const readdir: FileSystem["readdir"];
  export const mkdir: FileSystem["mkdir"];
  export const stat: FileSystem["stat"];
  export const lstat: FileSystem["lstat"];
  export const exists: FileSystem["exists"];
  export const access: FileSystem["access"];
  export const rm: FileSystem["rm"];
  export const unlink: FileSystem["unlink"];
  export const rename: FileSystem["rename"];
  export const copyFile: FileSystem["copyFile"];
  export const promises: FileSystem;
}
declare module "fs/promises" {
  export * from "node:fs/promises";
  export { default } from "node:fs/promises";
}
declare module "node:fs" {
  export * from "node:fs/promises";
  export { default } from "node:fs/promises";
}
declare module "fs" {
  export * from "node:fs/promises";
  export { default } from "node:fs/promises";
}
