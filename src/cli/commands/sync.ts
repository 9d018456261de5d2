import type { Command } from "commander";
import { McpfsError } from "../../kernel/errors.ts";
import { nearestOf } from "../../kernel/nearest.ts";
import { count, oneLine } from "../../kernel/text.ts";
import type { ServerName } from "../../model/names.ts";
import type { ServerEntry } from "../../model/server-entry.ts";
import type { SyncedServer, SyncReport } from "../../model/sync-report.ts";
import type { CliContext } from "../cli-context.ts";
import { printFailure } from "../print-error.ts";
import { createProgress } from "../progress.ts";

interface SyncOptions {
  readonly check?: boolean;
  readonly offline?: boolean;
  readonly accept?: boolean;
  readonly learn?: boolean;
}

/** `mcpfs sync [server…]` */
export function addSyncCommand(program: Command, cli: CliContext): void {
  program
    .command("sync")
    .description("ask the servers for their tools and write the tree")
    .argument("[server...]", "only these servers; default: all that are enabled")
    .option("--check", "write nothing; exit 1 when the tree is stale")
    .option("--offline", "ask no server; write the tree from the accepted definitions")
    .option("--accept", 'take changed definitions that "onChange": "hold" keeps back')
    .option("--learn", "then call what only reads and needs no arguments, and learn the types of the answers")
    .addHelpText(
      "after",
      "\nExamples:\n  mcpfs sync github --check\n  mcpfs sync github --accept\n  mcpfs sync crm --learn",
    )
    .action(async (names: string[], options: SyncOptions) => {
      if (options.learn === true && (options.check === true || options.offline === true))
        throw new McpfsError(
          "USAGE",
          "--learn calls tools and writes; it does not go with --check or --offline.",
          {
            hint: "Run the two one after the other.",
          },
        );
      const progress = createProgress(cli.status, "asking servers");
      const report = await cli.withHost(async (host) => {
        const servers =
          names.length === 0 ? undefined : names.map((name) => knownServer(host.config().servers, name));
        return await host.sync({
          ...(servers === undefined ? {} : { servers }),
          isCheck: options.check ?? false,
          isOffline: options.offline ?? false,
          isAccepting: options.accept ?? false,
          isLast: options.learn !== true,
          isLearn: options.learn ?? false,
          signal: cli.io.signal,
          onProgress: ({ server, done, total }) => progress.step(done, total, server),
        });
      });
      progress.end();
      if (cli.globals().isJson) cli.printJson(syncJson(report, options.learn ?? false));
      else printSync(cli, report, options.check ?? false);
      cli.exitWith(syncExitCode(report) || (options.check === true && report.isStale ? 1 : 0));
    });
}

/** A report as `sync --json` gives it, and `watch --json` on each line; relied on by others. With --learn also what was learned. */
export function syncJson({ servers, files, warnings, learned }: SyncReport, isLearn = false): unknown {
  const shown = servers.map(({ changedOffers: _forPeople, ...server }) => server);
  return { servers: shown, files, warnings, ...(isLearn ? { learned } : {}) };
}

/** The config's server of this name. @throws McpfsError USAGE with the nearest names */
export function knownServer(servers: readonly ServerEntry[], name: string): ServerName {
  const found = servers.find((server) => server.name === name);
  if (found !== undefined) return found.name;
  const near = nearestOf(
    name,
    servers.map((server) => server.name),
    3,
  );
  throw new McpfsError("USAGE", `There is no server ${JSON.stringify(name)} in mcpfs.json.`, {
    hint:
      near.length > 0
        ? `Did you mean ${near.join(", ")}?`
        : `It has: ${servers.map((server) => server.name).join(", ") || "none yet"}.`,
  });
}

/** 3 when a server failed, 1 when a file in the way keeps the tree from being whole, else 0. */
export function syncExitCode(report: SyncReport): number {
  if (report.servers.some((server) => server.status === "failed")) return 3;
  return report.isBlocked ? 1 : 0;
}

function printSync(cli: CliContext, report: SyncReport, isCheck: boolean): void {
  for (const server of report.servers) printServer(cli, server);
  for (const warning of report.warnings) cli.log.warn(warning);
  if (report.learned.length > 0 && !cli.globals().isQuiet)
    cli.print(
      `learned: ${report.learned.map(({ server, tool }) => oneLine(`${server}/${tool}`)).join(", ")}`,
    );
  const { written, deleted, unchanged } = report.files;
  const verb = isCheck ? "would be " : "";
  if (!cli.globals().isQuiet)
    cli.print(`files: ${written} ${verb}written, ${deleted} ${verb}deleted, ${unchanged} unchanged`);
}

/** One line a server, and its warnings below. */
export function printServer(cli: CliContext, server: SyncedServer): void {
  if (!cli.globals().isQuiet) {
    cli.print(`${server.name}: ${describeServer(server)}`);
    printChanges(cli, server);
  }
  for (const warning of server.warnings) cli.log.warn(`${server.name}: ${oneLine(warning, 300)}`);
  if (server.error !== null) printFailure(cli, server.error);
}

/** One line a change: tool, place in its definition, old → new. */
export function printChanges(cli: CliContext, { changes, held }: SyncedServer): void {
  for (const { tool, path, before, after } of changes) {
    const place = [oneLine(tool, 80), path].filter((part) => part !== "").join(" ");
    const isHeld = held.includes(tool) ? " (held back)" : "";
    cli.print(`  ~ ${place}: ${before ?? "nothing"} → ${after ?? "nothing"}${isHeld}`);
  }
}

/** `8 tools`, `8 tools: +2 tools, ~1 changed, −1 removed`, `disabled`, `failed; 8 tools kept`. */
export function describeServer(server: SyncedServer): string {
  if (server.status === "disabled") return "disabled";
  if (server.status === "failed")
    return server.tools === 0 ? "failed" : `failed; ${count(server.tools, "tool")} kept`;
  // All of a new server's tools are new.
  const isNew = server.added.length === server.tools && server.removed.length + server.changed.length === 0;
  const changes = isNew ? "" : describeChanges(server);
  const stale = server.status === "stale" ? " (stale)" : "";
  return `${count(server.tools, "tool")}${changes === "" ? "" : `: ${changes}`}${stale}`;
}

/** `+2 tools, ~1 changed, −1 removed`; empty where nothing is different. */
export function describeChanges(server: SyncedServer): string {
  const { added, changed, removed, held, changedOffers } = server;
  const parts = [
    added.length > 0 ? `+${count(added.length, "tool")}` : "",
    changed.length > 0 ? `~${changed.length} changed` : "",
    removed.length > 0 ? `−${removed.length} removed` : "",
    held.length > 0 ? `${held.length} held back` : "",
    changedOffers.length > 0 ? `${changedOffers.join(" and ")} changed` : "",
  ];
  return parts.filter((part) => part !== "").join(", ");
}
