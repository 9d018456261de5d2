import { join } from "node:path";
import type { Builtin } from "../builtin/builtin.ts";
import type { Bundler } from "../bundle/bundler.ts";
import type { BundleWorld } from "../bundle/world.ts";
import type { Lookup } from "../catalog/lookup.ts";
import type { Config } from "../config/parse-config.ts";
import type { SealKey } from "../journal/seal-key.ts";
import type { Clock } from "../kernel/clock.ts";
import { McpfsError } from "../kernel/errors.ts";
import { pause } from "../kernel/wait.ts";
import type { Ledger } from "../ledger/ledger.ts";
import type { CallerSide } from "../model/caller-side.ts";
import { type Limits, withLimits } from "../model/run.ts";
import { type Caller, isClient } from "../policy/decision.ts";
import type { ClosableSandbox } from "../sandbox/sandbox.ts";
import type { HostModels } from "./call/host-models.ts";
import type { Host, HostOptions } from "./host.ts";
import { bundleWorld } from "./run/bundle-world.ts";
import type { RecordParts } from "./run/recorded-run.ts";
import type { RunParts } from "./run/run.ts";
import type { JournalParts } from "./run/run-folder.ts";
import { hit } from "./search/hit.ts";
import { withSetServerName } from "./servers/set-server.ts";
import type { ToolSourceParts } from "./servers/tool-source.ts";
import { hidesSetServer, type WorkspacePolicy } from "./workspace/workspace-policy.ts";
import type { WorkspaceUsage } from "./workspace/workspace-usage.ts";
import type { WorkspaceView } from "./workspace/workspace-view.ts";

/** What runs and calls need of the rest of a host. */
export interface HostRunsParts {
  readonly options: HostOptions;
  readonly clock: Clock;
  /** As it is when this is asked. */
  readonly config: () => Config;
  readonly policy: WorkspacePolicy;
  readonly view: WorkspaceView;
  readonly usage: WorkspaceUsage;
  readonly models: HostModels;
  readonly ledger: Ledger;
  /** Through what calls reach servers. */
  readonly servers: Pick<ToolSourceParts, "links" | "listings" | "reads">;
  readonly sealKey: () => Promise<SealKey>;
  readonly switchServer: Host["switchServer"];
}

/** What a host runs and calls, and what that opens: bundler and sandbox, at the first need of each. */
export interface HostRuns extends Pick<Host, "run" | "resume" | "decideWaiting" | "runs" | "call"> {
  /** What a call outside of a run needs. */
  readonly recordParts: (caller: Caller, side?: CallerSide) => Promise<RecordParts>;
  /** What a caller's scripts may import. */
  readonly worldOf: (caller: Caller, maxBytes: number) => Promise<BundleWorld>;
  readonly bundler: () => Promise<Bundler>;
  /** Ends what was opened; runs that go on are stopped. */
  readonly close: () => Promise<void>;
}

