import { digestJson } from "../kernel/digest.ts";
import { type Json, own } from "../kernel/json.ts";
import type { LockedServer, LockedTool } from "../model/lock.ts";
import type { ExportName, ListingKey, RawToolName, ServerName } from "../model/names.ts";
import type { Offers, RawPrompt, RawTemplate } from "../model/offers.ts";
import type { ServerEntry, ToolFilter } from "../model/server-entry.ts";
import type { CallMethod, CatalogResources, CatalogServer, RawTool, Tool } from "../model/tool.ts";
import { compare, freeExport, type OfferNaming } from "./naming.ts";
import { createTakenNames } from "./taken-names.ts";

/** What a server without resources and prompts has in the catalog. */
export const NOTHING_ELSE: Pick<CatalogServer, "resources" | "prompts"> = {
  resources: undefined,
  prompts: [],
};

const READ = { key: "resource:read", raw: "read_resource" } as const;
const LIST = { key: "resource:list", raw: "list_resources" } as const;
const promptKey = (name: string): string => `prompt:${name}`;

/** What naming needs to know of a server's offers that the config lets in. */
export function offerNamings(filter: ToolFilter, offers: Offers): readonly OfferNaming[] {
  const { resources, templates, prompts } = allowedOffers(filter, offers);
  const ways = resources.length + templates.length === 0 ? [] : [READ, LIST];
  return [
    ...ways.map(({ key, raw }) => ({ key, raw, renamed: raw, prefix: "" })),
    ...prompts.map(({ name }) => ({
      key: promptKey(name),
      raw: name,
      renamed: filter.rename(name, "prompt"),
      prefix: "prompt_",
    })),
  ];
}

/**
 * The offers of an enabled server with their names. Each becomes something to call, so that it passes the same broker as a tool:
 * policy, limits and journal hold for it.
 */
export function catalogOffers(
  server: ServerName,
  locked: LockedServer,
  { isEnabled, filter }: Pick<ServerEntry, "isEnabled" | "filter">,
  offers: Offers,
): Pick<CatalogServer, "resources" | "prompts"> {
  if (!isEnabled) return NOTHING_ELSE;
  const allowed = allowedOffers(filter, offers);
  const named = (key: string): LockedTool | undefined => locked.offers?.get(key);
  const make = (names: LockedTool, given: Omit<Given, "key"> & { readonly key: string }): Tool =>
    callable(server, locked, names, { ...given, key: given.key as ListingKey });
  const prompts = allowed.prompts.flatMap((prompt) => {
    const names = named(promptKey(prompt.name));
    if (names === undefined) return [];
    const given = {
      key: promptKey(prompt.name),
      raw: prompt.name,
      method: "prompts/get",
      file: "prompts",
    } as const;
    return [make(names, { ...given, inputSchema: promptSchema(prompt), definition: prompt })];
  });
  const [read, list] = [named(READ.key), named(LIST.key)];
  const hasResources = allowed.resources.length + allowed.templates.length > 0;
  const resources: CatalogResources | undefined =
    !hasResources || read === undefined || list === undefined
      ? undefined
      : {
          read: make(read, { ...READ, ...READ_CALL }),
          list: make(list, { ...LIST, ...LIST_CALL }),
          listed: allowed.resources.toSorted((a, b) => compare(a.uri, b.uri)),
          templates: nameTemplates(server, filter, allowed.templates),
          isReadable: (uri) => isReadable(filter, offers, uri),
        };
  return { resources, prompts: prompts.toSorted((a, b) => compare(a.export, b.export)) };
}

const READ_CALL = {
  method: "resources/read",
  file: "resources",
  inputSchema: { type: "object", properties: { uri: { type: "string" } }, required: ["uri"] },
  definition: { name: READ.raw, description: "Reads a resource of this server." },
} as const;

const LIST_CALL = {
  method: "resources/list",
  file: "resources",
  inputSchema: { type: "object" },
  definition: { name: LIST.raw, description: "The resources that this server lists now." },
} as const;

