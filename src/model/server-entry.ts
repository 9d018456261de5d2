import type { McpfsError } from "../kernel/errors.ts";
import { type Json, stableJson } from "../kernel/json.ts";
import type { OAuthSettings } from "./credentials.ts";
import type { ServerName } from "./names.ts";
import type { ServerIdentity } from "./server-identity.ts";

/** How a server is reached. Variables are expanded and paths absolute. Values may be secrets: never print them. */
export type Transport =
  | {
      readonly kind: "stdio";
      readonly command: string;
      readonly args: readonly string[];
      /** Added to the few variables that every server gets. */
      readonly env: Readonly<Record<string, string>>;
      readonly cwd: string;
    }
  | HttpTransport
  /** One of the demo servers that ship with mcpfs. */
  | { readonly kind: "builtin"; readonly name: "docs" | "crm" };

/** A server behind a URL. */
export interface HttpTransport {
  readonly kind: "http" | "sse";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** How to sign in, where the config says it. */
  readonly oauth?: OAuthSettings;
}

/** What kinds of thing a filter or a rename meets. */
export type ItemKind = "tool" | "resource" | "prompt";

/** The config's say in a server's names, for tools, resources and prompts alike. */
export interface ToolFilter {
  /** True when the item is to exist in the workspace. */
  readonly isAllowed: (name: string, kind: ItemKind) => boolean;
  /** True where the config hides nothing, so that nobody has to look up what an item is called. */
  readonly allowsAll?: boolean;
  /** The name from which mcpfs makes its names; the raw one where nothing renames it. */
  readonly rename: (name: string, kind: ItemKind) => string;
  /** The config renames in a way that cannot be known now (its module is not trusted, or broken): names stay as the lock has them. */
  readonly keepsNames?: boolean;
}

/** `accept` takes a changed definition, `warn` also says so, `hold` keeps the accepted one and refuses calls. */
export type OnChange = "accept" | "warn" | "hold";
/** What may be learned from a tool's answers. */
export interface Learning {
  readonly isOn: boolean;
  /** Fields whose texts may be kept: `status`, `rows.kind`. */
  readonly enums: ReadonlySet<string>;
}

/** The config's say in the types of a server's answers, by the tools' raw names. */
export interface OutputRules {
  /** The user's own JSON Schema of the tool's value: wins over what the server declares and what was learned. */
  readonly schemaOf: (tool: string) => Json | undefined;
  readonly learning: (tool: string) => Learning;
}

/** One entry of `mcpServers`, parsed. */
export interface ServerEntry {
  readonly name: ServerName;
  readonly isEnabled: boolean;
  readonly transport: Transport;
  /** What is wrong with this entry alone (a missing variable): the server cannot start, others can. */
  readonly problem: McpfsError | undefined;
  /** One line that says what the server is for; empty where the config gives none. */
  readonly purpose: string;
  /** Milliseconds that one request may take. */
  readonly timeoutMs: number;
  /** Milliseconds without a request after which a host that goes on closes the connection; the next call opens it again. */
  readonly idleMs: number;
  /** `lazy`: `watch` does not start the server; a call does. */
  readonly connect: "eager" | "lazy";
  /** What becomes of a definition that differs from the accepted one. */
  readonly onChange: OnChange;
  /** What a user approves before the server is started; `undefined` where the entry starts nothing of its own. */
  readonly identity: ServerIdentity | undefined;
  readonly protocol: "auto" | "legacy" | "2026-07-28";
  readonly filter: ToolFilter;
  readonly outputs: OutputRules;
  /** False where the config does not believe what the server says of its own tools (`readOnlyHint` and the like). */
  readonly areAnnotationsTrusted: boolean;
  /** True where arguments that a call leaves out get the defaults of the tool's schema. */
  readonly fillsDefaults: boolean;
  /** True where the config lets the server know the path of the files folder (`"roots": true`). */
  readonly sharesRoots: boolean;
  /** Whose language model the server may ask: that of the client that is served, or the small one of the config. Absent: nobody's. */
  readonly sampling?: "client" | "model" | undefined;
  /** Values of this entry that must never be shown: env values, header values, credentials in URLs. */
  readonly secrets: readonly string[];
}

/** Equal for entries that one connection serves: the filter, the purpose and the like do not concern it. */
export function connectionKey({
  isEnabled,
  transport,
  problem,
  timeoutMs,
  protocol,
  secrets,
  sharesRoots,
  sampling,
}: ServerEntry): string {
  return stableJson({
    isEnabled,
    transport,
    problem: problem?.message,
    timeoutMs,
    protocol,
    secrets,
    sharesRoots,
    sampling,
  });
}
