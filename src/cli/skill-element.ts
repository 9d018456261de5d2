import type { ListedSkill } from "../engine/workspace/skills.ts";

/** A skill as `skills list --json` gives it; relied on by others. */
export interface SkillElement {
  readonly name: string;
  readonly description: string;
  /** Slashed path below the workspace. */
  readonly path: string;
  readonly status: "ok" | "changed" | "broken" | "draft";
  readonly servers: readonly string[];
}

/** The element of one skill. */
export function skillElement(skill: ListedSkill): SkillElement {
  const { name, description, folder, file, servers, problems, isDraft, changed } = skill;
  const status = problems.length > 0 ? "broken" : isDraft ? "draft" : changed.length > 0 ? "changed" : "ok";
  return { name, description, path: isDraft ? file : folder, status, servers };
}
