import { type Command, InvalidArgumentError, Option } from "commander";
import { editConfig } from "../../engine/workspace/edit-config.ts";
import { McpfsError } from "../../kernel/errors.ts";
import type { JsonObject } from "../../kernel/json.ts";
import type { CliContext } from "../cli-context.ts";
import { printServer, syncExitCode } from "./sync.ts";

interface AddOptions {
  readonly url?: string;
  readonly sse?: boolean;
  readonly builtin?: string;
  readonly header: Readonly<Record<string, string>>;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly purpose?: string;
  readonly sync: boolean;
}

/** `mcpfs add <name> -- cmd args…` / `--url U` */
export function addAddCommand(program: Command, cli: CliContext): void {
  program
    .command("add")
    .description("put a server into mcpfs.json (comments are kept) and write its wrappers")
    .argument("<name>", "the server's key: its folder, and the first part of its tools' names")
    .argument("[command...]", "after --: the command that starts it")
    .option("--url <url>", "a remote server (streamable HTTP)", remoteUrl)
    .option("--sse", "with --url: a server of the older HTTP+SSE transport")
    .addOption(new Option("--builtin <name>", "a demo server that ships with mcpfs").choices(["docs", "crm"]))
    .option("--header <name: value>", "with --url; may be repeated", header, {})
    .option("--env <NAME=value>", "a variable for the command; may be repeated", variable, {})
    .option("--cwd <dir>", "the folder that the command runs in, relative to mcpfs.json")
    .option("--purpose <text>", "one line that says what the server is for")
    .option("--no-sync", "only write mcpfs.json")
    .addHelpText(
      "after",
      `
Examples:
  mcpfs add files -- npx -y @modelcontextprotocol/server-filesystem .
  mcpfs add github --url https://api.example.com/mcp --header 'Authorization: Bearer \${GITHUB_TOKEN}'`,
    )
    .action(async (name: string, command: string[], options: AddOptions) => {
      const { addServer } = await import("../../config/edit-config.ts");
      await cli.withHost(async (host) => {
        const entry = entryOf(command, options);
        const changed = await editConfig(host.root, (text) => addServer(text, name, entry));
        await host.reloadConfig();
        const server = host.config().servers.find((candidate) => candidate.name === name);
        if (server !== undefined) await host.trust([server.name]);
        const report =
          server === undefined || !options.sync ? undefined : await host.sync({ servers: [server.name] });
        if (cli.globals().isJson) cli.printJson({ name, path: "mcpfs.json", changed });
        else cli.say(`${changed ? "added" : "kept"} ${name} in mcpfs.json`);
        if (report === undefined) return;
        if (!cli.globals().isJson) for (const synced of report.servers) printServer(cli, synced);
        cli.exitWith(syncExitCode(report));
      });
    });
}

function entryOf(command: readonly string[], options: AddOptions): JsonObject {
  const given = [command.length > 0, options.url !== undefined, options.builtin !== undefined].filter(
    Boolean,
  ).length;
  if (given !== 1) {
    throw new McpfsError(
      "USAGE",
      "Say how the server is reached: a command after --, or --url, or --builtin.",
      {
        hint: "mcpfs add files -- npx -y @modelcontextprotocol/server-filesystem .",
      },
    );
  }
  refuseStrayOptions(options, wayOf(options));
  const purpose = options.purpose === undefined ? {} : { purpose: options.purpose };
  if (options.builtin !== undefined) return { builtin: options.builtin, ...purpose };
  if (options.url !== undefined) {
    const headers = Object.keys(options.header).length === 0 ? {} : { headers: options.header };
    return { ...(options.sse === true ? { type: "sse" } : {}), url: options.url, ...headers, ...purpose };
  }
  const [program = "", ...args] = command;
  const env = Object.keys(options.env).length === 0 ? {} : { env: options.env };
  return {
    command: program,
    args,
    ...env,
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    ...purpose,
  };
}

type Way = "a command" | "--url" | "--builtin";

function wayOf({ url, builtin }: AddOptions): Way {
  if (builtin !== undefined) return "--builtin";
  return url === undefined ? "a command" : "--url";
}

/** An option that means nothing for this server would be lost without a word: a key that nobody sends. */
function refuseStrayOptions({ header, sse, env, cwd }: AddOptions, way: Way): void {
  const given: readonly (readonly [option: string, isGiven: boolean, way: Way])[] = [
    ["--header", Object.keys(header).length > 0, "--url"],
    ["--sse", sse === true, "--url"],
    ["--env", Object.keys(env).length > 0, "a command"],
    ["--cwd", cwd !== undefined, "a command"],
  ];
  const stray = given.find(([, isGiven, its]) => isGiven && its !== way);
  if (stray === undefined) return;
  const [option, , its] = stray;
  throw new McpfsError("USAGE", `${option} goes with ${its}, not with ${way}.`, {
    hint: `Leave ${option} out, or add the server by ${its}.`,
  });
}

/** Refused before it is written: a server that no config can hold. Variables are expanded later. */
function remoteUrl(text: string): string {
  if (!/^https?:\/\/|^\$\{/i.test(text))
    throw new InvalidArgumentError("Expected an address with http:// or https://.");
  return text;
}

function header(text: string, all: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const [, name, value] = /^([^:\s]+):\s*(.+)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new InvalidArgumentError('Expected "Name: value".');
  return { ...all, [name]: value };
}

function variable(text: string, all: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const [, name, value] = /^([A-Za-z_][A-Za-z0-9_]*)=([\s\S]*)$/.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new InvalidArgumentError("Expected NAME=value.");
  return { ...all, [name]: value };
}
