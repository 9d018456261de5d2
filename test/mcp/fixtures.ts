import type { Log } from "../../src/kernel/log.ts";
import type { HubOptions } from "../../src/mcp/hub.ts";
import { createHub, type Hub } from "../../src/mcp/hub.ts";
import type { RawToolName, ServerName } from "../../src/model/names.ts";
import type { ServerEntry } from "../../src/model/server-entry.ts";

/** A hub that goes with `await using`, what it wrote, and the servers whose lists changed. */
export interface TestHub extends Hub {
  readonly warnings: string[];
  /** All that was logged, with its level: `info: text`. */
  readonly logged: string[];
  readonly changed: string[];
  [Symbol.asyncDispose](): Promise<void>;
}

export function testHub(...entries: readonly ServerEntry[]): TestHub {
  return testHubWith({}, ...entries);
}

/** The same with more of its options. */
export function testHubWith(options: Partial<HubOptions>, ...entries: readonly ServerEntry[]): TestHub {
  const warnings: string[] = [];
  const logged: string[] = [];
  const changed: string[] = [];
  const log: Log = {
    debug: (message) => void logged.push(`debug: ${message}`),
    info: (message) => void logged.push(`info: ${message}`),
    warn: (message) => {
      logged.push(`warn: ${message}`);
      warnings.push(message);
    },
  };
  const hub = createHub({
    entries,
    log,
    clientVersion: "0.0.0-test",
    filesFolder: process.cwd(),
    onToolsChanged: (server) => void changed.push(server),
    ...options,
  });
  return { ...hub, warnings, logged, changed, [Symbol.asyncDispose]: () => hub.close() };
}

export const serverName = (name: string): ServerName => name as ServerName;
export const rawName = (name: string): RawToolName => name as RawToolName;

/** The names of listed tools. */
export function namesOf(list: { readonly tools: readonly any[] }): string[] {
  return list.tools.map((tool) => tool.name);
}

/** What a promise rejects with. */
export async function rejection(promise: Promise<unknown>): Promise<any> {
  return await promise.then(
    () => {
      throw new Error("expected a rejection");
    },
    (error: unknown) => error,
  );
}
