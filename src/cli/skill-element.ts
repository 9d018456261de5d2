import type { Skill } from "../skills/skill.ts";

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
export function skillElement(skill: Skill): SkillElement {
  const { name, description, folder, file, servers, problems, isDraft } = skill;
  const status = problems.length > 0 ? "broken" : isDraft ? "draft" : "ok";
  return { name, description, path: isDraft ? file : folder, status, servers };
}
