import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { StdioServerTransport, serveStdio } from "@modelcontextprotocol/server/stdio";
import { createServer } from "./create-server.ts";
import { createLongIntegers, markedLines, plainLines } from "./long-integers.ts";
import type { Served } from "./served.ts";

/** A script with its data fits; more in one message is a mistake. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

/**
 * Serves on two streams in both generations of the protocol, until the client goes away or `signal` aborts. Calls that
 * are open then are aborted. `stdout` carries the protocol and nothing else.
 */
export async function serveOnStdio(
  served: Served,
  streams: { readonly stdin: Readable; readonly stdout: Writable; readonly signal?: AbortSignal },
): Promise<void> {
  const { stdin, stdout, signal } = streams;
  const gone = clientIsGone(stdin, stdout, signal);
  const integers = createLongIntegers();
  const lines = markedLines(stdin, integers, MAX_MESSAGE_BYTES);
  const transport = new StdioServerTransport(lines, plainLines(stdout, integers), {
    maxBufferSize: MAX_MESSAGE_BYTES,
  });
  // The SDK asks for a server more than once while it finds out the generation.
  const connection = serveStdio(
    ({ era }) => createServer(served, { era, identity: "local", isLasting: true, integers }),
    { transport },
  );
  await gone;
  await connection.close();
  stdin.unpipe(lines);
}

/** stdin ends when a client closes; stdout breaks when it died. */
async function clientIsGone(
  stdin: Readable,
  stdout: Writable,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (stdin.readableEnded || stdin.destroyed || signal?.aborted) return;
  const over = new AbortController();
  const options = { signal: over.signal };
  const ends = [
    once(stdin, "end", options),
    once(stdin, "close", options),
    once(stdout, "error", options),
    once(stdout, "close", options),
    ...(signal === undefined ? [] : [once(signal, "abort", options)]),
  ];
  await Promise.race(ends).catch(() => {});
  over.abort();
  await Promise.allSettled(ends);
}
