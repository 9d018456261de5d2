import { join } from "node:path";
import type { JsonObject } from "../kernel/json.ts";

/** Where configs lie. */
export interface InstallPlace {
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
export interface InstallTarget {
  readonly title: string;
  readonly format: "json" | "toml";
  /** The object that holds the servers. */
  readonly section: string;
  readonly userPath: (place: InstallPlace) => string;
  /** Below the project; absent where the client has no such config. */
  readonly projectPath?: string;
  readonly entry: (starter: Starter) => JsonObject;
}

const plain = ({ command, args }: Starter): JsonObject => ({ command, args });
const home =
  (...parts: readonly string[]) =>
  ({ homeDir }: InstallPlace): string =>
    join(homeDir, ...parts);

/** The folder of a desktop program's settings on each system. */
function settings({ homeDir, platform, env }: InstallPlace): string {
  if (platform === "darwin") return join(homeDir, "Library", "Application Support");
  if (platform === "win32") return env.APPDATA ?? join(homeDir, "AppData", "Roaming");
  return env.XDG_CONFIG_HOME ?? join(homeDir, ".config");
}

/** The clients whose configs `install` writes, by the word for `--client`. */
export const INSTALL_TARGETS: ReadonlyMap<string, InstallTarget> = new Map<string, InstallTarget>([
  [
    "claude",
    {
      title: "Claude Code",
      format: "json",
      section: "mcpServers",
      userPath: home(".claude.json"),
      projectPath: ".mcp.json",
      entry: (starter) => ({ type: "stdio", ...plain(starter) }),
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
    },
  ],
]);
