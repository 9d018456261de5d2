import { SET_SERVER } from "../builtin/what-calls-do.ts";
import type { ServeConfig } from "../config/parse-serve.ts";
import type { Host } from "../engine/host.ts";
import { SET_SERVER_TOOL } from "../engine/servers/set-server.ts";
import { McpfsError, toMcpfsError } from "../kernel/errors.ts";
import type { JsonObject } from "../kernel/json.ts";
import type { Log } from "../kernel/log.ts";
import { nearestOf } from "../kernel/nearest.ts";
import { oneLine } from "../kernel/text.ts";
import type { ServeMode } from "../model/serve-mode.ts";
import type { ClientCaller } from "../policy/decision.ts";
import type {
  CallReply,
  Exchange,
  Served,
  ServedChange,
  ServedSession,
  ServedTool,
  Session,
  ToolResult,
} from "../protocol/served.ts";
import { createValidator } from "../schema/validator.ts";
import type { Mode } from "../tokens/recommend.ts";
import { errorText, textBlock, toolResult } from "./answers.ts";
import { CALL_TOOL, callTool } from "./call-tool.ts";
import { clientSide } from "./client-side.ts";
import { reportedUsage } from "./client-usage.ts";
import { createClients } from "./clients.ts";
import { createConversations } from "./conversations.ts";
import { callDirectly } from "./direct-tools.ts";
import { listFiles, readFile } from "./file-tools.ts";
import { getToolDetails, listServers } from "./finding-tools.ts";
import { instructionsFor } from "./instructions.ts";
import { createKeptAnswers } from "./kept-answers.ts";
import type { MetaCall, MetaTool } from "./meta-tool.ts";
import { type DirectCost, directCost, settleMode } from "./mode.ts";
import { readClientTools } from "./permission.ts";
import { treeResources } from "./resources.ts";
import { resumeRun, runScript } from "./run-tools.ts";
import { saveSkill } from "./save-skill.ts";
import { searchTools } from "./search-tools.ts";
import { createSessions } from "./sessions.ts";
import { setServer } from "./set-server.ts";
import { skillPrompts } from "./skill-prompts.ts";
import { watchTree } from "./tree-changes.ts";
import { createTreeFiles } from "./tree-files.ts";

/** A workspace as it is served to MCP clients. */
export interface ServedWorkspace {
  readonly served: Served;
  /** The host's catalog or the tree may be another: brings the sessions up to date and tells their clients. */
  readonly refresh: () => Promise<void>;
  /** What all definitions would cost a model, and what `auto` makes of that. */
  readonly cost: () => DirectCost & { readonly mode: Mode };
  readonly close: () => void;
}

/** Lists change when somebody edits something; who does not listen asks again after so long. */
const LIST_TTL_MS = 30_000;

