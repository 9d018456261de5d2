import { defineGlobal, defineProperty } from "./primordials.ts";

/**
 * Random numbers from the run's seed (law 4): sfc32 (Chris Doty-Humphrey, part of PractRand), its 128 bits of state
 * made from the seed's text by four rounds of MurmurHash3's mixing. Two streams, so that drawing UUIDs does not
 * change what `Math.random` gives.
 */
export interface RandomStream {
  /** A 32-bit unsigned integer. */
  readonly next: () => number;
}

function createRandomStream(seed: string): RandomStream {
  let a = mix(seed, 0x9e3779b9);
  let b = mix(seed, 0x243f6a88);
  let c = mix(seed, 0xb7e15162);
  let counter = mix(seed, 0x2545f491);
  const next = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return sum >>> 0;
  };
  for (let round = 0; round < 12; round += 1) next();
  return { next };
}

function mix(text: string, start: number): number {
  let hash = start ^ text.length;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0xcc9e2d51);
    hash = (hash << 15) | (hash >>> 17);
    hash = Math.imul(hash, 0x1b873593) ^ (hash >>> 13);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

/** The web's bound on one call. */
const MAX_RANDOM_BYTES = 65_536;

/** Makes `Math.random` and `crypto` draw from streams of `seed`. */
export function installRandom(seed: string): void {
  const numbers = createRandomStream(`math:${seed}`);
  const bytes = createRandomStream(`crypto:${seed}`);
  const random = (): number => (numbers.next() >>> 5) * 2 ** -27 + (numbers.next() >>> 6) * 2 ** -53;
  defineProperty(Math, "random", { value: random, writable: true, enumerable: false, configurable: true });

  const getRandomValues = <T extends ArrayBufferView>(view: T): T => {
    if (!ArrayBuffer.isView(view)) throw new TypeError("crypto.getRandomValues takes a typed array.");
    if (view.byteLength > MAX_RANDOM_BYTES)
      throw new RangeError(`crypto.getRandomValues gives at most ${MAX_RANDOM_BYTES} bytes at once.`);
    const target = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
    for (let index = 0; index < target.length; index += 1) target[index] = bytes.next() & 255;
    return view;
  };
  const randomUUID = (): string => {
    const raw = getRandomValues(new Uint8Array(16));
    raw[6] = ((raw[6] ?? 0) & 15) | 64;
    raw[8] = ((raw[8] ?? 0) & 63) | 128;
    let text = "";
    for (let index = 0; index < 16; index += 1) {
      if (index === 4 || index === 6 || index === 8 || index === 10) text += "-";
      text += ((raw[index] ?? 0) + 256).toString(16).slice(1);
    }
    return text;
  };
  defineGlobal("crypto", { getRandomValues, randomUUID });
}
