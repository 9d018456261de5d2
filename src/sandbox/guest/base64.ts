const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const CODES = Uint8Array.from(ALPHABET, (character) => character.charCodeAt(0));
const PADDING = 61;
const NO_VALUE = 255;
const VALUES = new Uint8Array(128).fill(NO_VALUE);
for (let value = 0; value < CODES.length; value += 1) VALUES[CODES[value] ?? 0] = value;

/** Texts are built in pieces of this many bytes (a multiple of 3): `fromCharCode` takes its characters as parameters. */
const PIECE = 3_072;

/** Base64 with padding. */
export function bytesToBase64(bytes: Uint8Array): string {
  let text = "";
  for (let start = 0; start < bytes.length; start += PIECE) {
    const end = Math.min(start + PIECE, bytes.length);
    const codes: number[] = [];
    for (let index = start; index < end; index += 3) {
      const a = bytes[index] ?? 0;
      const b = bytes[index + 1] ?? 0;
      const c = bytes[index + 2] ?? 0;
      const rest = end - index;
      codes.push(
        CODES[a >> 2] ?? 0,
        CODES[((a & 3) << 4) | (b >> 4)] ?? 0,
        rest > 1 ? (CODES[((b & 15) << 2) | (c >> 6)] ?? 0) : PADDING,
        rest > 2 ? (CODES[c & 63] ?? 0) : PADDING,
      );
    }
    text += String.fromCharCode(...codes);
  }
  return text;
}

/** The forgiving decoding of the Infra Standard: white space is skipped; `undefined` for text that is not base64. */
export function base64ToBytes(text: string): Uint8Array | undefined {
  let data = text.replace(/[\t\n\f\r ]+/g, "");
  if (data.length % 4 === 0) data = data.replace(/={1,2}$/, "");
  if (data.length % 4 === 1) return undefined;
  const bytes = new Uint8Array(Math.floor((data.length * 3) / 4));
  let buffer = 0;
  let bits = 0;
  let at = 0;
  for (let index = 0; index < data.length; index += 1) {
    const value = VALUES[data.charCodeAt(index)] ?? NO_VALUE;
    if (value === NO_VALUE) return undefined;
    buffer = ((buffer << 6) | value) & 0xffff;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[at] = (buffer >> bits) & 255;
    at += 1;
  }
  return bytes;
}
