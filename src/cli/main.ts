import { Command, CommanderError } from "commander";
import { packageVersion } from "../engine/package-version.ts";
import { McpfsError } from "../kernel/errors.ts";
import { type CliContext, createCliContext, type Globals } from "./cli-context.ts";
import { addAddCommand } from "./commands/add.ts";
import { addAuthCommand } from "./commands/auth.ts";
import { addCallCommand } from "./commands/call.ts";
import { addDemoCommands } from "./commands/demo.ts";
import { addExecCommand } from "./commands/exec.ts";
import { addGrantsCommands } from "./commands/grants.ts";
import { addInitCommand } from "./commands/init.ts";
import { addInstallCommands } from "./commands/install.ts";
import { addLsCommand } from "./commands/ls.ts";
import { addPolicyCommands } from "./commands/policy.ts";
import { addRmCommand } from "./commands/rm.ts";
import { addRunsCommands } from "./commands/runs.ts";
import { addSearchCommand } from "./commands/search.ts";
import { addServeCommand } from "./commands/serve.ts";
import { addServersCommands } from "./commands/servers.ts";
import { addShowCommand } from "./commands/show.ts";
import { addSkillsCommands } from "./commands/skills.ts";
import { addStatsCommand } from "./commands/stats.ts";
import { addSyncCommand } from "./commands/sync.ts";
import { addTrustCommand } from "./commands/trust.ts";
import { addWatchCommand } from "./commands/watch.ts";
import type { Io } from "./io.ts";
import { printError } from "./print-error.ts";

/** Runs one command line. Never throws: whatever happens is printed. @returns the exit code */
export async function main(argv: readonly string[], io: Io): Promise<number> {
  const version = packageVersion();
  const program = new Command("mcpfs");
  const cli = createCliContext(io, version, () => globalsOf(program, argv));
  buildProgram(program, cli);
  try {
    await program.parseAsync([...argv], { from: "user" });
    return cli.exitCode();
  } catch (error) {
    if (!(error instanceof CommanderError)) return printError(cli, error);
    const isHelp = error.code === HELP_SHOWN && !cli.globals().isJson;
    return error.exitCode === 0 || isHelp ? 0 : printError(cli, usageError(program, error));
  }
}

/** How the parser ends a group without a command (`mcpfs`, `mcpfs skills`), once it has printed the help. */
const HELP_SHOWN = "commander.help";

/** Builds the command tree; a test compares it with the table of the documentation. */
export function buildProgram(program: Command, cli: CliContext): void {
  program
    .description("Your MCP servers as a workspace of typed files, and a sandbox to run scripts against them.")
    .version(cli.version, "-V, --version", "print the version")
    .option(
      "-C, --directory <dir>",
      "the workspace; default: MCPFS_ROOT, else the nearest parent with mcpfs.json",
    )
    .option("--json", "print the answer as JSON")
    .option("--quiet", "print the answer only")
    .helpOption("-h, --help", "print help")
    .helpCommand(false)
    .showHelpAfterError(false)
    .configureHelp({ showGlobalOptions: true })
    .exitOverride()
    .configureOutput({
      writeOut: (text) => cli.io.stdout.write(text),
      // Complaints are printed by us, in our shape; what is left is the help of a group without a command.
      outputError: () => {},
      writeErr: (text) => {
        if (!cli.globals().isJson) cli.io.stdout.write(text);
      },
    })
    .addHelpText("after", EXAMPLE);
  for (const add of COMMANDS) add(program, cli);
}

const COMMANDS: readonly ((program: Command, cli: CliContext) => void)[] = [
  addDemoCommands,
  addInitCommand,
  addAddCommand,
  addRmCommand,
  addTrustCommand,
  addAuthCommand,
  addServersCommands,
  addSyncCommand,
  addWatchCommand,
  addLsCommand,
  addShowCommand,
  addSearchCommand,
  addCallCommand,
  addExecCommand,
  addServeCommand,
  addInstallCommands,
  addPolicyCommands,
  addGrantsCommands,
  addRunsCommands,
  addSkillsCommands,
  addStatsCommand,
];

const EXAMPLE = `
Examples:
  mcpfs demo                                            see the whole idea on built-in servers
  mcpfs init && mcpfs add fs -- npx -y @modelcontextprotocol/server-filesystem .
  mcpfs exec script.ts                                  run a script against the workspace`;

/** Read before parsing is done, so that a usage error is printed the way that was asked for. */
function globalsOf(program: Command, argv: readonly string[]): Globals {
  const { directory, json, quiet } = program.opts<{ directory?: string; json?: boolean; quiet?: boolean }>();
  const words = argv.slice(0, argv.includes("--") ? argv.indexOf("--") : argv.length);
  return {
    ...(directory === undefined ? {} : { directory }),
    isJson: json ?? words.includes("--json"),
    isQuiet: quiet ?? words.includes("--quiet"),
  };
}

const HELP_HINT = 'Run "mcpfs --help", or a command with --help.';

/** The parser's complaint in our shape: its sentence, and where help is. */
function usageError(program: Command, error: CommanderError): McpfsError {
  if (error.code === HELP_SHOWN) return new McpfsError("USAGE", "A command is missing.", { hint: HELP_HINT });
  const [word = ""] = program.args;
  const names = program.commands.map((command) => command.name());
  const sentence = error.message.replace(/^error: /, "").replace(/\.?(?:\n[\s\S]*)?$/, "");
  const near = /\(Did you mean (.+?)\?\)/.exec(error.message)?.[1];
  const help = names.includes(word) ? `mcpfs ${word} --help` : "mcpfs --help";
  return new McpfsError("USAGE", `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`, {
    hint: near === undefined ? `Run "${help}".` : `Did you mean ${near}?`,
  });
}
