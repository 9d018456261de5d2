import { base64ToBytes, bytesToBase64 } from "./base64.ts";
import { callBuiltin } from "./bridge.ts";
import { toBytes } from "./encoding.ts";
import { factsOf, refusedError } from "./errors.ts";
import {
  apply,
  defineGlobal,
  defineMember,
  isError,
  isPrototype,
  isView,
  jsonStringify,
  NativeArrayBuffer,
  NativeTypeError,
  startsWith,
  toLowerCase,
} from "./primordials.ts";
import { callerStack } from "./stack.ts";

/** The global `fs`: the promises of Node's `fs`, on the built-in server's file calls. Paths are checked by the host. */
type Encoding = "utf8" | "base64" | undefined;
type Options = string | null | { readonly encoding?: string | null; readonly flag?: string } | undefined;
type Data = string | ArrayBuffer | ArrayBufferView;

interface Facts {
  readonly kind: "file" | "folder" | "other";
  readonly size: number;
  readonly modifiedMs: number;
}

async function call(name: string, args: Record<string, unknown>, stack: string): Promise<unknown> {
  return await callBuiltin(`mcpfs__${name}`, args, stack).answer;
}

function pathOf(path: unknown): string {
  if (typeof path === "string") return path;
  throw new NativeTypeError('A path is a text relative to the workspace, such as "./workspace/notes.txt".');
}

function encodingOf(options: Options): Encoding {
  const named = typeof options === "string" ? options : options?.encoding;
  if (named === undefined || named === null) return undefined;
  const encoding = toLowerCase(named);
  if (encoding === "utf8" || encoding === "utf-8") return "utf8";
  if (encoding === "base64") return "base64";
  throw new NativeTypeError(
    `The encoding ${jsonStringify(named)} is not known here; use "utf8" or "base64".`,
  );
}

async function readFile(path: string, options?: Options): Promise<string | Uint8Array> {
  const stack = callerStack();
  const encoding = encodingOf(options);
  const text = (await call(
    "read_file",
    { path: pathOf(path), encoding: encoding ?? "base64" },
    stack,
  )) as string;
  return encoding === undefined ? (base64ToBytes(text) ?? new Uint8Array(0)) : text;
}

async function write(
  path: string,
  data: Data,
  options: Options,
  isAppended: boolean,
  stack: string,
): Promise<void> {
  const flag = typeof options === "object" && options?.flag;
  const append = isAppended || (typeof flag === "string" && startsWith(flag, "a"));
  const mode = append ? { append: true } : {};
  if (typeof data === "string") {
    const body = encodingOf(options) === "base64" ? { base64: data } : { text: data };
    await call("write_file", { path: pathOf(path), ...body, ...mode }, stack);
  } else if (isPrototype(NativeArrayBuffer.prototype, data) || isView(data))
    await call("write_file", { path: pathOf(path), base64: bytesToBase64(toBytes(data)), ...mode }, stack);
  else
    throw new NativeTypeError(
      "A file takes a text or bytes; turn other values into text with JSON.stringify.",
    );
}

async function statOf(path: string, stack: string): Promise<object> {
  const facts = (await call("stat_file", { path: pathOf(path) }, stack)) as Facts;
  return {
    size: facts.size,
    mtimeMs: facts.modifiedMs,
    mtime: new Date(facts.modifiedMs),
    isFile: () => facts.kind === "file",
    isDirectory: () => facts.kind === "folder",
    isSymbolicLink: () => false,
  };
}

interface Entry {
  readonly name: string;
  readonly kind: string;
}

