import { stringify } from "yaml";
import type { ScriptExport } from "../syntax/script-export.ts";
import { printSkillTool, type SkillTool } from "./skill-tool.ts";

/** What a SKILL.md says. */
export interface SkillFacts {
  readonly name: string;
  readonly description: string;
  /** Servers that it needs, by folder. */
  readonly servers: readonly string[];
  /** Tools that it calls by their wrappers, with the digests of their definitions. */
  readonly tools: readonly SkillTool[];
  readonly exports: readonly ScriptExport[];
}

/** The text of a SKILL.md: front matter in the Agent Skills format, then how a script imports and calls the skill. */
export function skillText({ name, description, servers, tools, exports }: SkillFacts): string {
  const metadata = {
    ...(servers.length > 0 ? { [SERVERS_KEY]: servers.join(" ") } : {}),
    ...(tools.length > 0 ? { [TOOLS_KEY]: tools.map(printSkillTool).join(" ") } : {}),
  };
  const front = {
    name,
    description,
    ...(Object.keys(metadata).length > 0 ? { metadata } : {}),
  };
  const functions = exports.filter((item) => item.kind === "function");
  return [
    "---",
    // Quoted always: a description may begin with `[`, hold `: ` or read as a number.
    stringify(front, { defaultStringType: "QUOTE_DOUBLE", defaultKeyType: "PLAIN", lineWidth: 0 }).trimEnd(),
    "---",
    "",
    `# ${name}`,
    "",
    description.trim(),
    "",
    "Import it in any script:",
    "",
    "```ts",
    ...exampleOf(name, functions[0]),
    "```",
    ...(functions.length > 0 ? ["", ...functions.map(signatureOf)] : []),
    "",
  ].join("\n");
}

/** The field of `metadata` that names the servers, separated by spaces. */
export const SERVERS_KEY = "servers";
/** The field of `metadata` that names the tools as they were when the skill was saved. */
export const TOOLS_KEY = "tools";

function exampleOf(name: string, main: ScriptExport | undefined): readonly string[] {
  if (main === undefined) return [`import * as skill from "./skills/${name}";`];
  const required = main.parameters
    .filter((parameter) => !parameter.isOptional)
    .map((parameter) => parameter.name);
  return [
    `import { ${main.name} } from "./skills/${name}";`,
    `export default await ${main.name}(${required.join(", ")});`,
  ];
}

function signatureOf({ name, parameters, doc }: ScriptExport): string {
  const list = parameters.map((item) => `${item.name}${item.isOptional ? "?" : ""}: ${item.type}`).join(", ");
  const line = doc.replace(/\s+/g, " ").trim();
  return `- \`${name}(${list})\`${line === "" ? "" : ` ${line}`}`;
}
