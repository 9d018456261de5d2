import { UNREADABLE_PART } from "../guest-contract.ts";
import { factsOf } from "./errors.ts";
import { inspect } from "./inspect.ts";
import { isError, jsonStringify, NativeString, slice } from "./primordials.ts";
import { scriptFrames } from "./stack.ts";

/** An error's text is for a reader; a script may throw megabytes. */
const MAX_MESSAGE_LENGTH = 8_192;
const MAX_NAME_LENGTH = 200;

/**
 * The JSON text of a thrown value: name, message, stack, and the facts of an error of ours. Getters of the value run
 * here, inside the guest, where the host bounds their time.
 */
export function describe(thrown: unknown): string {
  if (!isThrownError(thrown)) {
    const text = typeof thrown === "string" ? thrown : tryText(() => inspect(thrown, { depth: 2 }));
    const message = `The script threw a value that is not an error: ${slice(text, 0, MAX_MESSAGE_LENGTH)}`;
    return `{"name":"Error","message":${jsonStringify(message)},"stack":""}`;
  }
  const facts = factsOf(thrown);
  const name = tryText(() => NativeString(thrown.name));
  const message = tryText(() => NativeString(thrown.message));
  const stack = tryText(() => scriptFrames(thrown.stack));
  return (
    `{"name":${jsonStringify(slice(name, 0, MAX_NAME_LENGTH))}` +
    `,"message":${jsonStringify(slice(message, 0, MAX_MESSAGE_LENGTH))},"stack":${jsonStringify(stack)}` +
    `${member("code", facts?.code)}${member("hint", facts?.hint)}` +
    `${member("server", facts?.server)}${member("tool", facts?.tool)}}`
  );
}

/** By hand: with setters for numbers on the prototypes, the engine's `JSON.stringify` fails on every object. */
function member(name: string, value: string | undefined): string {
  return typeof value === "string" ? `,"${name}":${jsonStringify(value)}` : "";
}

function isThrownError(thrown: unknown): thrown is Error {
  try {
    return isError(thrown);
  } catch {
    // A proxy whose trap throws.
    return false;
  }
}

function tryText(read: () => string): string {
  try {
    return read();
  } catch {
    return UNREADABLE_PART;
  }
}