async function readdir(
  path: string,
  options?: { readonly withFileTypes?: boolean; readonly recursive?: boolean },
): Promise<unknown[]> {
  const stack = callerStack();
  const found: unknown[] = [];
  const visit = async (folder: string, below: string): Promise<void> => {
    const entries = (await call("list_files", { path: folder }, stack)) as Entry[];
    for (const { name, kind } of entries) {
      const isFolder = kind === "folder";
      found.push(
        options?.withFileTypes === true
          ? {
              name,
              parentPath: folder,
              path: folder,
              isFile: () => kind === "file",
              isDirectory: () => isFolder,
            }
          : below + name,
      );
      if (isFolder && options?.recursive === true) await visit(`${folder}/${name}`, `${below}${name}/`);
    }
  };
  await visit(pathOf(path), "");
  return found;
}

async function exists(path: string): Promise<boolean> {
  try {
    await statOf(path, callerStack());
    return true;
  } catch (error) {
    if (isError(error) && factsOf(error)?.code === "FILE_FAILED") return false;
    throw error;
  }
}

async function copyFile(from: string, to: string): Promise<void> {
  const stack = callerStack();
  const base64 = await call("read_file", { path: pathOf(from), encoding: "base64" }, stack);
  await call("write_file", { path: pathOf(to), base64 }, stack);
}

interface RemoveOptions {
  readonly recursive?: boolean;
  readonly force?: boolean;
}

const promises: Record<string, unknown> = {
  readFile,
  writeFile: (path: string, data: Data, options?: Options) =>
    write(path, data, options, false, callerStack()),
  appendFile: (path: string, data: Data, options?: Options) =>
    write(path, data, options, true, callerStack()),
  readdir,
  mkdir: async (path: string, options?: { readonly recursive?: boolean }) => {
    await call("make_folder", { path: pathOf(path), recursive: options?.recursive === true }, callerStack());
  },
  stat: (path: string) => statOf(path, callerStack()),
  lstat: (path: string) => statOf(path, callerStack()),
  rm: async (path: string, options?: RemoveOptions) => {
    const { recursive = false, force = false } = options ?? {};
    await call("remove_file", { path: pathOf(path), recursive, force }, callerStack());
  },
  unlink: async (path: string) => {
    await call("remove_file", { path: pathOf(path), recursive: false, force: false }, callerStack());
  },
  rename: async (from: string, to: string) => {
    await call("rename_file", { from: pathOf(from), to: pathOf(to) }, callerStack());
  },
  access: async (path: string) => {
    await statOf(path, callerStack());
  },
  exists,
  copyFile,
};

/** Each synchronous name of Node's `fs`, with the promise that does its work. */
const SYNCHRONOUS: Readonly<Record<string, string>> = {
  readFileSync: "readFile",
  writeFileSync: "writeFile",
  appendFileSync: "appendFile",
  readdirSync: "readdir",
  mkdirSync: "mkdir",
  statSync: "stat",
  lstatSync: "lstat",
  rmSync: "rm",
  rmdirSync: "rm",
  unlinkSync: "unlink",
  renameSync: "rename",
  accessSync: "access",
  existsSync: "exists",
  copyFileSync: "copyFile",
  createReadStream: "readFile",
  createWriteStream: "writeFile",
};

export function installFiles(): void {
  const fs: Record<string, unknown> = {};
  for (const [name, work] of Object.entries(promises)) fs[name] = withoutCallback(name, work as Work);
  for (const [name, instead] of Object.entries(SYNCHRONOUS))
    fs[name] = () => {
      throw refusedError(`fs.${name} does not exist in the sandbox.`, `Use await fs.${instead}(…) instead.`);
    };
  defineMember(fs, "promises", fs, false);
  defineGlobal("fs", fs);
}

type Work = (...args: unknown[]) => unknown;

/** Node's callback form would wait for ever: the callback is never called. */
function withoutCallback(name: string, work: Work): Work {
  const method = (...args: unknown[]): unknown => {
    if (typeof args[args.length - 1] === "function")
      throw refusedError(`fs.${name} takes no callback in the sandbox.`, `Use await fs.${name}(…) instead.`);
    return apply(work, undefined, args);
  };
  defineMember(method, "name", name, false);
  return method;
}
