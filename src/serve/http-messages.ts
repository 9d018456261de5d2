import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";

/** A body that was read, or why it was not. */
export type Body =
  | { readonly kind: "read"; readonly json: unknown }
  | { readonly kind: "refused"; readonly status: number; readonly code: number; readonly message: string };

/** Reads the JSON body of a POST, within `maxBytes`; of a longer one no more is taken in. */
export async function readBody(
  request: IncomingMessage,
  maxBytes: number,
  parse: (text: string) => unknown,
): Promise<Body> {
  const type = (request.headers["content-type"] ?? "").split(";", 1)[0]?.trim().toLowerCase();
  if (type !== "application/json") return refused(415, -32_000, "Content-Type must be application/json.");
  const tooLarge = refused(413, -32_000, `A message may have ${maxBytes} bytes.`);
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) return tooLarge;
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) return tooLarge;
    chunks.push(chunk);
  }
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(Buffer.concat(chunks));
    return { kind: "read", json: parse(text) };
  } catch {
    return refused(400, -32_700, "The body is not JSON in UTF-8.");
  }
}

function refused(status: number, code: number, message: string): Body {
  return { kind: "refused", status, code, message };
}

/** The request in the form that the protocol's handlers take, without its body; `signal` aborts when the client is gone. */
export function webRequest(request: IncomingMessage, signal: AbortSignal): Request {
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers))
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(", ") : value);
  // The body was read; what is not there must not be announced.
  headers.delete("content-length");
  headers.delete("transfer-encoding");
  const url = `http://${request.headers.host}${request.url ?? "/"}`;
  return new Request(url, { method: request.method ?? "GET", headers, signal });
}

/** Sends an answer, streams as they come. Resolves when it has left, or the client is gone. */
export async function sendResponse(
  answer: Response,
  response: ServerResponse,
  extra: Readonly<Record<string, string>>,
): Promise<void> {
  response.writeHead(answer.status, { ...Object.fromEntries(answer.headers), ...extra });
  if (answer.body === null) {
    response.end();
    return;
  }
  response.flushHeaders();
  await pipeline(Readable.fromWeb(answer.body as Parameters<typeof Readable.fromWeb>[0]), response).catch(
    () => {},
  );
}

/** A refusal in the protocol's own form. */
export function jsonRpcError(code: number, message: string): string {
  return JSON.stringify({ jsonrpc: "2.0", error: { code, message }, id: null });
}
