import type { Lookup } from "../catalog/lookup.ts";
import type { Config } from "../config/parse-config.ts";
import type { Clock } from "../kernel/clock.ts";
import type { Json, JsonObject } from "../kernel/json.ts";
import type { AskApproval } from "../model/approval.ts";
import type { ScriptSource } from "../model/bundle.ts";
import type { CallOutcome } from "../model/call.ts";
import type { CallerSide } from "../model/caller-side.ts";
import type { LogLine } from "../model/door.ts";
import type { RunTokens } from "../model/ledger.ts";
import type { ServerName } from "../model/names.ts";
import type { Limits, RunReport, WaitingCall } from "../model/run.ts";
import type { SearchAnswer, SearchRequest } from "../model/search.ts";
import type { SyncReport } from "../model/sync-report.ts";
import type { Catalog, Tool } from "../model/tool.ts";
import type { Caller, ClientCaller, Permission } from "../policy/decision.ts";
import type { PolicyRules } from "../policy/policy.ts";
import type { HitExplanation } from "../search/explain.ts";
import type { SavedSkill } from "../skills/save-skill.ts";
import type { ExplainedCall } from "./call/explain-call.ts";
import type { ListedGrant } from "./call/grants.ts";
import type { WaitingDecision } from "./past/decide-waiting.ts";
import type { Runs } from "./past/runs.ts";
import type { Portable } from "./search/portable.ts";
import type { Stats } from "./search/stats.ts";
import type { SignIns } from "./servers/sign-ins.ts";
import type { ServerObservers } from "./servers/started-servers.ts";
import type { SyncRequest } from "./sync/sync.ts";
import type { ClientTree } from "./workspace/client-tree.ts";
import type { HostPlace } from "./workspace/read-config.ts";
import type { ListedSkill, SaveSkillRequest } from "./workspace/skills.ts";
import type { TrustedServer } from "./workspace/trust.ts";
import type { WorkspaceUsage } from "./workspace/workspace-usage.ts";
import type { FoundServer } from "./workspace/workspace-view.ts";

/** What a host needs from the process around it. */
export interface HostOptions extends ServerObservers, HostPlace {
  readonly version: string;
  readonly clock?: Clock;
  /** Digest of a config whose servers may be started without asking ({@link Host.trustDigest}), for this process only. */
  readonly trust?: string | undefined;
  /** Keep connections that nobody uses, since they tell of changes. Default: where `onToolsChanged` is given. */
  readonly keepsIdle?: boolean;
  /** Asks a person about servers that are new, and tells what their config lets out unasked; absent where there is none. */
  readonly askTrust?:
    | ((servers: readonly TrustedServer[], policy: PolicyRules) => Promise<boolean>)
    | undefined;
  /** Asks a person about a call that policy wants decided; absent where there is none. */
  readonly askApproval?: AskApproval | undefined;
}

export interface RunOptions {
  readonly args?: Json;
  readonly limits?: Partial<Limits>;
  readonly onLine?: (line: LogLine) => void;
  /** Patterns such as `crm/delete_*`: their calls need no person in this run. Whatever policy denies stays denied. */
  readonly granted?: readonly string[];
  /** What the run cost a model, once it has ended. */
  readonly onTokens?: (tokens: RunTokens) => void;
  readonly signal?: AbortSignal;
  /** Who asks, for the policy. Default: `exec` for a script, `call` for a call. */
  readonly caller?: Caller;
  /** The program that asked, where servers may reach it; absent for the person at the terminal. */
  readonly side?: CallerSide | undefined;
}

/** How one call is made; what is absent is as the host has it. */
export type CallOptions = Pick<RunOptions, "limits" | "signal" | "side" | "granted" | "caller">;

/** A server that was switched on or off. */
export interface SwitchedServer {
  /** False where it was so before. */
  readonly isChanged: boolean;
  readonly report: SyncReport;
}

/**
 * Owns a workspace: its connections, catalog, sandbox and journals. Nothing is started before it is needed; closing
 * the host ends everything that it started.
 */
