import type { Dirent } from "node:fs";
import { readdir, readFile, realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { systemCode } from "../kernel/errors.ts";
import { isInside, listIfExists, slashed } from "../kernel/fsx.ts";
import type { Skill } from "./skill.ts";
import { descriptionProblem, nameProblem } from "./skill-name.ts";

/** A SKILL.md of more than this many bytes is no instruction to a model. */
const MAX_SKILL_BYTES = 1024 * 1024;

/**
 * Lists the skills of a workspace, good and bad, sorted by name: each folder below `skills/` with a SKILL.md, and each lone
 * script. Links inside the workspace are followed, links out of it are named and not read; folders are not searched
 * further, so that no loop can matter. What cannot be read is broken, and costs no other skill its place.
 * @throws the system's error where `skills/` itself cannot be read
 */
export async function listSkills(root: string): Promise<readonly Skill[]> {
  const realRoot = await realpath(root);
  const folder = join(realRoot, "skills");
  const entries = await listIfExists(folder);
  const skills: Skill[] = [];
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name.startsWith(".")) continue;
    const skill = await readEntry(realRoot, folder, entry);
    if (skill !== undefined) skills.push(skill);
  }
  return withShadowed(skills);
}

async function readEntry(root: string, folder: string, entry: Dirent): Promise<Skill | undefined> {
  const path = join(folder, entry.name);
  const real = await realpath(path).catch(() => undefined);
  const shown = `skills/${entry.name}`;
  if (real === undefined) return broken(shown, "It is a link to nothing.");
  if (!isInside(root, real))
    return broken(shown, "It is a link out of the workspace, which is not followed.");
  try {
    if ((await stat(real)).isDirectory()) return await readFolder(root, path, shown, entry.name);
  } catch (error) {
    return broken(shown, `It ${unreadable(error)}.`);
  }
  const name = /^(.+)\.(?:m?ts|m?js)$/.exec(entry.name)?.[1];
  if (name === undefined || name.endsWith(".d")) return undefined;
  return await readDraft(root, path, shown, name);
}

async function readFolder(
  root: string,
  path: string,
  shown: string,
  folderName: string,
): Promise<Skill | undefined> {
  const names = await readdir(path);
  const file = names.includes("SKILL.md")
    ? "SKILL.md"
    : names.find((name) => name.toLowerCase() === "skill.md");
  if (file === undefined) return undefined;
  const text = await readText(root, join(path, file));
  if (typeof text !== "string") return broken(shown, text.problem);
  // The parser of YAML takes longer to load than all else that a sync without skills does.
  const { readFrontMatter } = await import("./front-matter.ts");
  const { SERVERS_KEY, TOOLS_KEY } = await import("./skill-text.ts");
  const { readSkillTools } = await import("./skill-tool.ts");
  const { fields, metadata, problems } = readFrontMatter(text);
  const name = fields.get("name") ?? "";
  const description = fields.get("description") ?? "";
  const script = ["index.ts", "index.mts", "index.js", "index.mjs"].find((candidate) =>
    names.includes(candidate),
  );
  const facts =
    script === undefined ? NO_FACTS : await readScript(root, join(path, script), `${shown}/${script}`);
  const named = (metadata.get(SERVERS_KEY) ?? "").split(/[\s,]+/).filter((server) => server !== "");
  const isReadable = fields.size > 0;
  return {
    name: nameProblem(name) === undefined ? name : folderName,
    description,
    folder: shown,
    file: script === undefined ? "" : `${shown}/${script}`,
    servers: [...new Set([...named, ...facts.servers])].sort(),
    tools: readSkillTools(metadata.get(TOOLS_KEY) ?? ""),
    exports: facts.exports,
    problems: [
      ...problems,
      ...(isReadable ? nameProblems(name, folderName) : []),
      ...(isReadable ? [descriptionProblem(description)].filter((problem) => problem !== undefined) : []),
      ...(file === "SKILL.md" ? [] : [`The file is called ${file}; its name is SKILL.md in capitals.`]),
      ...facts.problems,
    ],
    isDraft: false,
  };
}

