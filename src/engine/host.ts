import { join } from "node:path";
import type { Builtin } from "../builtin/builtin.ts";
import type { Bundler } from "../bundle/bundler.ts";
import type { Lookup } from "../catalog/lookup.ts";
import { loadConfig } from "../config/load-config.ts";
import type { Config } from "../config/parse-config.ts";
import { type Clock, systemClock } from "../kernel/clock.ts";
import type { Json } from "../kernel/json.ts";
import type { Log, Redactor } from "../kernel/log.ts";
import { pause } from "../kernel/wait.ts";
import { createLedger } from "../ledger/ledger.ts";
import type { ScriptSource } from "../model/bundle.ts";
import type { CallOutcome } from "../model/call.ts";
import type { CallerSide } from "../model/caller-side.ts";
import type { LogLine } from "../model/door.ts";
import type { RunTokens } from "../model/ledger.ts";
import type { ServerName } from "../model/names.ts";
import { type Limits, type RunReport, withLimits } from "../model/run.ts";
import type { Catalog, Tool } from "../model/tool.ts";
import type { ClosableSandbox } from "../sandbox/sandbox.ts";
import type { SavedSkill } from "../skills/save-skill.ts";
import type { Skill } from "../skills/skill.ts";
import { bundleWorld } from "./bundle-world.ts";
import { createListings } from "./listings.ts";
import type { RecordParts } from "./recorded-run.ts";
import { refuseLinks } from "./refuse-links.ts";
import type { SaveSkillRequest } from "./skills.ts";
import { createStartedServers, type ServerObservers } from "./started-servers.ts";
import type { Stats } from "./stats.ts";
import type { SyncRequest } from "./sync.ts";
import type { SyncReport } from "./sync-report.ts";
import { createTrust, type Trust, type TrustedServer, trustDigest } from "./trust.ts";
import { reportWithoutSecrets } from "./without-secrets.ts";
import { createWorkspaceUsage, type WorkspaceUsage } from "./workspace-usage.ts";
import { createWorkspaceView, type FoundServer } from "./workspace-view.ts";

/** What a host needs from the process around it. */
export interface HostOptions extends ServerObservers {
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly homeDir: string;
  readonly version: string;
  readonly log: Log;
  /** Learns the config's secrets before anything is started. */
  readonly redactor: Redactor;
  readonly clock?: Clock;
  /** Digest of a config whose servers may be started without asking ({@link Host.trustDigest}), for this process only. */
  readonly trust?: string | undefined;
  /** Keep connections that nobody uses, since they tell of changes. Default: where `onToolsChanged` is given. */
  readonly keepsIdle?: boolean;
  /** Asks a person about servers that are new; absent where there is none. */
  readonly askTrust?: ((servers: readonly TrustedServer[]) => Promise<boolean>) | undefined;
}

export interface RunOptions {
  readonly args?: Json;
  readonly limits?: Partial<Limits>;
  readonly onLine?: (line: LogLine) => void;
  /** What the run cost a model, once it has ended. */
  readonly onTokens?: (tokens: RunTokens) => void;
  readonly signal?: AbortSignal;
  /** The program that asked, where servers may reach it; absent for the person at the terminal. */
  readonly side?: CallerSide | undefined;
}

/** How one call is made; what is absent is as the host has it. */
export interface CallOptions {
  readonly limits?: Partial<Limits>;
  readonly signal?: AbortSignal;
  readonly side?: CallerSide | undefined;
}

/**
 * Owns a workspace: its connections, catalog, sandbox and journals. Nothing is started before it is needed; closing
 * the host ends everything that it started.
 */
