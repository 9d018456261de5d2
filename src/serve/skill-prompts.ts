import type { Host } from "../engine/host.ts";
import { type ListedSkill, skillImportLine } from "../engine/workspace/skills.ts";
import { McpfsError } from "../kernel/errors.ts";
import { nearestOf } from "../kernel/nearest.ts";
import { oneLine } from "../kernel/text.ts";
import type { ServedPrompts } from "../protocol/served.ts";
import type { Mode } from "../tokens/recommend.ts";
import type { Client } from "./clients.ts";
import type { TreeFiles } from "./tree-files.ts";

/** The workspace's skills as prompts: for a person to pick, where a client shows prompts. */
export function skillPrompts(
  host: Pick<Host, "listSkills" | "clientTree">,
  files: TreeFiles,
  { client, mode }: { readonly client: Client; readonly mode: Mode },
): ServedPrompts {
  const usable = async (): Promise<readonly ListedSkill[]> => {
    const tree = await host.clientTree(client.caller);
    const skills = (await host.listSkills()).filter((skill) => skill.problems.length === 0 && !skill.isDraft);
    const seen = await Promise.all(skills.map(async ({ folder }) => await tree.look(folder)));
    return skills.filter((_skill, at) => seen[at]?.kind !== "absent");
  };
  return {
    list: async () =>
      (await usable()).map(({ name, description }) => ({
        name,
        title: `Skill: ${name}`,
        description: oneLine(description, 300),
        arguments: [{ name: "task", description: "What to use it for.", required: false }],
      })),
    get: async (name, { task = "" }) => {
      const skills = await usable();
      const skill = skills.find((candidate) => candidate.name === name);
      if (skill === undefined) throw noSkill(name, skills);
      const { text = "" } = await files.read(`${skill.folder}/SKILL.md`, client);
      const wish = task === "" ? `Use the skill ${name}.` : `Use the skill ${name} for this: ${task}`;
      const changed =
        skill.changed.length === 0
          ? ""
          : `\n\nSince it was saved these tools have changed or gone: ${skill.changed.join(", ")}. Look at them first${mode === "direct" ? "" : " (get_tool_details)"}.`;
      const use =
        skill.file === "" || mode !== "code" ? "" : `\n\nA script imports it: ${skillImportLine(skill)}`;
      return {
        description: oneLine(skill.description, 300),
        messages: [
          { role: "user", content: { type: "text", text: `${wish}\n\n${text.trim()}${use}${changed}` } },
        ],
      };
    },
  };
}

function noSkill(name: string, skills: readonly ListedSkill[]): McpfsError {
  const near = nearestOf(
    name,
    skills.map((skill) => skill.name),
    3,
  );
  return new McpfsError("SKILL_INVALID", `There is no skill ${JSON.stringify(oneLine(name, 80))}.`, {
    hint: near.length === 0 ? "prompts/list names all skills." : `Did you mean ${near.join(" or ")}?`,
  });
}
