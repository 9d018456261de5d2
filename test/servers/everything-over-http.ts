import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { real, until } from "./servers.ts";

async function freePort(): Promise<number> {
  return await new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
}

/** server-everything in one of its HTTP modes. */
export async function everythingOverHttp(
  mode: "streamableHttp" | "sse",
): Promise<{ port: number; [Symbol.asyncDispose](): Promise<void> }> {
  const port = await freePort();
  const { command, args } = real.everything(mode);
  const child = spawn(command, args, {
    env: { ...process.env, PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let text = "";
  child.stderr.on("data", (chunk: Buffer) => {
    text += chunk.toString();
  });
  await until("the server listens", () => text.includes(`port ${port}`), 20_000);
  return {
    port,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        child.once("exit", () => resolve());
        child.kill("SIGKILL");
      }),
  };
}