function allowedOffers(filter: ToolFilter, offers: Offers): Offers {
  return {
    resources: offers.resources.filter(({ name }) => filter.isAllowed(name, "resource")),
    templates: offers.templates.filter(({ name }) => filter.isAllowed(name, "resource")),
    prompts: offers.prompts.filter(({ name }) => filter.isAllowed(name, "prompt")),
  };
}

interface Given {
  readonly key: ListingKey;
  readonly raw: string;
  readonly method: CallMethod;
  readonly file: "resources" | "prompts";
  readonly inputSchema: Json;
  readonly definition: RawTool;
}

/** Reading changes nothing (MCP, server/resources and server/prompts), so the risk is known without a word of the server. */
function callable(server: ServerName, { folder }: LockedServer, names: LockedTool, given: Given): Tool {
  const { key, raw, method, file, inputSchema, definition } = given;
  return {
    method,
    server,
    folder,
    raw: raw as RawToolName,
    key,
    wire: names.wire,
    export: names.export,
    file: `servers/${folder}/${file}.ts`,
    title: textOf(own(definition, "title")),
    description: textOf(own(definition, "description")),
    inputSchema,
    outputSchema: undefined,
    learned: undefined,
    risk: "read",
    hints: { readOnly: true },
    definition,
    digest: digestJson(definition),
  };
}

/** Arguments of a prompt are texts (MCP, server/prompts). */
function promptSchema(prompt: RawPrompt): Json {
  const given = own(prompt, "arguments");
  const listed = (Array.isArray(given) ? (given as readonly Json[]) : []).filter(
    (argument) => typeof own(argument, "name") === "string",
  );
  const properties = listed.map((argument) => {
    const description = textOf(own(argument, "description")) || textOf(own(argument, "title"));
    return [
      textOf(own(argument, "name")),
      { type: "string", ...(description === "" ? {} : { description }) },
    ] as const;
  });
  const required = listed
    .filter((argument) => own(argument, "required") === true)
    .map((argument) => textOf(own(argument, "name")));
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

function nameTemplates(
  server: ServerName,
  filter: ToolFilter,
  templates: readonly RawTemplate[],
): CatalogResources["templates"] {
  // What the file has besides the templates' functions.
  const taken = createTakenNames(["readResource", "listResources", "query"]);
  return templates
    .toSorted((a, b) => compare(a.uriTemplate, b.uriTemplate))
    .map((template) => ({
      export: freeExport(
        server,
        { raw: template.uriTemplate, renamed: filter.rename(template.name, "resource") },
        taken,
      ) as ExportName,
      template,
    }))
    .toSorted((a, b) => compare(a.export, b.export));
}

/** True for a resource that the config allows: by the name it is listed under in `offers`, by its template's, or else by its URI. */
export function isReadable(
  filter: ToolFilter,
  offers: Pick<Offers, "resources" | "templates">,
  uri: string,
): boolean {
  const listed = offers.resources.find((resource) => resource.uri === uri);
  if (listed !== undefined) return filter.isAllowed(listed.name, "resource");
  const matching = offers.templates.filter(({ uriTemplate }) => couldMake(uriTemplate, uri));
  if (matching.length > 0) return matching.every(({ name }) => filter.isAllowed(name, "resource"));
  return filter.isAllowed(uri, "resource");
}

/** True when some values make this URI of the template. Read literally from both ends, without a pattern that a server could make slow. */
function couldMake(uriTemplate: string, uri: string): boolean {
  const [first = "", ...rest] = uriTemplate.split(/\{[^{}]*\}/);
  if (rest.length === 0) return uri === first;
  const last = rest.at(-1) ?? "";
  if (!uri.startsWith(first) || !uri.endsWith(last) || uri.length < first.length + last.length) return false;
  let at = first.length;
  for (const part of rest.slice(0, -1)) {
    const found = uri.indexOf(part, at);
    if (found === -1 || found > uri.length - last.length) return false;
    at = found + part.length;
  }
  return true;
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" ? value : "";
}
