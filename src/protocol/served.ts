import type { Json, JsonObject } from "../kernel/json.ts";

/**
 * What a server of ours offers, in our words. This folder turns it into the two generations of the protocol; nothing
 * outside knows the SDK.
 */
export interface Served {
  readonly identity: { readonly name: string; readonly title?: string; readonly version: string };
  /** Begins a client's session. Revision 2026-07-28 has none over HTTP: there each request opens one, with its client's key. */
  readonly open: (session: Session) => ServedSession;
  /** Tells of changes; the result ends that. Absent where nothing ever changes. */
  readonly onChange?: (listener: (change: ServedChange) => void) => () => void;
  /** How long a list may be kept, told to clients of revision 2026-07-28. */
  readonly listTtlMs: number;
}

/** A client's session, or what stands for one. */
export interface Session {
  /** Whose requests these are: the name of a token, or `local`. */
  readonly identity: string;
  /** Equal for requests that see the same list of tools. */
  readonly key: string;
  /** False where the session is no longer than one request. */
  readonly isLasting: boolean;
}

/** What changed: a list, or one resource. `session` is set where only one session's list did. */
export type ServedChange =
  | { readonly kind: "tools"; readonly session?: string }
  | { readonly kind: "prompts" }
  | { readonly kind: "resources" }
  | { readonly kind: "resource"; readonly uri: string };

/** One client's view of what is served. Whatever is thrown reaches the client as an error of the protocol. */
export interface ServedSession {
  /** For the client's model; empty says nothing. */
  readonly instructions: string;
  readonly tools: (exchange: Exchange) => Promise<readonly ServedTool[]>;
  /** @throws McpfsError TOOL_UNKNOWN for a name that is not listed */
  readonly call: (name: string, args: JsonObject, exchange: Exchange) => Promise<CallReply>;
  readonly resources?: ServedResources;
  readonly prompts?: ServedPrompts;
  readonly close?: () => void;
}

export interface ServedResources {
  readonly list: (cursor: string | undefined) => Promise<Page<ServedResource>>;
  readonly templates: readonly ServedTemplate[];
  /** @throws McpfsError FILE_FAILED, FILE_OUTSIDE_WORKSPACE for one that is not there */
  readonly read: (uri: string) => Promise<readonly JsonObject[]>;
}

export interface ServedPrompts {
  readonly list: () => Promise<readonly ServedPrompt[]>;
  /** @throws McpfsError SKILL_INVALID for one that is not there */
  readonly get: (name: string, args: Readonly<Record<string, string>>) => Promise<JsonObject>;
}

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor?: string;
}

/** A tool as it is listed. */
export interface ServedTool extends JsonObject {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
}

/** A resource as it is listed. */
export interface ServedResource extends JsonObject {
  readonly uri: string;
  readonly name: string;
}

/** A resource template (RFC 6570) as it is listed. */
export interface ServedTemplate extends JsonObject {
  readonly uriTemplate: string;
  readonly name: string;
}

/** A prompt as it is listed. */
export interface ServedPrompt extends JsonObject {
  readonly name: string;
}

/** One request of a client: who asks, and what it can be asked meanwhile. */
export interface Exchange {
  readonly client: { readonly name: string; readonly version: string };
  readonly can: ClientAbilities;
  /** What the client sent beside the request: `_meta`. Untrusted. */
  readonly meta: JsonObject;
  /** Aborts when the client cancels the request or goes away. */
  readonly signal: AbortSignal;
  /** Tells the client how far the request is; absent where it did not ask. */
  readonly reportProgress: ((progress: Progress) => Promise<void>) | undefined;
  /**
   * Asks the client while its request stays open, in revisions before 2026-07-28. Absent in that one, where a reply asks: see
   * {@link CallReply}. Rejects when the client says no, or goes away.
   */
  readonly ask: ((request: ClientRequest, signal: AbortSignal) => Promise<Json>) | undefined;
  /** What a client sends back with its answers: see {@link CallReply}. Untrusted. */
  readonly state: string | undefined;
  /** The client's answers by the keys of the questions. Untrusted. */
  readonly answers: Readonly<Record<string, Json>>;
}

/** What the client of a request can be asked. */
export interface ClientAbilities {
  /** To have a person fill in a form. */
  readonly form: boolean;
  /** To have a person visit a page. */
  readonly page: boolean;
  /** To say which folders it works in. */
  readonly roots: boolean;
  /** To lend its language model. */
  readonly model: boolean;
}

/** Each report must be further than the one before. */
export interface Progress {
  readonly done: number;
  readonly total?: number;
  readonly message?: string;
}

/** A request to the client in the middle of a call: `elicitation/create`, `roots/list`, `sampling/createMessage`. */
export interface ClientRequest {
  readonly method: string;
  readonly params?: JsonObject;
}

/** A call's end, or what it needs of the client to go on: the same call then comes again, with `state` and the answers. */
export type CallReply =
  | { readonly kind: "result"; readonly result: ToolResult }
  | {
      readonly kind: "input";
      readonly requests: Readonly<Record<string, ClientRequest>>;
      readonly state: string;
    };

/** What a tool answered, as it goes out. */
export interface ToolResult extends JsonObject {
  readonly content: readonly JsonObject[];
  readonly structuredContent?: Json;
  readonly isError?: boolean;
}