export interface Host extends AsyncDisposable, SignIns {
  readonly root: string;
  readonly config: () => Config;
  /** Reads `mcpfs.json` again; connections of servers whose entry changed are closed. */
  readonly reloadConfig: () => Promise<void>;
  /** Switches a server of `mcpfs.json` on or off for everybody, and brings the tree in line. @throws McpfsError WORKSPACE_MISSING */
  readonly switchServer: (server: ServerName, isOn: boolean) => Promise<SwitchedServer>;
  /** All that a caller can name; default: the workspace's agent, which can name denied tools too. For a client of `serve` they are not there. */
  readonly catalog: (caller?: Caller) => Promise<Catalog>;
  /** The names of {@link Host.catalog}. */
  readonly lookup: (caller?: Caller) => Promise<Lookup>;
  /** The files below the workspace as a client of `serve` gets them. */
  readonly clientTree: (caller: ClientCaller) => Promise<ClientTree>;
  /**
   * Finds tools that a caller may see (default: the workspace's agent): strategy, namespace and page are the request's, and the answer
   * says what was not possible. @throws McpfsError USAGE
   */
  readonly searchTools: (request: SearchRequest, caller?: Caller) => Promise<SearchAnswer>;
  /** Why words find a tool, or do not. */
  readonly explainSearch: (query: string, tool: Tool) => Promise<HitExplanation>;
  /** Servers of the config, best match first, also those that are off; all of them, by name, for no words. */
  readonly searchServers: (query: string, caller?: Caller) => Promise<readonly FoundServer[]>;
  readonly sync: (request?: SyncRequest) => Promise<SyncReport>;
  readonly run: (source: ScriptSource, options?: RunOptions) => Promise<RunReport>;
  /**
   * Goes on with a run that did not end well.
   * @param source the script, where it was edited; else the recorded one
   */
  readonly resume: (
    runId: string,
    source?: ScriptSource,
    options?: Omit<RunOptions, "args">,
  ) => Promise<RunReport>;
  /** What the workspace remembers of its runs. */
  readonly runs: () => Promise<Runs>;
  /**
   * Decides calls of a run that waits for a person; `resume` then goes on with it.
   * @throws McpfsError USAGE for a run or a call that does not wait, RUN_BUSY, JOURNAL_INVALID
   */
  readonly decideWaiting: (runId: string, decision: WaitingDecision) => Promise<readonly WaitingCall[]>;
  readonly call: (
    name: string,
    args: Json,
    options?: CallOptions,
  ) => Promise<CallOutcome & { readonly tool: Tool; readonly runId: string }>;
  /** What a caller may do with a tool, before anybody knows the arguments; default: the workspace's agent. */
  readonly permission: (tool: Tool, caller?: Caller) => Permission;
  /** Which rule decides about a call, and whether a grant covers it. Nothing is called. @throws McpfsError TOOL_UNKNOWN, TOOL_UNAVAILABLE */
  readonly explain: (name: string, args: JsonObject, caller: Caller) => Promise<ExplainedCall>;
  /** What this user has allowed for longer than a run, the oldest first. @throws McpfsError CONFIG_INVALID */
  readonly grants: () => Promise<readonly ListedGrant[]>;
  /** Takes grants away by their ids. @throws McpfsError CONFIG_INVALID, FILE_FAILED */
  readonly revokeGrants: (ids: ReadonlySet<string>) => Promise<void>;
  /** What the config's servers start, and whether this user has approved it. */
  readonly trusted: () => Promise<readonly TrustedServer[]>;
  /** False where the policy lets out more than the one that this user has trusted; what it lets out more is asked about. */
  readonly isPolicyTrusted: () => Promise<boolean>;
  /** Approves what these servers start, as the config says it now; absent: all of them, and the policy. */
  readonly trust: (servers?: readonly ServerName[]) => Promise<void>;
  /** Digest of all that the config's servers start: what `MCPFS_TRUST` may hold. */
  readonly trustDigest: () => string;
  /** What the workspace costs a model, and how it was used. */
  readonly stats: () => Promise<Stats>;
  /** Tokens that the definition of each tool takes, by wire name and a real tokenizer; counted once for each definition. */
  readonly definitionTokens: () => Promise<ReadonlyMap<string, number>>;
  /** Remembers how the workspace is used, for {@link Host.stats}; searches, runs and calls of this host are remembered without it. */
  readonly usage: Pick<WorkspaceUsage, "shown" | "noticing" | "reported">;
  /** Tools, resources and prompts in the shapes that vendors of models want. */
  readonly portable: () => Promise<Portable>;
  /** The skills of the workspace, with those of their tools that are not what they were when the skill was saved. */
  readonly listSkills: () => Promise<readonly ListedSkill[]>;
  /** Saves a skill and brings AGENTS.md in line. */
  readonly saveSkill: (request: SaveSkillRequest, caller?: Caller) => Promise<SavedSkill>;
  readonly close: () => Promise<void>;
}