async function readDraft(root: string, path: string, shown: string, name: string): Promise<Skill> {
  const facts = await readScript(root, path, shown);
  return { name, description: "", folder: "skills", file: shown, ...facts, tools: [], isDraft: true };
}

function nameProblems(name: string, folderName: string): readonly string[] {
  const problem = nameProblem(name);
  if (problem !== undefined) return [problem];
  return name === folderName
    ? []
    : [`Its name is ${name} and its folder ${folderName}; both must be the same.`];
}

/** A skill of which no more is known than where it lies. */
function broken(shown: string, problem: string): Skill {
  return {
    name: shown.slice("skills/".length),
    description: "",
    folder: shown,
    file: "",
    servers: [],
    tools: [],
    exports: [],
    problems: [problem],
    isDraft: false,
  };
}

interface ScriptFacts {
  readonly servers: readonly string[];
  readonly exports: readonly string[];
  readonly problems: readonly string[];
}

const NO_FACTS: ScriptFacts = { servers: [], exports: [], problems: [] };

async function readScript(root: string, path: string, shown: string): Promise<ScriptFacts> {
  const text = await readText(root, path);
  return typeof text === "string" ? await factsOf(text, shown) : { ...NO_FACTS, problems: [text.problem] };
}

async function factsOf(text: string, shown: string): Promise<ScriptFacts> {
  const { scriptFacts } = await import("../syntax/script-facts.ts");
  const facts = scriptFacts(text, shown);
  return facts === undefined
    ? { ...NO_FACTS, problems: [`${shown} does not parse.`] }
    : { ...facts, problems: [] };
}

/** The text of a file of a skill, or why it is not read. */
async function readText(root: string, path: string): Promise<string | { readonly problem: string }> {
  const real = await realpath(path).catch(() => undefined);
  const shown = slashed(root, path);
  if (real === undefined) return { problem: `${shown} is a link to nothing.` };
  if (!isInside(root, real))
    return { problem: `${shown} is a link out of the workspace, which is not followed.` };
  let bytes: Buffer;
  try {
    const status = await stat(real);
    if (!status.isFile()) return { problem: `${shown} is not a file.` };
    if (status.size > MAX_SKILL_BYTES) return { problem: `${shown} has more than ${MAX_SKILL_BYTES} bytes.` };
    bytes = await readFile(real);
  } catch (error) {
    return { problem: `${shown} ${unreadable(error)}.` };
  }
  // UTF-16 of Latin text has a zero in every other byte, with or without a mark at its start.
  if (bytes.subarray(0, 64).includes(0) || (bytes[0] === 0xff && bytes[1] === 0xfe))
    return { problem: `${shown} is not UTF-8 text (UTF-16, by its zero bytes); save it as UTF-8.` };
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return { problem: `${shown} is not UTF-8 text; save it as UTF-8.` };
  }
}

/** @throws what is no failure of the file system */
function unreadable(error: unknown): string {
  const code = systemCode(error);
  if (code === "") throw error;
  return `cannot be read (${code})`;
}

/** Of skills that differ in case alone the one that keeps the rules wins, then the first by code unit. */
function withShadowed(skills: readonly Skill[]): readonly Skill[] {
  const winners = new Map<string, Skill>();
  const key = (skill: Skill): string => skill.name.toLowerCase();
  for (const skill of skills) {
    const winner = winners.get(key(skill));
    if (winner === undefined || (isBetter(skill, winner) && !isBetter(winner, skill)))
      winners.set(key(skill), skill);
  }
  return skills
    .map((skill) => {
      const winner = winners.get(key(skill));
      if (winner === undefined || winner === skill) return skill;
      return {
        ...skill,
        problems: [...skill.problems, `It is shadowed by ${winner.file || winner.folder}.`],
      };
    })
    .sort((a, b) => (a.name === b.name ? 0 : a.name < b.name ? -1 : 1));
}

/** A lone file comes first, as it does in an import; then a skill without problems. */
function isBetter(a: Skill, b: Skill): boolean {
  return a.isDraft === b.isDraft ? a.problems.length < b.problems.length : a.isDraft;
}