/** Creates them; nothing is opened yet. */
export function createHostRuns(parts: HostRunsParts): HostRuns {
  const { options, clock, config, policy, view, usage, models, ledger, sealKey } = parts;
  const { root, log } = options;
  const opened: { bundler?: Bundler; sandbox?: ClosableSandbox; tidying?: Promise<void> } = {};
  let isClosed = false;

  /** Nobody would close what is opened now. */
  const refuseClosed = (): void => {
    if (isClosed) throw new McpfsError("USAGE", "The workspace was closed.", { hint: "Open it again." });
  };

  const bundler = async (): Promise<Bundler> => {
    const { createBundler } = await import("../bundle/bundler.ts");
    refuseClosed();
    opened.bundler ??= createBundler();
    return opened.bundler;
  };

  const builtin = async (caller: Caller, side?: CallerSide): Promise<Builtin> => {
    const { createBuiltin, DEFAULT_BUILTIN_LIMITS } = await import("../builtin/builtin.ts");
    return createBuiltin({
      filesFolder: join(root, "workspace"),
      pause,
      search: async (request, detail) => {
        const asked = { ...request, model: await models.ofClient(side) };
        const { hits } = await usage.search("script", asked, caller);
        return await Promise.all(
          hits.map((found) => hit(found, policy.permission(found.tool, caller), detail)),
        );
      },
      limits: DEFAULT_BUILTIN_LIMITS,
    });
  };

  const journalParts = (): JournalParts => ({
    root,
    redactor: options.redactor,
    durability: config().runs.durability,
    sealKey,
  });

  /** What a run or a call needs of this host. */
  const recordParts = async (caller: Caller, side?: CallerSide): Promise<RecordParts> => {
    const { lookup } = await view.current(caller);
    const withOwn = (names: Lookup): Lookup => withSetServerName(names, hidesSetServer(policy, caller));
    const inForce = await policy.inForce();
    if (inForce !== config().policy) log.warn(HELD_BACK);
    return {
      ...journalParts(),
      tools: {
        lookup: () => withOwn(view.lookupNow(caller)),
        ...parts.servers,
        entryOf: (server) => config().servers.find((entry) => entry.name === server),
        side,
      },
      model: async () => await models.forRun(side),
      lookup: withOwn(lookup),
      setServer: {
        servers: async () => await view.searchServers("", caller),
        switchServer: parts.switchServer,
      },
      clock,
      entries: config().servers,
      policy: inForce,
      grants: policy.grants,
      askApproval: side === undefined ? options.askApproval : side.askApproval,
      ledger,
    };
  };

  const openSandbox = async (): Promise<ClosableSandbox> => {
    const { createSandbox } = await import("../sandbox/sandbox.ts");
    refuseClosed();
    opened.sandbox ??= createSandbox({
      isolation: config().isolation,
      memoryBytes: config().limits.memoryBytes,
    });
    return opened.sandbox;
  };

  const worldOf = async (caller: Caller, maxBytes: number): Promise<BundleWorld> =>
    bundleWorld(root, await view.current(caller), { maxBytes, isForClient: isClient(caller) });

  /** What a script's run needs of this host. */
  const runParts = async (limits: Limits, caller: Caller, side?: CallerSide): Promise<RunParts> => {
    const sandbox = await openSandbox();
    // A spare that does not start is an error of the run that needs it.
    sandbox.warm().catch(() => {});
    const world = await worldOf(caller, limits.bundleBytes);
    const needs = await recordParts(caller, side);
    return {
      ...needs,
      bundler: await bundler(),
      sandbox,
      world,
      builtin: await builtin(caller, side),
    };
  };

  /** Once a run is over, also that of a single call; one that ends meanwhile is the next one's. */
  const tidy = (runId: string): void => {
    if (isClosed) return;
    opened.tidying ??= import("./past/prune-runs.ts")
      .then(({ tidyRuns }) => tidyRuns(root, runId, config().runs, Date.now()))
      .catch((error: unknown) => log.debug(`runs were not pruned: ${String(error)}`))
      .finally(() => {
        delete opened.tidying;
      });
  };

  const call: Host["call"] = async (name, args, callOptions = {}) => {
    const { granted, signal = new AbortController().signal, side, caller = "call" } = callOptions;
    const { callOnce } = await import("./run/call.ts");
    const needs = await recordParts(caller, side);
    const patterns = policy.patterns(granted, (await view.current()).catalog);
    const limits = withLimits(config().limits, callOptions.limits ?? {});
    const request = { name, args, limits, granted: patterns, signal, caller };
    const outcome = await usage.noticing(name, () => callOnce(needs, request));
    tidy(outcome.runId);
    return outcome;
  };

  return {
    run: async (source, runOptions = {}) => {
      const limits = withLimits(config().limits, runOptions.limits ?? {});
      const { caller = "exec" } = runOptions;
      const needs = await runParts(limits, caller, runOptions.side);
      const { runScript } = await import("./run/run.ts");
      const report = await runScript(needs, {
        source,
        args: runOptions.args ?? null,
        limits,
        caller,
        granted: policy.patterns(runOptions.granted, (await view.current()).catalog),
        onLine: runOptions.onLine ?? (() => {}),
        onTokens: runOptions.onTokens,
        ...(runOptions.signal === undefined ? {} : { signal: runOptions.signal }),
      });
      tidy(report.runId);
      return report;
    },
    resume: async (runId, source, { limits = {}, onLine = () => {}, granted, signal, side } = {}) => {
      const { resumeRun } = await import("./run/resume.ts");
      const patterns = policy.patterns(granted, (await view.current()).catalog);
      return await resumeRun((whole, caller) => runParts(whole, caller, side), journalParts(), {
        ...{ runId, source, limits, onLine, configured: config().limits, granted: patterns },
        ...(signal === undefined ? {} : { signal }),
      });
    },
    decideWaiting: async (runId, decision) => {
      const { decideWaiting } = await import("./past/decide-waiting.ts");
      return await decideWaiting({ ...journalParts(), clock }, runId, decision);
    },
    runs: async () => {
      const { openRuns } = await import("./past/runs.ts");
      return openRuns({ ...journalParts(), retention: config().runs });
    },
    call,
    recordParts,
    worldOf,
    bundler,
    close: async () => {
      isClosed = true;
      await opened.tidying;
      await Promise.all([opened.bundler?.close(), opened.sandbox?.close()]);
    },
  };
}

const HELD_BACK =
  'The policy of mcpfs.json lets out more than the one that you have trusted; what it lets out more is asked about until "mcpfs trust".';
