import { configDigest } from "../config/load-config.ts";
import type { SealKey } from "../journal/seal-key.ts";
import { systemClock } from "../kernel/clock.ts";
import { toMcpfsError } from "../kernel/errors.ts";
import { createLedger } from "../ledger/ledger.ts";
import type { CredentialStore } from "../model/credentials.ts";
import type { SearchHit } from "../model/search.ts";
import type { ServerEntry } from "../model/server-entry.ts";
import type { SyncReport } from "../model/sync-report.ts";
import type { Catalog } from "../model/tool.ts";
import type { TrustStore } from "../trust/trust-store.ts";
import { createHostModels, type HostModelParts } from "./call/host-models.ts";
import { reportWithoutSecrets } from "./call/without-secrets.ts";
import type { Host, HostOptions } from "./host.ts";
import { createHostRuns } from "./host-runs.ts";
import { createListings } from "./servers/listings.ts";
import { openReads } from "./servers/open-reads.ts";
import { withSetServerName } from "./servers/set-server.ts";
import { createSignIns } from "./servers/sign-ins.ts";
import { createStartedServers } from "./servers/started-servers.ts";
import type { StartLimit, SyncRequest } from "./sync/sync.ts";
import { modelPlace } from "./workspace/model-place.ts";
import { createPolicyTrust } from "./workspace/policy-trust.ts";
import { readConfig } from "./workspace/read-config.ts";
import { refuseLinks } from "./workspace/refuse-links.ts";
import { createTrust, trustDigest } from "./workspace/trust.ts";
import { createWorkspacePolicy, hidesSetServer } from "./workspace/workspace-policy.ts";
import { createWorkspaceUsage } from "./workspace/workspace-usage.ts";
import { createWorkspaceView } from "./workspace/workspace-view.ts";

