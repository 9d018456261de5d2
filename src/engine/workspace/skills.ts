import type { Bundler } from "../../bundle/bundler.ts";
import type { BundleWorld } from "../../bundle/world.ts";
import { withFileLock } from "../../kernel/file-lock.ts";
import type { ScriptSource } from "../../model/bundle.ts";
import { BUILTIN_SERVER } from "../../model/names.ts";
import type { Catalog, Tool } from "../../model/tool.ts";
import type { SavedSkill } from "../../skills/save-skill.ts";
import type { Skill } from "../../skills/skill.ts";
import { lockPath } from "../../tree/lock-path.ts";

export interface SaveSkillRequest {
  readonly name: string;
  readonly description: string;
  readonly source: ScriptSource;
  /** Replace a skill of this name. */
  readonly isOverwrite: boolean;
}

/**
 * Saves a script as a skill: makes a module of it, bundles that module to see that everything it imports is there, reads
 * its exports, and writes the folder.
 * @throws McpfsError SKILL_INVALID, FILE_IN_THE_WAY, and what the bundler says of the script
 */
export async function saveScriptAsSkill(
  parts: {
    readonly root: string;
    readonly bundler: Bundler;
    readonly world: BundleWorld;
    readonly catalog: Catalog;
  },
  { isOverwrite, ...wanted }: SaveSkillRequest,
): Promise<SavedSkill> {
  const { root, bundler, world } = parts;
  const { prepareSkill, saveSkill } = await import("../../skills/save-skill.ts");
  const draft = await prepareSkill(root, wanted);
  const module: ScriptSource = { path: `${root}/${draft.file}`, name: draft.file, text: draft.text };
  const { folders: servers, files } = await bundler.bundle(module, world);
  const used = new Set(files);
  const tools = toolsOf(parts.catalog).filter(({ file }) => used.has(file));
  const { analyzeScript } = await import("../../check/analyze-script.ts");
  const { exports } = analyzeScript(draft.text, draft.file);
  const save = (): Promise<SavedSkill> =>
    saveSkill(root, draft, { servers, tools, exports, overwrite: isOverwrite });
  return await withFileLock(lockPath(root), save);
}

/** Tools of a skill whose definition is another than when it was saved, or that are gone, by wire name. */
export function changedTools({ tools }: Pick<Skill, "tools">, catalog: Catalog): readonly string[] {
  if (tools.length === 0) return [];
  const now = new Map<string, string>(toolsOf(catalog).map(({ wire, digest }) => [wire, digest]));
  return tools
    .filter(({ wire, digest }) => now.get(wire)?.startsWith(digest) !== true)
    .map(({ wire }) => wire);
}

function toolsOf({ servers }: Catalog): readonly Tool[] {
  return servers.flatMap((server) => server.tools).filter(({ server }) => server !== BUILTIN_SERVER);
}

/** A skill, and which of its tools are not what they were. */
export interface ListedSkill extends Skill {
  /** Wire names; empty where all are as they were when the skill was saved. */
  readonly changed: readonly string[];
}

/** The line by which a script imports a skill; names that an import cannot give are left out. */
export function skillImportLine({ file, exports }: Pick<Skill, "file" | "exports">): string {
  const specifier = `./${file.replace(/\/index\.\w+$/, "").replace(/\.\w+$/, "")}`;
  const names = exports.filter((name) => name !== "default").slice(0, MAX_IMPORTED_NAMES);
  if (names.length > 0) return `import { ${names.join(", ")} } from "${specifier}";`;
  return `import skill from "${specifier}";`;
}

const MAX_IMPORTED_NAMES = 3;
