import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Json } from "../../src/kernel/json.ts";
import { parseJson } from "../../src/kernel/json.ts";

/** A request that a model server got. */
export interface ModelRequest {
  readonly path: string;
  readonly authorization: string | undefined;
  readonly body: { readonly [key: string]: Json };
}

/** A real HTTP server on this machine that answers as `answer` says; a number is a status, a text is not JSON. */
export async function startModelServer(
  answer: (request: ModelRequest) => Json | number | Promise<Json | number>,
): Promise<AsyncDisposable & { readonly url: string; readonly requests: ModelRequest[] }> {
  const requests: ModelRequest[] = [];
  const server: Server = createServer(async (message, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of message) chunks.push(chunk as Buffer);
    const request: ModelRequest = {
      path: message.url ?? "",
      authorization: message.headers.authorization,
      body: parseJson(Buffer.concat(chunks).toString("utf8")) as ModelRequest["body"],
    };
    requests.push(request);
    const result = await answer(request);
    response.statusCode = typeof result === "number" ? result : 200;
    response.setHeader("content-type", "application/json");
    response.end(typeof result === "string" ? result : JSON.stringify(result));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Embeddings of a toy model: how often each of some words stands in a text. */
export function toyEmbeddings({ body }: ModelRequest): Json {
  const words = ["money", "weather", "person", "music"];
  const near: Readonly<Record<string, string>> = {
    cash: "money",
    rain: "weather",
    human: "person",
    song: "music",
  };
  const data = (body.input as string[]).map((text, index) => ({
    index,
    embedding: words.map(
      (word) =>
        text
          .toLowerCase()
          .split(/\W+/)
          .filter((found) => (near[found] ?? found) === word).length + 0.01,
    ),
  }));
  // Any order is allowed.
  return { data: data.toReversed() };
}
