import { type Json, own } from "../kernel/json.ts";
import { oneLine } from "../kernel/text.ts";
import type { RawResource, RawTemplate } from "../model/offers.ts";
import type { CatalogResources } from "../model/tool.ts";
import { commentText, docComment } from "./comment-text.ts";
import { literalText, propertyName } from "./type-names.ts";
import { parseUriTemplate, type TemplatePart } from "./uri-template.ts";

/** More URIs than that tell a reader nothing; `listResources` gives them all. */
const MAX_URIS = 100;

/**
 * The text of a server's `resources.ts`: the known URIs as a type, `listResources`, `readResource`, and a function for each
 * template. A template with something that is not understood is named in a comment only.
 */
export function resourcesText({ read, list, listed, templates }: CatalogResources): string {
  const known = listed.slice(0, MAX_URIS);
  const more = listed.length - known.length;
  const union = [
    ...known.map((resource) => `  | ${literalText(resource.uri)}${remark(resource)}`),
    ...(more > 0 ? [`  // and ${more} more: listResources()`] : []),
    // Any other text is fine too: a server may know more than it lists.
    "  | (string & {});",
  ];
  const functions = templates.map(({ export: name, template }) => templateText(name, template));
  const helpers = functions.some((text) => text.includes("query(")) ? [QUERY] : [];
  return [
    `import { callMCPTool } from "../../client.js";\n`,
    `export type ResourceUri =\n${union.join("\n")}\n`,
    TYPES,
    `/** The resources that the server lists now. */
export function listResources(): Promise<ResourceInfo[]> {
  return callMCPTool(${JSON.stringify(list.wire)}, {});
}
`,
    `/** Reads a resource: one of those above, one that a tool named, or one of a template. */
export function readResource(uri: ResourceUri): Promise<ResourceContent[]> {
  return callMCPTool(${JSON.stringify(read.wire)}, { uri });
}
`,
    ...functions,
    ...helpers,
  ].join("\n");
}

const TYPES = `export interface ResourceInfo {
  uri: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
}

/** \`text\`, or \`blob\` in Base64. */
export interface ResourceContent {
  uri: string;
  mimeType?: string;
  text?: string;
  blob?: string;
}
`;

const QUERY = `function query(mark: string, values: Record<string, string | number | undefined>): string {
  const pairs = Object.entries(values).filter(([, value]) => value !== undefined);
  return pairs.map(([name, value], index) => \`\${index === 0 ? mark : "&"}\${name}=\${encodeURIComponent(String(value))}\`).join("");
}
`;

/** What a reader needs to choose: the title or name, the description, the kind of data. */
function remark(resource: RawResource): string {
  const words = [textOf(own(resource, "title")) || resource.name, textOf(own(resource, "description"))];
  const type = textOf(own(resource, "mimeType"));
  const text = [...new Set(words.filter((word) => word !== ""))].join(": ");
  const line = commentText(oneLine(`${text}${type === "" ? "" : ` (${type})`}`, 160));
  return line === "" ? "" : ` // ${line}`;
}

function templateText(name: string, template: RawTemplate): string {
  const { uriTemplate } = template;
  const description = textOf(own(template, "description"));
  const parts = parseUriTemplate(uriTemplate);
  if (parts === undefined)
    return `// ${commentText(oneLine(`${uriTemplate}: ${description || template.name}. Build the URI and call readResource.`, 300))}\n`;
  const fields = new Map<string, string>();
  for (const part of parts)
    if (part.kind === "expression")
      for (const variable of part.names)
        fields.set(variable, `${propertyName(variable)}${isQuery(part) ? "?" : ""}: string | number`);
  const mark = [...fields.values()].every((field) => field.includes("?:")) ? " = {}" : "";
  const argument = fields.size === 0 ? "" : `input: { ${[...fields.values()].join("; ")} }${mark}`;
  const comment = docComment(`${uriTemplate}${description === "" ? "" : `: ${description}`}`);
  return `${comment}
export function ${name}(${argument}): Promise<ResourceContent[]> {
  return readResource(${parts.map(partText).join(" + ") || '""'});
}
`;
}

function isQuery(part: TemplatePart): boolean {
  return part.kind === "expression" && (part.operator === "?" || part.operator === "&");
}

/** An expression of TypeScript for one part of a template. */
function partText(part: TemplatePart): string {
  if (part.kind === "text") return literalText(part.text);
  const value = (variable: string): string => {
    const name = propertyName(variable);
    return name === variable ? `input.${name}` : `input[${name}]`;
  };
  const { operator, names } = part;
  switch (operator) {
    case "?":
    case "&": {
      const pairs = names.map((variable) => `${literalText(variable)}: ${value(variable)}`);
      return `query(${literalText(operator)}, { ${pairs.join(", ")} })`;
    }
    case "+":
    case "#": {
      const values = names.map((variable) => `encodeURI(String(${value(variable)}))`);
      return [...(operator === "#" ? ['"#"'] : []), values.join(' + "," + ')].join(" + ");
    }
    case "/":
    case ".":
      return names
        .map((variable) => `${literalText(operator)} + encodeURIComponent(String(${value(variable)}))`)
        .join(" + ");
    case "":
      return names.map((variable) => `encodeURIComponent(String(${value(variable)}))`).join(' + "," + ');
  }
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
