import { factsOf } from "./errors.ts";
import { inspect } from "./inspect.ts";
import { jsonStringify, NativeError, NativeString, slice } from "./primordials.ts";
import { scriptFrames } from "./stack.ts";

/** An error's text is for a reader; a script may throw megabytes. */
const MAX_MESSAGE_LENGTH = 8_192;
const MAX_NAME_LENGTH = 200;

/**
 * The JSON text of a thrown value: name, message, stack, and the facts of an error of ours. Getters of the value run
 * here, inside the guest, where the host bounds their time.
 */
export function describe(thrown: unknown): string {
  if (!(thrown instanceof NativeError)) {
    const text = typeof thrown === "string" ? thrown : tryText(() => inspect(thrown, { depth: 2 }));
    const message = `The script threw a value that is not an error: ${slice(text, 0, MAX_MESSAGE_LENGTH)}`;
    return jsonStringify({ __proto__: null, name: "Error", message, stack: "" });
  }
  const facts = factsOf(thrown);
  return jsonStringify({
    __proto__: null,
    name: slice(
      tryText(() => NativeString(thrown.name)),
      0,
      MAX_NAME_LENGTH,
    ),
    message: slice(
      tryText(() => NativeString(thrown.message)),
      0,
      MAX_MESSAGE_LENGTH,
    ),
    stack: tryText(() => scriptFrames(thrown.stack)),
    code: facts?.code,
    hint: facts?.hint,
    server: facts?.server,
    tool: facts?.tool,
  });
}

function tryText(read: () => string): string {
  try {
    return read();
  } catch {
    return "(it could not be read)";
  }
}
