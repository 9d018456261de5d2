import { randomUUID } from "node:crypto";
import { mkdir, readdir, realpath, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { McpfsError, systemCode } from "../kernel/errors.ts";
import { isInside, readIfExists, slashed, statIfExists, writeAtomic } from "../kernel/fsx.ts";
import type { ScriptSource } from "../model/bundle.ts";
import { functionNameOf } from "../syntax/identifier.ts";
import { folderOf } from "../syntax/specifier.ts";
import { descriptionProblem, nameProblem } from "./skill-name.ts";
import { type SkillFacts, skillText } from "./skill-text.ts";

/** A skill that is ready to be checked and saved. */
export interface SkillDraft {
  readonly name: string;
  readonly description: string;
  /** Where its module will lie: `skills/weekly-report/index.ts`. */
  readonly file: string;
  /** The text of that module. */
  readonly text: string;
}

/** What `saveSkill` did. */
export interface SavedSkill {
  readonly name: string;
  /** Slashed folder below the workspace. */
  readonly path: string;
  /** False when the very same skill was there already. */
  readonly changed: boolean;
}

/**
 * Makes a skill's module of a script. Nothing is written.
 * @throws McpfsError SKILL_INVALID for a name or description that breaks a rule, or a script that cannot become a skill
 */
export async function prepareSkill(
  root: string,
  wanted: { readonly name: string; readonly description: string; readonly source: ScriptSource },
): Promise<SkillDraft> {
  const { name, description, source } = wanted;
  const problem = nameProblem(name) ?? descriptionProblem(description);
  if (problem !== undefined)
    throw new McpfsError("SKILL_INVALID", problem, { hint: "A good name is weekly-report or sheet-to-csv." });
  const { toSkillModule } = await import("../syntax/skill-module.ts");
  const folder = `skills/${name}`;
  const made = toSkillModule(source.text.replace(/^\ufeff/, "").replace(/^#!.*/, ""), {
    functionName: functionNameOf(name),
    description: description.replace(/\s+/g, " ").trim(),
    scriptFolder: await scriptFolder(root, source.path),
    skillFolder: folder,
  });
  if (made.kind === "module") return { name, description, file: `${folder}/index.ts`, text: made.text };
  throw new McpfsError("SKILL_INVALID", made.message, {
    hint: "Move what the script does into an exported function, or drop the word export to save the whole script as one function.",
    data: { file: source.name, line: made.line, column: null },
  });
}

/**
 * Writes `skills/<name>/index.ts` and `SKILL.md`. A new skill appears as a whole or not at all; an existing one is replaced
 * file by file, and only when `overwrite` says so. Nothing is written through a link.
 * @throws McpfsError FILE_IN_THE_WAY
 */
export async function saveSkill(
  root: string,
  draft: SkillDraft,
  facts: Pick<SkillFacts, "servers" | "tools" | "exports"> & { readonly overwrite: boolean },
): Promise<SavedSkill> {
  const files: SkillFiles = {
    "index.ts": draft.text,
    "SKILL.md": skillText({ ...facts, name: draft.name, description: draft.description }),
  };
  const skills = await skillsFolder(root);
  await refuseOtherSpelling(skills, draft.name);
  const target = join(skills, draft.name);
  const saved = { name: draft.name, path: `skills/${draft.name}` };
  const status = await statIfExists(target);
  if (status === undefined) {
    await writeNew(skills, target, files, draft.name);
    return { ...saved, changed: true };
  }
  if (!status.isDirectory())
    throw inTheWay(`${saved.path} is no folder${status.isSymbolicLink() ? " but a link" : ""}.`);
  if (await holds(target, files)) return { ...saved, changed: false };
  if (!facts.overwrite)
    throw inTheWay(`The skill ${draft.name} exists.`, "Choose another name, or overwrite it on purpose.");
  await replace(target, files);
  return { ...saved, changed: true };
}

type SkillFiles = Readonly<Record<"index.ts" | "SKILL.md", string>>;

/** The slashed folder of a script below the workspace, links followed; the root for stdin, `undefined` for outside. */
async function scriptFolder(root: string, path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return "";
  const realRoot = await realpath(root);
  const real = await realpath(path).catch(() => path);
  return isInside(realRoot, real) ? folderOf(slashed(realRoot, real)) : undefined;
}

async function skillsFolder(root: string): Promise<string> {
  const folder = join(await realpath(root), "skills");
  await mkdir(folder, { recursive: true });
  if ((await realpath(folder)) !== folder)
    throw inTheWay("The folder skills is a link.", "Skills are saved into a real folder only.");
  return folder;
}

/** `skills/Report` or `skills/report.ts` would be another spelling of `report`: on some disks, or in an import. */
async function refuseOtherSpelling(skills: string, name: string): Promise<void> {
  for (const entry of await readdir(skills)) {
    const isOther = entry !== name && entry.toLowerCase() === name;
    if (isOther || new RegExp(`^${name}\\.m?[jt]s$`, "i").test(entry))
      throw inTheWay(
        `skills/${entry} stands where ./skills/${name} leads.`,
        `Rename or delete skills/${entry}, or choose another name.`,
      );
  }
}

async function writeNew(skills: string, target: string, files: SkillFiles, name: string): Promise<void> {
  const temporary = join(skills, `.${name}-${randomUUID()}`);
  // Not by mkdtemp: its folder is for its maker alone, and so would the skill be.
  await mkdir(temporary);
  try {
    for (const [file, text] of Object.entries(files)) await writeFile(join(temporary, file), text);
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { recursive: true, force: true });
    const isTaken = ["ENOTEMPTY", "EEXIST", "EPERM"].includes(systemCode(error));
    if (isTaken) throw inTheWay(`The skill ${name} was saved by another process just now.`);
    throw error;
  }
}

async function holds(target: string, files: SkillFiles): Promise<boolean> {
  for (const [file, text] of Object.entries(files))
    if ((await readIfExists(join(target, file))) !== text) return false;
  return true;
}

/** Replaces the files; when the second one fails, the first is as it was. */
async function replace(target: string, files: SkillFiles): Promise<void> {
  for (const file of Object.keys(files))
    if ((await statIfExists(join(target, file)))?.isSymbolicLink())
      throw inTheWay(`${file} of the skill is a link.`);
  const before = await readIfExists(join(target, "index.ts"));
  await writeAtomic(join(target, "index.ts"), files["index.ts"]);
  try {
    await writeAtomic(join(target, "SKILL.md"), files["SKILL.md"]);
  } catch (error) {
    if (before === undefined) await rm(join(target, "index.ts"), { force: true });
    else await writeAtomic(join(target, "index.ts"), before);
    throw error;
  }
}

function inTheWay(message: string, hint = "Look at it, and move or delete it."): McpfsError {
  return new McpfsError("FILE_IN_THE_WAY", message, { hint });
}