export interface Host extends AsyncDisposable {
  readonly root: string;
  readonly config: () => Config;
  /** Reads `mcpfs.json` again; connections of servers whose entry changed are closed. */
  readonly reloadConfig: () => Promise<void>;
  readonly catalog: () => Promise<Catalog>;
  readonly lookup: () => Promise<Lookup>;
  readonly search: (
    query: string,
    limit: number,
  ) => Promise<readonly { readonly tool: Tool; readonly score: number }[]>;
  /** Servers of the config, best match first, also those that are off; all of them, by name, for no words. */
  readonly searchServers: (query: string) => Promise<readonly FoundServer[]>;
  readonly sync: (request?: SyncRequest) => Promise<SyncReport>;
  readonly run: (source: ScriptSource, options?: RunOptions) => Promise<RunReport>;
  readonly call: (
    name: string,
    args: Json,
    options?: CallOptions,
  ) => Promise<CallOutcome & { readonly tool: Tool }>;
  /** What the config's servers start, and whether this user has approved it. */
  readonly trusted: () => Promise<readonly TrustedServer[]>;
  /** Approves what these servers start, as the config says it now; absent: all of them. */
  readonly trust: (servers?: readonly ServerName[]) => Promise<void>;
  /** Digest of all that the config's servers start: what `MCPFS_TRUST` may hold. */
  readonly trustDigest: () => string;
  /** What the workspace costs a model, and how it was used. */
  readonly stats: () => Promise<Stats>;
  /** Tokens that all definitions take, by a real tokenizer; counted once for each definition. */
  readonly definitionTokens: () => Promise<number>;
  /** Remembers how the workspace is used, for {@link Host.stats}; searches, runs and calls of this host are remembered without it. */
  readonly usage: Pick<WorkspaceUsage, "shown" | "noticing" | "reported">;
  readonly listSkills: () => Promise<readonly Skill[]>;
  /** Saves a skill and brings AGENTS.md in line. */
  readonly saveSkill: (request: SaveSkillRequest) => Promise<SavedSkill>;
  readonly close: () => Promise<void>;
}

