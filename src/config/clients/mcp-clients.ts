import { join } from "node:path";
import type { JsonObject } from "../../kernel/json.ts";

/** Where configs lie. */
export interface ClientPlace {
  readonly homeDir: string;
  readonly platform: NodeJS.Platform;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The project whose config is meant; absent for the user's. */
  readonly project?: string;
}

/** How a program is started as a server. */
export interface Starter {
  readonly command: string;
  readonly args: readonly string[];
}

/** One MCP client: where its config lies, and how a server stands in it. */
export interface McpClient {
  readonly title: string;
  readonly format: "json" | "toml";
  /** The object that holds the servers. */
  readonly section: string;
  readonly userPath: (place: ClientPlace) => string;
  /** Below the project; absent where the client has no such config. */
  readonly projectPath?: string;
  readonly entry: (starter: Starter) => JsonObject;
  /** How an entry refers to a variable of the environment. */
  readonly variables: VariableForm;
}

/**
 * How a client writes variables: `${NAME}` or `${env:NAME}`, which are ours too; `$NAME` besides; `{env:NAME}`; or not at
 * all, so that each text is meant as it stands.
 */
export type VariableForm = "dollar-braces" | "dollar" | "env-braces" | "none";

const plain = ({ command, args }: Starter): JsonObject => ({ command, args });
const home =
  (...parts: readonly string[]) =>
  ({ homeDir }: ClientPlace): string =>
    join(homeDir, ...parts);

/** The folder of a desktop program's settings on each system. */
function settings({ homeDir, platform, env }: ClientPlace): string {
  if (platform === "darwin") return join(homeDir, "Library", "Application Support");
  if (platform === "win32") return env.APPDATA ?? join(homeDir, "AppData", "Roaming");
  return env.XDG_CONFIG_HOME ?? join(homeDir, ".config");
}

/** The clients whose configs `install` writes and `init --from` reads, by the word for `--client` and `--from`. */
export const MCP_CLIENTS: ReadonlyMap<string, McpClient> = new Map<string, McpClient>([
  [
    "claude",
    {
      title: "Claude Code",
      format: "json",
      section: "mcpServers",
      userPath: home(".claude.json"),
      projectPath: ".mcp.json",
      entry: (starter) => ({ type: "stdio", ...plain(starter) }),
      variables: "dollar-braces",
    },
  ],
  [
    "claude-desktop",
    {
      title: "Claude Desktop",
      format: "json",
      section: "mcpServers",
      userPath: (place) => join(settings(place), "Claude", "claude_desktop_config.json"),
      entry: plain,
      variables: "dollar-braces",
    },
  ],
  [
    "cursor",
    {
      title: "Cursor",
      format: "json",
      section: "mcpServers",
      userPath: home(".cursor", "mcp.json"),
      projectPath: ".cursor/mcp.json",
      entry: plain,
      variables: "dollar-braces",
    },
  ],
  [
    "vscode",
    {
      title: "Visual Studio Code",
      format: "json",
      section: "servers",
      userPath: (place) => join(settings(place), "Code", "User", "mcp.json"),
      projectPath: ".vscode/mcp.json",
      entry: (starter) => ({ type: "stdio", ...plain(starter) }),
      variables: "dollar-braces",
    },
  ],
  [
    "codex",
    {
      title: "Codex",
      format: "toml",
      section: "mcp_servers",
      userPath: ({ homeDir, env }) => join(env.CODEX_HOME ?? join(homeDir, ".codex"), "config.toml"),
      projectPath: ".codex/config.toml",
      entry: plain,
      variables: "none",
    },
  ],
  [
    "gemini",
    {
      title: "Gemini CLI",
      format: "json",
      section: "mcpServers",
      userPath: home(".gemini", "settings.json"),
      projectPath: ".gemini/settings.json",
      entry: plain,
      variables: "dollar",
    },
  ],
  [
    "windsurf",
    {
      title: "Windsurf",
      format: "json",
      section: "mcpServers",
      userPath: home(".codeium", "windsurf", "mcp_config.json"),
      entry: plain,
      variables: "dollar-braces",
    },
  ],
  [
    "opencode",
    {
      title: "opencode",
      format: "json",
      section: "mcp",
      userPath: ({ homeDir, env }) =>
        join(env.XDG_CONFIG_HOME ?? join(homeDir, ".config"), "opencode", "opencode.json"),
      projectPath: "opencode.json",
      entry: ({ command, args }) => ({ type: "local", command: [command, ...args], enabled: true }),
      variables: "env-braces",
    },
  ],
]);
