import type { Json, JsonObject } from "../kernel/json.ts";

/** Keeps personal data from scripts and models: placeholders go in, the real values stay in the host. */
export interface Vault {
  /** A private copy of the arguments with placeholders replaced by what they stand for. */
  readonly unmask: (args: JsonObject) => JsonObject;
  /** A value with personal data replaced by placeholders. */
  readonly mask: (value: Json | undefined) => Json | undefined;
}

/** The vault of a workspace whose privacy mode is `off`: values pass as they are. */
export const openVault: Vault = { unmask: (args) => args, mask: (value) => value };