/** Opens the host of a workspace. @throws McpfsError CONFIG_INVALID, FILE_IN_THE_WAY for a `.mcpfs` with links */
export async function openHost(options: HostOptions): Promise<Host> {
  const { root, log, askTrust } = options;
  const clock = options.clock ?? systemClock;
  const trustStore = async (): Promise<TrustStore> => {
    const { createTrustStore } = await import("../trust/trust-store.ts");
    return createTrustStore(root, options.env);
  };
  const policyTrust = createPolicyTrust(trustStore);
  const trust = createTrust({
    store: trustStore,
    digest: options.trust,
    ask: askTrust === undefined ? undefined : async (servers) => await askTrust(servers, config.policy),
  });
  await refuseLinks(root);
  let config = await readConfig(options, trust);
  const policy = createWorkspacePolicy({
    ...{ root, env: options.env, config: () => config, clock },
    inForce: async () => (trust.isGiven(config) ? config.policy : await policyTrust.heldBack(config.policy)),
  });
  const places: HostModelParts["places"] = async (role) =>
    await modelPlace(config.models, role, async () => await trust.list(config));
  await policy.refresh();
  const view = createWorkspaceView({
    root,
    entries: () => config.servers,
    isHidden: policy.isHidden,
    isHiddenFrom: policy.isHiddenFrom,
    settings: () => config.search,
    configDigest: () => config.digest,
    place: places,
  });
  const ledger = createLedger({
    root,
    redact: options.redactor.redactJson,
    onLost: (error) => log.debug(`not written to the ledger: ${String(error)}`),
  });
  const models = createHostModels({ places, ledger, clock });
  const usage = createWorkspaceUsage({ ledger, clock, search: view.search });
  const reread = async (): Promise<void> => {
    config = await readConfig(options, trust);
    await policy.refresh();
    await view.refresh();
  };
  /** A file that is being saved at this moment is read again later. */
  const rereadIfReadable = async (): Promise<void> => {
    await reread().catch((error) => log.debug(`mcpfs.json: ${toMcpfsError(error).message}`));
  };
  /** What is trusted from now on is measured by the policy beside it, unless that is looser than one that was trusted before. */
  const keepPolicy = async (): Promise<void> => {
    if (await policy.isTrusted()) await policyTrust.approve(config.policy);
  };
  const judged = async (): Promise<readonly ServerEntry[]> => {
    // What was approved may rename tools, and now may do so.
    if (await trust.ask(config)) {
      await keepPolicy();
      await rereadIfReadable();
    }
    return await trust.judge(config);
  };
  const credentials = async (): Promise<CredentialStore> => {
    const { createCredentialStore } = await import("../trust/credential-store.ts");
    return createCredentialStore(options.env, options.redactor);
  };
  const started = createStartedServers({
    ...options,
    judged,
    credentials,
    // Connections are how a host that listens for changes learns of them.
    keepsIdle: options.keepsIdle ?? options.onToolsChanged !== undefined,
    lendModel: models.lend,
    onStale: (server, uri) => {
      if (uri === undefined) listings.forget(server);
      reads.forget(server, uri);
    },
  });
  const listings = createListings(started);
  const opened: {
    sealKey?: Promise<SealKey>;
    startLimit?: StartLimit;
  } = {};
  const sealKey = (): Promise<SealKey> => {
    opened.sealKey ??= readKey(options.env);
    return opened.sealKey;
  };
  const reads = openReads({
    ...{ root, clock, redactor: options.redactor, links: started, sealKey, credentials },
    entries: () => config.servers,
  });

  const runs = createHostRuns({
    ...{ options, clock, policy, view, usage, models, ledger, sealKey },
    config: () => config,
    servers: { links: started, listings, reads },
    switchServer: async (server, isOn) => await switchServer(server, isOn),
  });
  const lookup: Host["lookup"] = async (caller = "exec") =>
    withSetServerName((await view.current(caller)).lookup, hidesSetServer(policy, caller));

  const sync = async (request: SyncRequest): Promise<SyncReport> => {
    const { syncWorkspace, createStartLimit } = await import("./sync/sync.ts");
    opened.startLimit ??= createStartLimit();
    const before = config;
    let taken = config;
    const catchUp = async (): Promise<void> => {
      const digest = await configDigest(root).catch(() => undefined);
      if (digest !== undefined && digest !== config.digest) await rereadIfReadable();
      taken = config;
    };
    // The catalog that was written is the one to work with: reading it again would only cost time.
    const onWritten = (catalog: Catalog): void => {
      if (config === taken) view.set(catalog);
      // A file that cannot be read now is an error of whoever needs it.
      else void view.refresh().catch(() => {});
    };
    const parts = {
      ...{ root, isHidden: policy.isHidden, links: started, onWritten },
      startLimit: opened.startLimit,
      entries: () => config.servers,
      catchUp,
    };
    const report = await syncWorkspace(parts, request);
    if (config !== before) await started.update();
    if (request.isCheck !== true) await usage.listed(report);
    return report;
  };

  const reloadConfig = async (): Promise<void> => {
    await reread();
    await started.update();
  };

  const syncAndReport = async (request: SyncRequest): Promise<SyncReport> => {
    const report = await sync(request);
    if (request.isLearn !== true) return reportWithoutSecrets(options.redactor, report);
    const { callToLearn, withLearned } = await import("./run/call-to-learn.ts");
    const { catalog } = await view.current();
    const { learned, warnings } = await callToLearn(await runs.recordParts("call"), {
      catalog,
      servers: report.servers.filter(({ status }) => status === "ok").map(({ name }) => name),
      limits: config.limits,
      ...(request.signal === undefined ? {} : { signal: request.signal }),
    });
    const whole = withLearned(report, await sync({ isOffline: true }), { learned, warnings });
    return reportWithoutSecrets(options.redactor, whole);
  };

  const switchServer: Host["switchServer"] = async (server, isOn) => {
    const { setServerEnabled } = await import("../config/edit-config.ts");
    const { editConfig } = await import("./workspace/edit-config.ts");
    const isChanged = await editConfig(root, (text) => setServerEnabled(text, server, isOn));
    await reloadConfig();
    return { isChanged, report: await syncAndReport({ servers: [server], isOffline: !isOn }) };
  };

  const close = async (): Promise<void> => {
    await Promise.all([started.close(), runs.close()]);
    log.debug("host closed");
  };

  return {
    root,
    config: () => config,
    reloadConfig,
    switchServer,
    catalog: async (caller) => (await view.current(caller)).catalog,
    lookup,
    clientTree: async (caller) => (await view.current(caller)).tree,
    searchTools: async (request, caller = "exec") => await usage.search("host", request, caller),
    explainSearch: view.explain,
    searchServers: async (query, caller = "exec") => await view.searchServers(query, caller),
    sync: async (request = {}) => await syncAndReport(request),
    run: runs.run,
    resume: runs.resume,
    decideWaiting: runs.decideWaiting,
    runs: runs.runs,
    call: runs.call,
    portable: async () => {
      const { createPortable } = await import("./search/portable.ts");
      return createPortable({ root, view: view.current, isHidden: policy.isHidden, call: runs.call });
    },
    permission: policy.permission,
    explain: async (name, args, caller) => {
      const tool = (await lookup()).find(name);
      return await policy.explain({ tool, arguments: args, caller });
    },
    grants: async () => await policy.listGrants((await view.current()).catalog),
    revokeGrants: policy.grants.revoke,
    trusted: async () => await trust.list(config),
    isPolicyTrusted: policy.isTrusted,
    trust: async (servers) => {
      await trust.approve(
        [...config.servers, ...config.models].filter(({ name }) => servers?.includes(name) ?? true),
      );
      if (servers === undefined) await policyTrust.approve(config.policy);
      else await keepPolicy();
      await reloadConfig();
    },
    ...createSignIns({ judged, entries: () => config.servers, store: credentials }),
    trustDigest: () => trustDigest(config),
    stats: async () => {
      const { collectStats } = await import("./search/stats.ts");
      const { catalog } = (await view.current()).visible;
      const search = async (query: string, limit: number): Promise<readonly SearchHit[]> =>
        (await view.search({ query, limit }, "exec")).hits;
      return await collectStats({ root, catalog, context: config.context, ledger, search });
    },
    definitionTokens: async () => {
      const { definitionTokens } = await import("./search/stats.ts");
      return await definitionTokens(root, (await view.current()).catalog);
    },
    usage,
    listSkills: async () => {
      const { listSkills } = await import("../skills/list-skills.ts");
      const { changedTools } = await import("./workspace/skills.ts");
      const { catalog } = await view.current();
      return (await listSkills(root)).map((skill) => ({ ...skill, changed: changedTools(skill, catalog) }));
    },
    saveSkill: async (request, caller = "exec") => {
      const world = await runs.worldOf(caller, config.limits.bundleBytes);
      const { saveScriptAsSkill } = await import("./workspace/skills.ts");
      const saved = await saveScriptAsSkill(
        { root, bundler: await runs.bundler(), world, catalog: (await view.current(caller)).visible.catalog },
        request,
      );
      await sync({ isOffline: true });
      return saved;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

async function readKey(env: HostOptions["env"]): Promise<SealKey> {
  const { readSealKey } = await import("../journal/seal-key.ts");
  const { userFolder } = await import("../trust/user-folder.ts");
  return await readSealKey(userFolder(env));
}
