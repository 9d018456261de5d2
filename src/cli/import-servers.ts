import { join, resolve } from "node:path";
import type { ImportedServer, ImportPlan } from "../config/clients/plan-import.ts";
import { editConfig } from "../engine/workspace/edit-config.ts";
import { readIfExists } from "../kernel/fsx.ts";
import { count } from "../kernel/text.ts";
import type { ServerName } from "../model/names.ts";
import { trustLine, trustQuestion } from "./ask-trust.ts";
import type { CliContext } from "./cli-context.ts";

/** What an import did, as `init --json` says it. */
export interface ImportReport {
  readonly changed: boolean;
  readonly servers: readonly {
    readonly name: string;
    readonly from: string;
    /** `faulty`: its entry is wrong. `left-out`: its name is taken, or it is mcpfs. */
    readonly status: "added" | "left-out" | "faulty";
    readonly reason: string | null;
    readonly starts: string | null;
    readonly trusted: boolean;
  }[];
  readonly variables: readonly {
    readonly name: string;
    readonly server: string;
    readonly source: string;
    readonly set: boolean;
  }[];
  readonly warnings: readonly string[];
}

/**
 * Reads what `--from` names, before anything is written.
 * @throws McpfsError USAGE for words that name nothing, CONFIG_INVALID for a file that cannot be read
 */
export async function readImport(
  cli: CliContext,
  root: string,
  words: readonly string[],
): Promise<ImportPlan> {
  const { planImport } = await import("../config/clients/plan-import.ts");
  const { homeDir, platform, env } = cli.io;
  const cwd = resolve(cli.io.cwd, cli.globals().directory ?? ".");
  const text = (await readIfExists(join(root, "mcpfs.json"))) ?? "";
  return await planImport(words, { homeDir, platform, env, root, cwd }, text);
}

/**
 * Writes the servers into `mcpfs.json` and shows what each starts. Those of the user's own configs are then trusted, since a client
 * starts them already; those of a project's, which may come from anybody, are asked about where somebody can be asked.
 */
export async function writeImport(cli: CliContext, root: string, plan: ImportPlan): Promise<ImportReport> {
  const { addServer } = await import("../config/edit-config.ts");
  return await cli.withHost(
    async (host) => {
      const changed = await editConfig(host.root, (before) =>
        plan.servers.reduce(
          (text, { name, outcome }) =>
            outcome.kind === "taken" ? addServer(text, name, outcome.entry) : text,
          before,
        ),
      );
      await host.reloadConfig();
      const taken = new Map(
        plan.servers.filter(({ outcome }) => outcome.kind === "taken").map((server) => [server.name, server]),
      );
      const starting = (await host.trusted()).filter(({ name }) => taken.has(name));
      const own = starting.filter(({ name }) => taken.get(name)?.isOwn === true);
      for (const server of own) cli.say(`${trustLine(cli, server)}  (from ${taken.get(server.name)?.file})`);
      await host.trust(own.map(({ name }) => name));
      await askAboutOthers(starting.filter((server) => !own.includes(server) && !server.isTrusted));
      const now = new Map((await host.trusted()).map((server) => [server.name as string, server]));
      return {
        changed,
        servers: plan.servers.map(({ name, file, outcome }) => ({
          name,
          from: file,
          status: statusOf(outcome),
          reason: outcome.kind === "taken" ? null : `${name} of ${file} ${outcome.why.sentence}.`,
          starts: outcome.kind === "taken" ? cli.redactor.redact(now.get(name)?.starts ?? "") : null,
          trusted: outcome.kind === "taken" && now.get(name)?.isTrusted === true,
        })),
        variables: plan.variables.map(({ isSet, ...variable }) => ({ ...variable, set: isSet })),
        warnings: plan.warnings,
      };

      async function askAboutOthers(others: typeof starting): Promise<void> {
        if (others.length === 0) return;
        const question = trustQuestion(cli);
        if (question === undefined) for (const server of others) cli.say(trustLine(cli, server));
        const isYes = question !== undefined && (await question(others, host.config().policy));
        if (isYes) await host.trust(others.map(({ name }): ServerName => name));
        else cli.say('not trusted, since a project\'s file may come from anybody: "mcpfs trust" allows them');
      }
    },
    { root },
  );
}

function statusOf(outcome: ImportedServer["outcome"]): "added" | "left-out" | "faulty" {
  if (outcome.kind === "taken") return "added";
  return outcome.why.kind === "fault" ? "faulty" : "left-out";
}

/** Says what was left out, and what is to be done. */
export function sayImport(cli: CliContext, { servers, variables, warnings }: ImportReport): void {
  for (const warning of warnings) cli.log.warn(warning);
  for (const { reason } of servers) if (reason !== null) cli.log.warn(reason);
  const added = servers.filter(({ status }) => status === "added").length;
  cli.say(`imported ${count(added, "server")}`);
  const unset = variables.filter((variable) => !variable.set);
  if (unset.length > 0) cli.say("mcpfs.json holds no keys; set these variables:");
  for (const { name, server, source } of unset) cli.say(`  ${name}  for ${server}: ${source}`);
}
