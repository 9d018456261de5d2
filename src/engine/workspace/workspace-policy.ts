import { leavesHost } from "../../builtin/what-calls-do.ts";
import { callablesOf } from "../../catalog/callables.ts";
import type { Config } from "../../config/parse-config.ts";
import type { Clock } from "../../kernel/clock.ts";
import { McpfsError } from "../../kernel/errors.ts";
import { BUILTIN_SERVER, type ServerName } from "../../model/names.ts";
import type { Catalog } from "../../model/tool.ts";
import type { Caller, JudgedTool, Permission, PolicyQuestion } from "../../policy/decision.ts";
import { heldBack } from "../../policy/loosening.ts";
import { permissionOf } from "../../policy/permission.ts";
import type { PolicyRules } from "../../policy/policy.ts";
import { parseToolPattern, type ToolPattern } from "../../policy/tool-pattern.ts";
import type { ExplainedCall } from "../call/explain-call.ts";
import { createGrants, type Grants, type ListedGrant } from "../call/grants.ts";

/** What the config and this user say about calls, apart from any run. */
export interface WorkspacePolicy {
  /** The policy by which calls are decided. @throws McpfsError CONFIG_INVALID */
  readonly inForce: () => Promise<PolicyRules>;
  /** Takes the policy in force as it is now for {@link WorkspacePolicy.permission}: after the config was read or trusted. */
  readonly refresh: () => Promise<void>;
  /** False where that is not the whole of what the config says. */
  readonly isTrusted: () => Promise<boolean>;
  readonly grants: Grants;
  /** What a caller may do with a tool, before anybody knows the arguments; default: the workspace's agent (`exec`). */
  readonly permission: (tool: JudgedTool, caller?: Caller) => Permission;
  /** True for a tool that the workspace's agent is not to see. */
  readonly isHidden: (tool: JudgedTool) => boolean;
  /** True for a tool that a caller is not to see. */
  readonly isHiddenFrom: (tool: JudgedTool, caller: Caller) => boolean;
  readonly explain: (question: PolicyQuestion) => Promise<ExplainedCall>;
  /** @throws McpfsError CONFIG_INVALID */
  readonly listGrants: (catalog: Catalog) => Promise<readonly ListedGrant[]>;
  /**
   * The patterns that a run is started with. One that no tool matches is a slip, and the run would only suspend later.
   * @throws McpfsError USAGE
   */
  readonly patterns: (texts: readonly string[] | undefined, catalog: Catalog) => readonly ToolPattern[];
}

/** Creates the policy of a workspace; the config is asked anew each time. */
export function createWorkspacePolicy(options: {
  readonly root: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly config: () => Config;
  readonly clock: Clock;
  /** The config's policy as far as it is trusted. */
  readonly inForce: () => Promise<PolicyRules>;
}): WorkspacePolicy {
  const { root, env, config, clock } = options;
  let known = config().policy;
  const inForce = async (): Promise<PolicyRules> => {
    known = await options.inForce();
    return known;
  };
  const grants = createGrants({
    store: async () => {
      const { createGrantStore } = await import("../../trust/grant-store.ts");
      return createGrantStore(root, env);
    },
    entryOf: (server: ServerName) => config().servers.find((entry) => entry.name === server),
    clock,
  });
  const permission = (tool: JudgedTool, caller: Caller = "exec"): Permission =>
    // What is built in and stays in the host lives in limits of its own and is no server's.
    tool.server === BUILTIN_SERVER && !leavesHost(tool.raw) ? "allow" : permissionOf(known, tool, caller);
  // Asked of every tool of a workspace each time that its catalog is read; only a rule can deny.
  const isHiddenFrom = (tool: JudgedTool, caller: Caller): boolean =>
    config().policy.rules.some((rule) => rule.permission === "deny") && permission(tool, caller) === "deny";
  return {
    inForce,
    refresh: async () => {
      // Who cannot read what was trusted lets nothing out; the calls say why.
      await inForce().catch(() => {
        known = heldBack(config().policy, []);
      });
    },
    isTrusted: async () => (await inForce()) === config().policy,
    grants,
    permission,
    isHidden: (tool) => isHiddenFrom(tool, "exec"),
    isHiddenFrom,
    explain: async (question) => {
      const { explainCall } = await import("../call/explain-call.ts");
      const policy = await inForce();
      return await explainCall({ policy, isPolicyTrusted: policy === config().policy, grants }, question);
    },
    listGrants: async (catalog) => {
      const tools = callablesOf(catalog);
      return await grants.list(({ server, tool }) =>
        tools.find((known) => known.server === server && known.raw === tool),
      );
    },
    patterns: (texts = [], catalog) => {
      const tools = callablesOf(catalog);
      return texts.map((text) => {
        const pattern = parseToolPattern(text);
        if (tools.some(pattern.matches)) return pattern;
        throw new McpfsError("USAGE", `No tool matches the pattern ${JSON.stringify(text)}.`, {
          hint: "It is made of the server's name and the tool's raw name, as \"mcpfs ls --json\" lists them: crm/delete_lead, crm/*.",
        });
      });
    },
  };
}
