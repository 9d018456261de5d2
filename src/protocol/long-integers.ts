import { randomUUID } from "node:crypto";
import { type Readable, Transform, Writable } from "node:stream";
import { isJsonObject, type Json, markLongIntegers } from "../kernel/json.ts";

/**
 * Keeps the digits of integers beyond 2^53 although the SDK reads and prints messages with a JSON that rounds the one and refuses the
 * other: between us and the SDK such an integer is a string with a mark, in a message it is plain digits. The mark is random, so nobody
 * else can write one.
 */
export interface LongIntegers {
  /** For the text of a message, or whole lines of it, before the SDK parses it. */
  readonly markText: (text: string) => string;
  /** For what the SDK gives us. */
  readonly unmark: (value: Json) => Json;
  /** For what we give the SDK. */
  readonly mark: (value: Json) => Json;
  /** For what the SDK has printed. */
  readonly plainText: (text: string) => string;
}

/** Creates the marks of one transport. */
export function createLongIntegers(): LongIntegers {
  const prefix = `mcpfs-integer-${randomUUID()}:`;
  // In JSON that stands as a text in JSON the quotes are escaped.
  const marked = new RegExp(`(\\\\*)"${prefix}(-?\\d+)\\1"`, "g");
  return {
    markText: (text) => markLongIntegers(text, prefix),
    unmark: (value) =>
      mapScalars(value, (item) =>
        typeof item === "string" && item.startsWith(prefix) ? BigInt(item.slice(prefix.length)) : item,
      ),
    mark: (value) => mapScalars(value, (item) => (typeof item === "bigint" ? `${prefix}${item}` : item)),
    plainText: (text) => (text.includes(prefix) ? text.replaceAll(marked, "$2") : text),
  };
}

function mapScalars(value: Json, map: (item: Json) => Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map((item) => mapScalars(item, map));
  if (!isJsonObject(value)) return map(value);
  // Not an assignment: a key `__proto__` has to stay a key.
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, item === undefined ? item : mapScalars(item, map)]),
  );
}

const LINE_FEED = 10;

/** The lines of a stream with their long integers marked. One that is longer than `maxBytes` goes on as it is. */
export function markedLines(source: Readable, integers: LongIntegers, maxBytes: number): Transform {
  let rest: Buffer[] = [];
  let restBytes = 0;
  const whole = (last: Buffer): Buffer => {
    const lines = Buffer.concat([...rest, last]);
    rest = [];
    restBytes = 0;
    return lines;
  };
  const marking = new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      const end = chunk.lastIndexOf(LINE_FEED) + 1;
      if (end === 0 && restBytes + chunk.length <= maxBytes) {
        rest.push(chunk);
        restBytes += chunk.length;
        return done();
      }
      if (end === 0) return done(null, whole(chunk));
      const lines = whole(chunk.subarray(0, end)).toString("utf8");
      rest = [chunk.subarray(end)];
      restBytes = chunk.length - end;
      done(null, integers.markText(lines));
    },
    flush: (done) => done(null, whole(Buffer.alloc(0))),
  });
  source.on("error", () => marking.destroy());
  return source.pipe(marking);
}

/** A stream that prints long integers as digits, in front of `target`. Each write is a whole message. */
export function plainLines(target: Writable, integers: LongIntegers): Writable {
  const printing = new Writable({
    decodeStrings: false,
    write: (chunk: string | Buffer, _encoding, done) => {
      target.write(typeof chunk === "string" ? integers.plainText(chunk) : chunk, done);
    },
  });
  // Whoever listens to the target hears of its errors.
  printing.on("error", () => {});
  return printing;
}

/** An answer over HTTP with long integers as digits. The SDK hands over each event in one piece. */
export function plainResponse(response: Response, integers: LongIntegers): Response {
  if (response.body === null) return response;
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const printing = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      controller.enqueue(encoder.encode(integers.plainText(decoder.decode(chunk, { stream: true }))));
    },
  });
  const { status, statusText, headers } = response;
  const body = response.body.pipeThrough(printing);
  const plain = new Headers(headers);
  plain.delete("content-length");
  return new Response(body, { status, statusText, headers: plain });
}
