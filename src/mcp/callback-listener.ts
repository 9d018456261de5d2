import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { McpfsError, systemCode } from "../kernel/errors.ts";

/** Waits on this machine for the browser to come back from an authorization server (RFC 8252, clause 7.3). */
export interface CallbackListener extends AsyncDisposable {
  /** `http://127.0.0.1:<port>/callback` */
  readonly redirect: string;
  /** The parameters of the one request that carries `state`; all others are turned away. */
  readonly answer: (state: string) => Promise<URLSearchParams>;
}

const PATH = "/callback";

/**
 * Starts to listen, on the loopback address only.
 * @param port 0 for any that is free
 * @throws McpfsError USAGE where the port is taken
 */
export async function listenForCallback(port: number): Promise<CallbackListener> {
  let expected: { readonly state: string; readonly take: (parameters: URLSearchParams) => void } | undefined;
  const server = createServer((request, response) => {
    const parameters = parametersOf(request);
    if (parameters === undefined) return show(response, 404, "There is nothing here.");
    if (expected === undefined || parameters.get("state") !== expected.state)
      return show(response, 400, "This does not come from the sign-in that mcpfs waits for.");
    const isGranted = parameters.has("code");
    const { take } = expected;
    expected = undefined;
    show(
      response,
      200,
      isGranted
        ? "mcpfs got the answer. You can close this page and go back to the terminal."
        : "You are not signed in. The terminal says why.",
      () => take(parameters),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", (error) => reject(cannotListen(port, error)));
    server.listen(port, "127.0.0.1", resolve);
  });
  const address = server.address();
  const bound = typeof address === "object" && address !== null ? address.port : port;
  return {
    redirect: `http://127.0.0.1:${bound}${PATH}`,
    answer: (state) =>
      new Promise((resolve) => {
        expected = { state, take: resolve };
      }),
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function parametersOf({ method, url = "" }: IncomingMessage): URLSearchParams | undefined {
  if (method !== "GET" || !URL.canParse(url, "http://127.0.0.1")) return undefined;
  const { pathname, searchParams } = new URL(url, "http://127.0.0.1");
  return pathname === PATH ? searchParams : undefined;
}

/** Nothing of the request is in the page, and the address, which holds the code, goes nowhere from it. */
function show(
  response: ServerResponse,
  status: number,
  sentence: string,
  onSent: () => void = () => {},
): void {
  response.writeHead(status, {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": "default-src 'none'",
    "referrer-policy": "no-referrer",
    "cache-control": "no-store",
    connection: "close",
  });
  response.end(`<!doctype html><title>mcpfs</title><p>${sentence}</p>\n`, onSent);
}

function cannotListen(port: number, error: unknown): McpfsError {
  return new McpfsError(
    "USAGE",
    `The browser cannot come back to 127.0.0.1:${port} (${systemCode(error)}).`,
    { hint: 'Free the port, or set another "oauth.callbackPort" that the authorization server knows.' },
  );
}
