import { type Command, InvalidArgumentError, Option } from "commander";
import { McpfsError } from "../../kernel/errors.ts";
import { count } from "../../kernel/text.ts";
import { SERVE_MODES, type ServeMode } from "../../model/serve-mode.ts";
import type { CliContext } from "../cli-context.ts";

interface ServeCommandOptions {
  readonly http?: number;
  readonly host?: string;
  readonly mode?: ServeMode;
}

/** Nobody but the programs of this machine reaches it. */
const LOOPBACK = "127.0.0.1";

/** `mcpfs serve` */
export function addServeCommand(program: Command, cli: CliContext): void {
  program
    .command("serve")
    .description("serve the workspace to MCP clients: over stdin and stdout, or over HTTP")
    .option("--http <port>", "streamable HTTP on this port of this machine; 0 takes a free one", portNumber)
    .option("--host <address>", "with --http: another address to listen on than 127.0.0.1; needs a token")
    .addOption(
      new Option(
        "--mode <mode>",
        "every tool (direct), tools that find tools (discover), those and scripts (code)",
      ).choices(SERVE_MODES),
    )
    .addHelpText(
      "after",
      "\nExamples:\n  mcpfs serve\n  MCPFS_SERVE_TOKEN=$(openssl rand -hex 32) mcpfs serve --http 7090 --mode code\n\nOver stdin and stdout it ends with its client. A client's config is written by mcpfs install.",
    )
    .action(async (options: ServeCommandOptions) => {
      if (options.host !== undefined && options.http === undefined)
        throw new McpfsError("USAGE", "--host goes with --http: stdin and stdout have no address.", {
          hint: "mcpfs serve --http 7090 --host 0.0.0.0",
        });
      const { createChangeFeed } = await import("../../engine/watch/watch.ts");
      const { serve } = await import("../../serve/serve.ts");
      const feed = createChangeFeed();
      const token = options.http === undefined ? undefined : await ownToken(cli);
      await cli.withHost(
        async (host) => {
          await serve(host, feed, {
            version: cli.version,
            log: cli.log,
            signal: cli.io.signal,
            stdin: cli.io.stdin,
            stdout: cli.io.stdout,
            mode: options.mode,
            ...(options.http === undefined
              ? {}
              : { http: { host: options.host ?? LOOPBACK, port: options.http, token } }),
            onReady: ({ url, tools, tokens, percent, mode }) => {
              const cost = `${count(tools, "tool")}, about ${count(tokens, "token")} (${percent.toFixed(1)} % of the window)`;
              if (url !== undefined && cli.globals().isJson)
                cli.printJson({ url, mode, tools, tokens, percent });
              else cli.say(`serving${url === undefined ? "" : ` ${url}`}: mode ${mode}; ${cost}`);
            },
          });
        },
        {
          onToolsChanged: feed.push,
          onServerLost: feed.lost,
          onProgress: () => {},
          keepsIdle: false,
        },
      );
    });
}

/**
 * The token of the environment. One that is set and empty was meant to be one: its variable is missing somewhere else.
 * @throws McpfsError USAGE for one that can be guessed
 */
async function ownToken({ io, redactor }: CliContext): Promise<string | undefined> {
  const token = io.env.MCPFS_SERVE_TOKEN;
  if (token === undefined) return undefined;
  const { MIN_TOKEN_LENGTH, TOKEN_HINT } = await import("../../config/parse-serve.ts");
  if (token.trim().length < MIN_TOKEN_LENGTH)
    throw new McpfsError(
      "USAGE",
      `MCPFS_SERVE_TOKEN is ${token === "" ? "set, but empty" : "too short"}: a token must have at least ${MIN_TOKEN_LENGTH} characters.`,
      { hint: TOKEN_HINT },
    );
  redactor.add([token]);
  return token;
}

function portNumber(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port > 65_535)
    throw new InvalidArgumentError("Expected a port: 0 to 65535.");
  return port;
}
