import { type JsonObject, own } from "../kernel/json.ts";
import { BUILTIN_TOOLS } from "./builtin-tools.ts";

const WRITES: ReadonlySet<string> = new Set(
  BUILTIN_TOOLS.filter((tool) => own(tool.annotations, "readOnlyHint") !== true).map((tool) => tool.name),
);

/**
 * True for a built-in tool whose data leaves the host, or that changes the workspace for others: its calls are decided, counted and
 * recorded like calls to a server, by the broker. The others have limits of their own.
 */
export function isBrokered(tool: string): boolean {
  return tool === EXTRACT || tool === SET_SERVER;
}

/** Asks a language model. */
export const EXTRACT = "extract";

/** Switches a server on or off for everybody. */
export const SET_SERVER = "set_server";

/** True for a built-in tool that changes files. */
export function isWrite(tool: string): boolean {
  return WRITES.has(tool);
}

/** True where the same built-in call, made twice, leaves no more behind than made once. Only text that is added does. */
export function isRepeatable(tool: string, args: JsonObject): boolean {
  return tool !== "write_file" || own(args, "append") !== true;
}