/** Opens the host of a workspace. @throws McpfsError CONFIG_INVALID, FILE_IN_THE_WAY for a `.mcpfs` with links */
export async function openHost(options: HostOptions): Promise<Host> {
  const { root, log } = options;
  const clock = options.clock ?? systemClock;
  const trust = createTrust({
    store: async () => {
      const { createTrustStore } = await import("../trust/trust-store.ts");
      return createTrustStore(root, options.env);
    },
    digest: options.trust,
    ask: options.askTrust,
  });
  await refuseLinks(root);
  let config = await readConfig(options, trust);
  const view = createWorkspaceView(root, () => config.servers);
  const ledger = createLedger({
    root,
    redact: options.redactor.redactJson,
    onLost: (error) => log.debug(`not written to the ledger: ${String(error)}`),
  });
  const usage = createWorkspaceUsage({ ledger, clock, search: view.search });
  const reread = async (): Promise<void> => {
    config = await readConfig(options, trust);
    await view.refresh();
  };
  const started = createStartedServers({
    ...options,
    judged: async () => {
      // What was approved may rename tools, and now may do so.
      if (await trust.ask(config.servers)) await reread();
      return await trust.judge(config.servers);
    },
    // Connections are how a host that listens for changes learns of them.
    keepsIdle: options.keepsIdle ?? options.onToolsChanged !== undefined,
    onListsStale: (server) => listings.forget(server),
  });
  const listings = createListings(started);
  const opened: { bundler?: Bundler; sandbox?: ClosableSandbox } = {};

  const openBundler = async (): Promise<Bundler> => {
    const { createBundler } = await import("../bundle/bundler.ts");
    const bundler = opened.bundler ?? createBundler();
    opened.bundler = bundler;
    return bundler;
  };

  const builtin = async (): Promise<Builtin> => {
    const { createBuiltin, DEFAULT_BUILTIN_LIMITS } = await import("../builtin/builtin.ts");
    return createBuiltin({
      filesFolder: join(root, "workspace"),
      pause,
      search: async (query, limit) => (await usage.search("script", query, limit)).map(hit),
      limits: DEFAULT_BUILTIN_LIMITS,
    });
  };

  /** What a run or a call needs of this host. */
  const recordParts = async (side?: CallerSide): Promise<RecordParts> => {
    const { lookup } = await view.current();
    return {
      root,
      tools: {
        lookup: view.lookupNow,
        links: started,
        listings,
        onChange: (server) => config.servers.find((entry) => entry.name === server)?.onChange ?? "warn",
        side,
      },
      lookup,
      redactor: options.redactor,
      clock,
      entries: config.servers,
      ledger,
    };
  };

  const sync = async (request: SyncRequest): Promise<SyncReport> => {
    const { syncWorkspace } = await import("./sync.ts");
    const before = config;
    // The catalog that was written is the one to work with: reading it again would only cost time.
    const onWritten = (catalog: Catalog): void => {
      if (config === before) view.set(catalog);
      else void view.refresh();
    };
    const parts = { root, entries: () => config.servers, links: started, onWritten };
    const report = await syncWorkspace(parts, request);
    if (request.isCheck !== true) await usage.listed(report);
    return report;
  };

  const close = async (): Promise<void> => {
    await Promise.all([started.close(), opened.bundler?.close(), opened.sandbox?.close()]);
    log.debug("host closed");
  };

  return {
    root,
    config: () => config,
    reloadConfig: async () => {
      await reread();
      await started.update();
    },
    catalog: async () => (await view.current()).catalog,
    lookup: async () => (await view.current()).lookup,
    search: async (query, limit) => await usage.search("host", query, limit),
    searchServers: view.searchServers,
    sync: async (request = {}) => {
      const report = await sync(request);
      if (request.isLearn !== true) return reportWithoutSecrets(options.redactor, report);
      const { callToLearn, withLearned } = await import("./call-to-learn.ts");
      const { catalog } = await view.current();
      const { learned, warnings } = await callToLearn(await recordParts(), {
        catalog,
        servers: report.servers.filter(({ status }) => status === "ok").map(({ name }) => name),
        limits: config.limits,
        ...(request.signal === undefined ? {} : { signal: request.signal }),
      });
      const whole = withLearned(report, await sync({ isOffline: true }), { learned, warnings });
      return reportWithoutSecrets(options.redactor, whole);
    },
    run: async (source, runOptions = {}) => {
      const limits = withLimits(config.limits, runOptions.limits ?? {});
      const { createSandbox } = await import("../sandbox/sandbox.ts");
      const sandbox =
        opened.sandbox ??
        createSandbox({
          isolation: config.isolation,
          memoryBytes: config.limits.memoryBytes,
        });
      opened.sandbox = sandbox;
      // A spare that does not start is an error of the run that needs it.
      sandbox.warm().catch(() => {});
      const bundler = await openBundler();
      const { catalog, lookup } = await view.current();
      const parts = {
        ...(await recordParts(runOptions.side)),
        bundler,
        sandbox,
        world: bundleWorld(root, catalog, lookup, limits.bundleBytes),
        builtin: await builtin(),
      };
      const signal = runOptions.signal === undefined ? {} : { signal: runOptions.signal };
      const { runScript } = await import("./run.ts");
      return await runScript(parts, {
        source,
        args: runOptions.args ?? null,
        limits,
        onLine: runOptions.onLine ?? (() => {}),
        onTokens: runOptions.onTokens,
        ...signal,
      });
    },
    call: async (name, args, { limits = {}, signal = new AbortController().signal, side } = {}) => {
      const { callOnce } = await import("./call.ts");
      const parts = await recordParts(side);
      const request = { name, args, limits: withLimits(config.limits, limits), signal };
      return await usage.noticing(name, () => callOnce(parts, request));
    },
    trusted: async () => await trust.list(config.servers),
    trust: async (servers) => {
      await trust.approve(config.servers.filter(({ name }) => servers?.includes(name) ?? true));
      await reread();
      await started.update();
    },
    trustDigest: () => trustDigest(config.servers),
    stats: async () => {
      const { collectStats } = await import("./stats.ts");
      const { catalog } = await view.current();
      return await collectStats({ root, catalog, context: config.context, ledger, search: view.search });
    },
    definitionTokens: async () => {
      const { definitionTokens } = await import("./stats.ts");
      return await definitionTokens(root, (await view.current()).catalog);
    },
    usage,
    listSkills: async () => {
      const { listSkills } = await import("../skills/list-skills.ts");
      return await listSkills(root);
    },
    saveSkill: async (request) => {
      const { catalog, lookup } = await view.current();
      const world = bundleWorld(root, catalog, lookup, config.limits.bundleBytes);
      const { saveScriptAsSkill } = await import("./skills.ts");
      const saved = await saveScriptAsSkill({ root, bundler: await openBundler(), world }, request);
      await sync({ isOffline: true });
      return saved;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function readConfig(
  { root, env, platform, homeDir, redactor, log }: HostOptions,
  trust: Trust,
): Promise<Config> {
  const config = await loadConfig(root, {
    env,
    platform,
    homeDir,
    trusted: async (servers) => {
      const listed = await trust.list(servers);
      return new Set(listed.filter((server) => server.isTrusted).map((server) => server.name));
    },
  });
  redactor.add(config.secrets);
  for (const warning of config.warnings) log.warn(warning);
  return config;
}

/** A search hit as the built-in server answers it to a script. */
function hit({ tool, score }: { readonly tool: Tool; readonly score: number }): Json {
  const { server, raw, wire, export: name, file, title, description, risk } = tool;
  return { server, tool: raw, wire, name, file, title, description, risk, score };
}
