import { DOMException } from "./abort.ts";
import { base64ToBytes, bytesToBase64 } from "./base64.ts";
import { defineGlobal } from "./primordials.ts";

/** Texts are built in pieces of this many code units: `fromCharCode` takes its characters as parameters. */
const PIECE = 4_096;

/** The UTF-8 bytes of a text; a lone surrogate becomes U+FFFD. */
function utf8Bytes(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length * 3);
  return bytes.slice(0, writeUtf8(text, bytes).written);
}

function writeUtf8(text: string, target: Uint8Array): { read: number; written: number } {
  let read = 0;
  let at = 0;
  while (read < text.length) {
    let code = text.codePointAt(read) ?? 0;
    const units = code > 0xffff ? 2 : 1;
    if (code >= 0xd800 && code <= 0xdfff) code = 0xfffd;
    const size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    if (at + size > target.length) break;
    if (size === 1) target[at] = code;
    else {
      for (let rest = size - 1; rest > 0; rest -= 1) {
        target[at + rest] = 0x80 | (code & 0x3f);
        code >>= 6;
      }
      target[at] = ((0xf00 >> size) & 0xff) | code;
    }
    at += size;
    read += units;
  }
  return { read, written: at };
}

class TextEncoder {
  readonly encoding = "utf-8";
  encode(text: unknown = ""): Uint8Array {
    return utf8Bytes(String(text));
  }
  encodeInto(text: unknown, target: Uint8Array): { read: number; written: number } {
    return writeUtf8(String(text), target);
  }
}

/** `TextDecoder` for UTF-8, by the Encoding Standard's state machine. */
class TextDecoder {
  readonly encoding = "utf-8";
  readonly fatal: boolean;
  readonly ignoreBOM: boolean;
  #needed = 0;
  #seen = 0;
  #code = 0;
  #lower = 0x80;
  #upper = 0xbf;
  #isBomPossible = true;

  constructor(label: unknown = "utf-8", options: { fatal?: boolean; ignoreBOM?: boolean } = {}) {
    if (!["utf-8", "utf8", "unicode-1-1-utf-8"].includes(String(label).trim().toLowerCase()))
      throw new RangeError(`TextDecoder knows "utf-8" only, not ${JSON.stringify(label)}.`);
    this.fatal = options.fatal === true;
    this.ignoreBOM = options.ignoreBOM === true;
  }

  decode(input?: ArrayBuffer | ArrayBufferView, options: { stream?: boolean } = {}): string {
    let text = "";
    let piece: number[] = [];
    const put = (code: number): void => {
      if (this.#isBomPossible && code === 0xfeff && !this.ignoreBOM) {
        this.#isBomPossible = false;
        return;
      }
      this.#isBomPossible = false;
      piece.push(code);
      if (piece.length < PIECE) return;
      text += String.fromCodePoint(...piece);
      piece = [];
    };
    const wrong = (): void => {
      this.#reset();
      if (this.fatal) {
        this.#isBomPossible = true;
        throw new TypeError("The bytes are not valid UTF-8.");
      }
      put(0xfffd);
    };
    const bytes = toBytes(input);
    for (let index = 0; index < bytes.length; index += 1) {
      const byte = bytes[index] ?? 0;
      if (this.#needed === 0) {
        if (byte < 0x80) put(byte);
        else if (byte >= 0xc2 && byte <= 0xf4) this.#lead(byte);
        else wrong();
      } else if (byte < this.#lower || byte > this.#upper) {
        wrong();
        index -= 1;
      } else {
        this.#lower = 0x80;
        this.#upper = 0xbf;
        this.#code = (this.#code << 6) | (byte & 0x3f);
        this.#seen += 1;
        if (this.#seen < this.#needed) continue;
        const code = this.#code;
        this.#reset();
        put(code);
      }
    }
    if (options.stream !== true) {
      if (this.#needed > 0) wrong();
      this.#isBomPossible = true;
    }
    return text + String.fromCodePoint(...piece);
  }

  #lead(byte: number): void {
    this.#needed = byte < 0xe0 ? 1 : byte < 0xf0 ? 2 : 3;
    this.#code = byte & (0x3f >> this.#needed);
    this.#lower = byte === 0xe0 ? 0xa0 : byte === 0xf0 ? 0x90 : 0x80;
    this.#upper = byte === 0xed ? 0x9f : byte === 0xf4 ? 0x8f : 0xbf;
  }

  #reset(): void {
    this.#needed = 0;
    this.#seen = 0;
    this.#code = 0;
    this.#lower = 0x80;
    this.#upper = 0xbf;
  }
}

/** The bytes behind a buffer or a view of one, not copied. */
export function toBytes(input: ArrayBuffer | ArrayBufferView | undefined): Uint8Array {
  if (input === undefined) return new Uint8Array(0);
  if (input instanceof Uint8Array) return input;
  if (ArrayBuffer.isView(input)) return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
  return new Uint8Array(input);
}

/** A text with one byte a character, as `atob` gives it. */
function atob(input: unknown): string {
  const bytes = base64ToBytes(String(input));
  if (bytes === undefined)
    throw new DOMException("The text to be decoded is not correctly encoded.", "InvalidCharacterError");
  let text = "";
  for (let start = 0; start < bytes.length; start += PIECE)
    text += String.fromCharCode(...bytes.subarray(start, start + PIECE));
  return text;
}

function btoa(input: unknown): string {
  const text = String(input);
  const bytes = new Uint8Array(text.length);
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code > 255)
      throw new DOMException(
        "btoa takes characters up to U+00FF; encode other text with TextEncoder first.",
        "InvalidCharacterError",
      );
    bytes[index] = code;
  }
  return bytesToBase64(bytes);
}

export function installEncoding(): void {
  defineGlobal("TextEncoder", TextEncoder);
  defineGlobal("TextDecoder", TextDecoder);
  defineGlobal("atob", atob);
  defineGlobal("btoa", btoa);
}
