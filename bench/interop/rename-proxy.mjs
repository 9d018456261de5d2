// The suite calls tools by fixed names, and mcpfs puts the server's name in front: this stands between them and changes nothing else.
import { once } from "node:events";
import { createServer, request } from "node:http";

/** Passes requests on to `target` with `prefix` in front of the suite's tool names, and takes it away from the answers. */
export async function renameProxy(target, prefix) {
  const { hostname, port, pathname } = new URL(target);
  const server = createServer((incoming, outgoing) => {
    const chunks = [];
    incoming.on("data", (chunk) => chunks.push(chunk));
    incoming.on("end", () => {
      const body = String(Buffer.concat(chunks)).replace(
        /"name":\s*"(test_|json_schema_2020_12_tool)/g,
        `"name":"${prefix}$1`,
      );
      const headers = { ...incoming.headers, "content-length": String(Buffer.byteLength(body)) };
      const passed = request(
        { hostname, port, path: pathname, method: incoming.method, headers },
        (answer) => {
          const { "content-length": _length, ...kept } = answer.headers;
          outgoing.writeHead(answer.statusCode ?? 500, kept);
          answer.setEncoding("utf8");
          answer.on("data", (text) => outgoing.write(text.replaceAll(prefix, "")));
          answer.on("end", () => outgoing.end());
          answer.on("error", () => outgoing.destroy());
        },
      );
      passed.on("error", () => outgoing.destroy());
      outgoing.on("close", () => passed.destroy());
      passed.end(body);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${server.address().port}${pathname}`,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
