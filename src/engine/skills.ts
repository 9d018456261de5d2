import { join } from "node:path";
import { McpfsError } from "../kernel/errors.ts";
import { withFileLock } from "../kernel/file-lock.ts";
import type { ScriptSource } from "../model/bundle.ts";
import type { Host } from "./host.ts";

/** What saving a skill did. The shape of `skills save --json`; relied on by others. */
export interface SavedSkill {
  readonly name: string;
  /** Slashed path of the skill's folder below the workspace. */
  readonly path: string;
  readonly changed: boolean;
}

export interface SaveSkillRequest {
  readonly name: string;
  readonly description: string;
  readonly source: ScriptSource;
  /** Replace a skill of this name. */
  readonly isOverwrite: boolean;
}
