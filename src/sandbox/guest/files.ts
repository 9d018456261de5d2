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
  NativeError,
  NativeTypeError,
  toLowerCase,
} from "./primordials.ts";

/** The global `fs`: the promises of Node's `fs`, on the built-in server's file calls. Paths are checked by the host. */
type Encoding = "utf8" | "base64" | undefined;
type Options =
  | string
  | null
  | { readonly encoding?: string | null; readonly flag?: string | number | null }
  | undefined;
type Data = string | ArrayBuffer | ArrayBufferView;

interface Facts {
  readonly kind: "file" | "folder" | "other";
  readonly size: number;
  readonly modifiedMs: number;
}

async function call(name: string, args: Record<string, unknown>, madeAt: Error): Promise<unknown> {
  return await callBuiltin(`mcpfs__${name}`, args, madeAt).answer;
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

/** Whether a write appends. @throws where another flag would change what it means: `wx` must not replace a file that is there */
function isAppending(options: Options): boolean {
  const flag = typeof options === "object" ? options?.flag : undefined;
  if (flag === "a" || flag === "w" || flag === undefined || flag === null) return flag === "a";
  throw new NativeTypeError(
    `The flag ${jsonStringify(flag)} is not known here; use "w" or "a", and await fs.exists(…) to keep a file that is there.`,
  );
}

async function readFile(path: string, options?: Options): Promise<string | Uint8Array> {
  const madeAt = new NativeError();
  const encoding = encodingOf(options);
  const text = (await call(
    "read_file",
    { path: pathOf(path), encoding: encoding ?? "base64" },
    madeAt,
  )) as string;
  return encoding === undefined ? (base64ToBytes(text) ?? new Uint8Array(0)) : text;
}

async function write(
  path: string,
  data: Data,
  options: Options,
  isAppended: boolean,
  madeAt: Error,
): Promise<void> {
  const mode = isAppending(options) || isAppended ? { append: true } : {};
  if (typeof data === "string") {
    const body = encodingOf(options) === "base64" ? { base64: data } : { text: data };
    await call("write_file", { path: pathOf(path), ...body, ...mode }, madeAt);
  } else if (isPrototype(NativeArrayBuffer.prototype, data) || isView(data))
    await call("write_file", { path: pathOf(path), base64: bytesToBase64(toBytes(data)), ...mode }, madeAt);
  else
    throw new NativeTypeError(
      "A file takes a text or bytes; turn other values into text with JSON.stringify.",
    );
}

async function statOf(path: string, madeAt: Error): Promise<object> {
  const facts = (await call("stat_file", { path: pathOf(path) }, madeAt)) as Facts;
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
  const madeAt = new NativeError();
  const found: unknown[] = [];
  const visit = async (folder: string, below: string): Promise<void> => {
    const entries = (await call("list_files", { path: folder }, madeAt)) as Entry[];
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
    await statOf(path, new NativeError());
    return true;
  } catch (error) {
    if (isError(error) && factsOf(error)?.code === "FILE_FAILED") return false;
    throw error;
  }
}

async function copyFile(from: string, to: string, mode: unknown = 0): Promise<void> {
  if (mode !== 0)
    throw new NativeTypeError(
      "fs.copyFile takes no mode here; await fs.exists(…) says whether a file is there.",
    );
  const madeAt = new NativeError();
  const base64 = await call("read_file", { path: pathOf(from), encoding: "base64" }, madeAt);
  await call("write_file", { path: pathOf(to), base64 }, madeAt);
}

interface RemoveOptions {
  readonly recursive?: boolean;
  readonly force?: boolean;
}

const promises: Record<string, unknown> = {
  readFile,
  writeFile: (path: string, data: Data, options?: Options) =>
    write(path, data, options, false, new NativeError()),
  appendFile: (path: string, data: Data, options?: Options) =>
    write(path, data, options, true, new NativeError()),
  readdir,
  mkdir: async (path: string, options?: { readonly recursive?: boolean }) => {
    await call(
      "make_folder",
      { path: pathOf(path), recursive: options?.recursive === true },
      new NativeError(),
    );
  },
  stat: (path: string) => statOf(path, new NativeError()),
  lstat: (path: string) => statOf(path, new NativeError()),
  rm: async (path: string, options?: RemoveOptions) => {
    const { recursive = false, force = false } = options ?? {};
    await call("remove_file", { path: pathOf(path), recursive, force }, new NativeError());
  },
  unlink: async (path: string) => {
    await call("remove_file", { path: pathOf(path), recursive: false, force: false }, new NativeError());
  },
  rename: async (from: string, to: string) => {
    await call("rename_file", { from: pathOf(from), to: pathOf(to) }, new NativeError());
  },
  access: async (path: string) => {
    await statOf(path, new NativeError());
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
