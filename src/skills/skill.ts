import type { SkillTool } from "./skill-tool.ts";

/** One skill of a workspace, as its files say. */
export interface Skill {
  /** From its front matter; the folder's name where that gives none. */
  readonly name: string;
  /** From its front matter, untrusted text; empty where there is none. */
  readonly description: string;
  /** Slashed folder below the workspace: `skills/<name>`, or `skills` for a lone file. */
  readonly folder: string;
  /** The file that scripts import: `skills/x/index.ts`, `skills/x.ts`; empty for a skill of instructions alone. */
  readonly file: string;
  /** Servers that it names or imports, by folder. Sorted. */
  readonly servers: readonly string[];
  /** Tools as they were when it was saved. */
  readonly tools: readonly SkillTool[];
  /** Names that the file exports, `default` included. */
  readonly exports: readonly string[];
  /** Sentences that say what is wrong with it. */
  readonly problems: readonly string[];
  /** A lone file `skills/<name>.ts`: importable, and without a SKILL.md that would say what it is for. */
  readonly isDraft: boolean;
}
