import type { Host } from "../engine/host.ts";
import type { Tool } from "../model/tool.ts";
import type { Permission } from "../policy/decision.ts";

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
  readonly permission: Permission;
  readonly available: boolean;
}

/** The element of one tool. */
export function toolElement(host: Host, tool: Tool, isAvailable: boolean): ToolElement {
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
    permission: host.permission(tool),
    available: isAvailable,
  };
}
