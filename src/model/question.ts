import type { Json, JsonObject } from "../kernel/json.ts";
import type { ServerName } from "./names.ts";

/** One field of a form that a server wants filled in. Names, titles and choices are the server's: untrusted. */
export interface QuestionField {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly type: "text" | "number" | "integer" | "boolean" | "choice" | "choices";
  readonly isRequired: boolean;
  /** For `choice` and `choices`. */
  readonly choices: readonly { readonly value: string; readonly title: string }[];
  readonly fallback: Json | undefined;
  /** The field as its server describes it, in JSON Schema: untrusted. Absent for a field of ours. */
  readonly schema?: JsonObject;
  /** Says what is wrong with a value of this field, as a sentence, or nothing. */
  readonly fault: (value: Json) => string | undefined;
}

/** What a server asks a person in the middle of a call (MCP, client/elicitation). All texts are untrusted. */
export type Question =
  | {
      readonly kind: "form";
      readonly server: ServerName;
      readonly message: string;
      readonly fields: readonly QuestionField[];
    }
  /** The person is to visit a page. It is shown in full and never opened by mcpfs. */
  | { readonly kind: "url"; readonly server: ServerName; readonly message: string; readonly url: string };

/** A person's answer. `content` holds the values of a form by field name. */
export type Reply =
  | { readonly kind: "accept"; readonly content: JsonObject }
  | { readonly kind: "decline" }
  | { readonly kind: "cancel" };

/** Asks the person at the terminal; one question at a time. Settles with `cancel` when `signal` aborts. */
export type AskPerson = (question: Question, signal: AbortSignal) => Promise<Reply>;