/** Puts together what clients of the workspace see. Nothing is started by that. */
export async function serveWorkspace(
  host: Host,
  options: { readonly version: string; readonly log: Log; readonly mode: ServeMode | undefined },
): Promise<ServedWorkspace> {
  const config = (): ServeConfig => {
    const { serve } = host.config();
    return options.mode === undefined ? serve : { ...serve, mode: options.mode };
  };
  let tools = await readClientTools(host);
  const listeners = new Set<(change: ServedChange) => void>();
  const tell = (change: ServedChange): void => {
    for (const listener of listeners) listener(change);
  };
  const files = createTreeFiles(host.root, host.clientTree);
  const kept = createKeptAnswers(host.root);
  const clients = createClients(config, () => host.config().limits);
  const conversations = createConversations();
  // Over HTTP there are listeners where a session, or a stream of changes, is open.
  const tree = await watchTree(files, tell, () => listeners.size > 0);
  const refresh = async (): Promise<void> => {
    tools = await readClientTools(host);
    sessions.update();
    await tree.look();
  };

  const maySwitch = (caller: ClientCaller): boolean => host.permission(SET_SERVER_TOOL, caller) !== "deny";
  const finding = [searchTools(host), getToolDetails(host)];
  const servers = [listServers(host), setServer(host, refresh)];
  const own: Readonly<Record<Mode, readonly MetaTool[]>> = {
    direct: [],
    discover: [...finding, callTool(host, kept, "discover"), ...servers],
    code: [
      ...finding,
      runScript(host, files),
      callTool(host, kept, "code"),
      listFiles(files),
      readFile(files),
      resumeRun(host, files),
      saveSkill(host, files, refresh),
      ...servers,
    ],
  };
  const ownTools = (mode: Mode, caller: ClientCaller): readonly MetaTool[] =>
    own[mode].filter(({ definition }) => definition.name !== SET_SERVER || maySwitch(caller));
  const listed = ({ definition }: MetaTool): ServedTool => {
    const { outputSchema, ...rest } = definition;
    return config().results === "structured" ? { ...rest, outputSchema } : rest;
  };
  const sessions = createSessions({
    permitted: (caller) => tools.permitted(caller),
    denied: (caller) => new Set([...tools.denied(caller), ...(maySwitch(caller) ? [] : [SET_SERVER])]),
    config,
    cost: (caller) => directCost(host, tools, caller),
    ownTools: (mode, caller) => ownTools(mode, caller).map(listed),
    onListChange: (session) => tell({ kind: "tools", session }),
  });
  const validator = createValidator();

  const runOwn = async (tool: MetaTool, args: JsonObject, call: MetaCall): Promise<ToolResult> => {
    const { name, inputSchema } = tool.definition;
    const { faults } = validator.judge(name, inputSchema, args);
    if (faults.length > 0)
      throw new McpfsError("ARGUMENTS_INVALID", `The arguments do not fit ${name}: ${faults.join(" ")}`);
    return toolResult(await tool.run(args, call), config().results);
  };

  const open = (session: Session): ServedSession => {
    const client = clients.of(session.identity);
    const state = sessions.open(session, client);
    const call = async (name: string, args: JsonObject, exchange: Exchange): Promise<CallReply> => {
      const tool = ownTools(state.mode, client.caller).find(({ definition }) => definition.name === name);
      for (const usage of reportedUsage(exchange)) await host.usage.reported(usage);
      if (tool === undefined && !state.list.has(name)) throw unknownTool(name, state.list.tools());
      return await conversations.hold(exchange, session.identity, async (conversation) => {
        const { signal } = conversation;
        const side = clientSide(conversation, options.log, {
          session: session.isLasting ? session : undefined,
          isOne: tool === undefined || name === CALL_TOOL,
        });
        const meta = { client, side, signal, append: state.append };
        try {
          return tool === undefined
            ? await callDirectly(host, kept, { wire: name, args }, meta)
            : await runOwn(tool, args, meta);
        } catch (thrown) {
          const error = toMcpfsError(thrown);
          if (error.code === "INTERNAL") options.log.warn(`${name}: ${error.message}`);
          return { content: [textBlock(errorText(error))], isError: true };
        }
      });
    };
    return {
      instructions: instructionsFor(state.mode),
      tools: async () => state.list.tools(),
      call,
      resources: treeResources(files, client),
      prompts: skillPrompts(host, files, { client, mode: state.mode }),
      close: () => {
        if (session.isLasting) sessions.end(session.key);
      },
    };
  };

  return {
    served: {
      identity: { name: "mcpfs", title: "mcpfs workspace", version: options.version },
      listTtlMs: LIST_TTL_MS,
      open,
      onChange: (listener) => {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
    refresh,
    cost: () => {
      const cost = directCost(host, tools, "serve");
      return { ...cost, mode: settleMode(config().mode, cost) };
    },
    close: () => {
      tree.close();
      conversations.close();
    },
  };
}

function unknownTool(name: string, tools: readonly ServedTool[]): McpfsError {
  const near = nearestOf(
    name,
    tools.map((tool) => tool.name),
    3,
  );
  return new McpfsError("TOOL_UNKNOWN", `Unknown tool: ${oneLine(name, 120)}.`, {
    hint: near.length === 0 ? "tools/list names all tools." : `Did you mean ${near.join(" or ")}?`,
  });
}
