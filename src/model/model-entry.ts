import type { McpfsError } from "../kernel/errors.ts";
import type { ServerName } from "./names.ts";
import type { ServerIdentity } from "./server-identity.ts";

/** Where a model is. */
export type ModelPlace =
  /** An endpoint that speaks OpenAI's form of HTTP: Ollama, vLLM, a provider. */
  | {
      readonly kind: "endpoint";
      /** Up to `/v1`, without a slash at the end. */
      readonly url: string;
      /** Name of the model there. */
      readonly model: string;
      /** Sent as `Authorization: Bearer`; a secret. */
      readonly apiKey: string | undefined;
      readonly timeoutMs: number;
    }
  /** A folder with a static embedding model: `model.safetensors` and `tokenizer.json` (model2vec). Absolute. */
  | { readonly kind: "folder"; readonly path: string }
  /** A package that lies beside mcpfs. */
  | { readonly kind: "package"; readonly name: LocalPackage };

/** Packages that carry a model and that mcpfs knows how to use; a closed list, since a config must not name code to run. */
export const LOCAL_PACKAGES = ["@energetic-ai/embeddings"] as const;

/** One of {@link LOCAL_PACKAGES}. */
export type LocalPackage = (typeof LOCAL_PACKAGES)[number];

/** What a model of the config is for. */
export type ModelRole = "embeddings" | "small";

/** A model of the config. Definitions and queries are sent to it, so an endpoint wants the same trust as a server. */
export interface ModelEntry {
  readonly role: ModelRole;
  /** `models.embeddings`: how approvals and errors name it. */
  readonly name: ServerName;
  readonly place: ModelPlace;
  /** Why it cannot be used; its place then is not to be. */
  readonly problem: McpfsError | undefined;
  /** What the user approves; a local model has none. */
  readonly identity: ServerIdentity | undefined;
  readonly isEnabled: true;
}
