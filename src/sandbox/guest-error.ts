import type { GuestError } from "../model/sandbox.ts";
import { hintForAbsentGlobal } from "./absent-globals.ts";
import { UNREADABLE_PART } from "./guest-contract.ts";

/** A thrown value as the guest library describes it: JSON text of an object whose members may be anything. */
export function parseGuestError(text: string): GuestError {
  let told: Readonly<Record<string, unknown>> = {};
  try {
    told = JSON.parse(text) as typeof told;
  } catch {
    // A guest that broke its own library tells nothing; what it threw is then unknown.
  }
  const textOf = (key: string): string | undefined => {
    const value = told[key];
    return typeof value === "string" ? value : undefined;
  };
  const name = textOf("name") ?? "Error";
  const message = textOf("message") ?? UNREADABLE;
  const hint = hintForAbsentGlobal(name, message);
  const facts = {
    code: textOf("code"),
    hint: textOf("hint"),
    server: textOf("server"),
    tool: textOf("tool"),
  };
  return {
    name,
    message,
    stack: textOf("stack") ?? "",
    ...(hint === undefined ? withoutUndefined(facts) : { code: "IMPORT_REFUSED", hint }),
  };
}

/** Stands for an error that cannot be read: its own getters loop or throw, or memory is full. */
export const UNREADABLE = "The script threw something that could not be read.";

type Facts = Pick<GuestError, "code" | "hint" | "server" | "tool">;

function withoutUndefined(facts: { readonly [Key in keyof Facts]: string | undefined }): Facts {
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}

/** True for the engine's own error for memory that ran out. Where all is full, not even its message may be readable. */
export function saysOutOfMemory(error: GuestError, isFull: boolean): boolean {
  const isSaid = error.message === "out of memory" || (isFull && error.message === UNREADABLE_PART);
  return error.name === "InternalError" && isSaid;
}

/** True for the error that the engine throws where an interrupt stopped it. */
export function saysInterrupted(error: GuestError): boolean {
  return error.name === "InternalError" && error.message === "interrupted";
}
