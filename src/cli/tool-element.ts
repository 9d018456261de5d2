import type { Tool } from "../model/tool.ts";

/** A tool as `ls --json` and `search --json` give it; relied on by others. */
export interface ToolElement {
  readonly server: string;
  readonly tool: string;
  readonly wire: string;
  readonly name: string;
  readonly file: string;
  readonly title: string;
  readonly description: string;
  readonly risk: Tool["risk"];
  readonly permission: "allow" | "ask" | "deny";
  readonly available: boolean;
}

/** The element of one tool. */
export function toolElement(tool: Tool, isAvailable: boolean): ToolElement {
  const { server, raw, wire, export: name, file, title, description, risk } = tool;
  return {
    server,
    tool: raw,
    wire,
    name,
    file,
    title,
    description,
    risk,
    permission: "allow",
    available: isAvailable,
  };
}
