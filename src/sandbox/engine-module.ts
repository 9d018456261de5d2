import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

/**
 * The name under which the compiled engine exports its table of C functions. The published build keeps it inside;
 * without it the engine's hook for unhandled rejections cannot be set (see `rejection-tracker.ts`).
 */
export const TABLE_EXPORT = "table";

/** Compiles the engine once; the result can be shared by all threads of the process. */
export async function compileEngine(): Promise<WebAssembly.Module> {
  const path = createRequire(import.meta.url).resolve("@jitl/quickjs-wasmfile-release-sync/wasm");
  return await WebAssembly.compile(withTable(await readFile(path)));
}

const TABLE_SECTION = 4;
const EXPORT_SECTION = 7;
const MAGIC_BYTES = 8;
const TABLE_KIND = 1;

/** Exports the module's only table and lets it grow by one: all other bytes stay as published. */
function withTable(wasm: Uint8Array): Uint8Array<ArrayBuffer> {
  const parts: Uint8Array[] = [wasm.subarray(0, MAGIC_BYTES)];
  for (let at = MAGIC_BYTES; at < wasm.length; ) {
    const id = wasm[at] ?? 0;
    const { value: size, end: start } = readNumber(wasm, at + 1);
    let body = wasm.subarray(start, start + size);
    at = start + size;
    if (id === TABLE_SECTION) body = growable(body);
    if (id === EXPORT_SECTION) body = withExport(body);
    parts.push(Uint8Array.of(id, ...printNumber(body.length)), body);
  }
  return Uint8Array.from(Buffer.concat(parts));
}

/** One table: its element type, a flag that says whether a maximum follows, the minimum, the maximum. */
function growable(body: Uint8Array): Uint8Array {
  const minimum = readNumber(body, 3).value;
  return Uint8Array.of(1, body[1] ?? 0, 0, ...printNumber(minimum));
}

function withExport(body: Uint8Array): Uint8Array {
  const { value: exports, end } = readNumber(body, 0);
  const name = Buffer.from(TABLE_EXPORT);
  const added = Uint8Array.of(name.length, ...name, TABLE_KIND, 0);
  return Buffer.concat([Uint8Array.from(printNumber(exports + 1)), body.subarray(end), added]);
}

/** Numbers in WebAssembly are LEB128: seven bits a byte, the eighth says that more follow. */
function readNumber(bytes: Uint8Array, start: number): { readonly value: number; readonly end: number } {
  let value = 0;
  for (let at = start, shift = 0; ; at += 1, shift += 7) {
    const byte = bytes[at] ?? 0;
    value |= (byte & 127) << shift;
    if (byte < 128) return { value: value >>> 0, end: at + 1 };
  }
}

function printNumber(number: number): number[] {
  const bytes: number[] = [];
  let rest = number;
  for (; rest > 127; rest >>>= 7) bytes.push((rest & 127) | 128);
  return [...bytes, rest];
}
