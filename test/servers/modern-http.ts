import type { McpHttpHandler } from "@modelcontextprotocol/server";
import type { HttpExchange } from "./http-server.ts";

/** Lets the SDK's handler answer a request of an HTTP test server; it learns when the client goes away. */
export async function answerModern(
  handler: McpHttpHandler,
  { request, response, body }: HttpExchange,
): Promise<void> {
  const gone = new AbortController();
  response.on("close", () => gone.abort());
  const answer = await handler.fetch(
    new Request(`http://127.0.0.1${request.url}`, {
      method: request.method ?? "GET",
      headers: request.headers as Record<string, string>,
      signal: gone.signal,
      ...(body !== "" && { body }),
    }),
  );
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  response.on("close", () => void answer.body?.cancel().catch(() => {}));
  for await (const chunk of answer.body ?? []) response.write(chunk);
  response.end();
}
