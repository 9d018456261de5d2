/** A tool as a skill knew it when it was saved. */
export interface SkillTool {
  readonly wire: string;
  /** The beginning of the digest of its definition. */
  readonly digest: string;
}

/** Enough that no change of a definition goes unnoticed, and short enough for a file that models read. */
const DIGEST_LENGTH = 12;
const FORM = new RegExp(`^(\\w+)@([0-9a-f]{${DIGEST_LENGTH}})$`);

/** The tool as SKILL.md has it: `crm__query@0123456789ab`. */
export function printSkillTool({ wire, digest }: SkillTool): string {
  return `${wire}@${digest.slice(0, DIGEST_LENGTH)}`;
}

/** The tools of a list in SKILL.md; what is none is passed over. */
export function readSkillTools(text: string): readonly SkillTool[] {
  return text.split(/[\s,]+/).flatMap((part): SkillTool[] => {
    const [, wire, digest] = FORM.exec(part) ?? [];
    return wire === undefined || digest === undefined ? [] : [{ wire, digest }];
  });
}
