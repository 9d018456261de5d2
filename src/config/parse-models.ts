import { posix, win32 } from "node:path";
import { own } from "../kernel/json.ts";
import type { ModelEntry, ModelPlace, ModelRole } from "../model/model-entry.ts";
import type { ServerName } from "../model/names.ts";
import { DEFAULT_SEARCH, type SearchSettings } from "../model/search.ts";
import type { ServerIdentity } from "../model/server-identity.ts";
import { type ConfigContext, createEntryReader, type EntryReader } from "./entry-reader.ts";
import type { JsonText } from "./json-text.ts";
import { MODEL_KEYS, type ModelShape, type ModelsShape, type SearchShape } from "./models-schema.ts";
import { secretsOf } from "./secrets.ts";
import { unknownKeys } from "./unknown-keys.ts";
import { variableNames } from "./variables.ts";

/** A search waits for it, and goes on without it. */
const DEFAULT_TIMEOUT_MS = 10_000;

/** The models of the file, and what of them must never be shown. */
export interface ParsedModels {
  readonly models: readonly ModelEntry[];
  readonly secrets: readonly string[];
}

/** Reads `models`. What is wrong with a model becomes its `problem` and costs only it. @param warnings gets what is odd */
export function parseModels(options: {
  readonly shape: ModelsShape;
  readonly document: JsonText;
  readonly context: ConfigContext;
  readonly warnings: string[];
}): ParsedModels {
  const roles = (["embeddings", "small"] as const).flatMap((role) => {
    const shape = options.shape[role];
    return shape === undefined ? [] : [parseModel(role, shape, options)];
  });
  return { models: roles.map(({ entry }) => entry), secrets: roles.flatMap(({ secrets }) => secrets) };
}

/** What `search` says, with defaults filled in. */
export function readSearch(shape: SearchShape = {}): SearchSettings {
  return {
    strategy: shape.strategy ?? DEFAULT_SEARCH.strategy,
    limit: shape.limit ?? DEFAULT_SEARCH.limit,
    semanticWeight: shape.semanticWeight ?? DEFAULT_SEARCH.semanticWeight,
  };
}

function parseModel(
  role: ModelRole,
  shape: ModelShape,
  { document, context, warnings }: Omit<Parameters<typeof parseModels>[0], "shape">,
): { readonly entry: ModelEntry; readonly secrets: readonly string[] } {
  const reader = createEntryReader({ document, at: ["models", role], context, warnings });
  const value = own(own(document.value, "models"), role);
  for (const { key, sentence } of unknownKeys(value, MODEL_KEYS[role])) reader.warn([key], sentence);
  const place = readPlace(role, shape, reader);
  const entry: ModelEntry = {
    role,
    name: `models.${role}` as ServerName,
    place,
    problem: reader.error(),
    identity: place.kind === "endpoint" ? identityOf(shape) : undefined,
    isEnabled: true,
  };
  const secrets =
    place.kind === "endpoint"
      ? secretsOf(
          {
            kind: "http",
            url: place.url,
            headers: place.apiKey === undefined ? {} : { authorization: `Bearer ${place.apiKey}` },
          },
          reader.used(),
        )
      : [];
  return { entry, secrets };
}

const FORM_HINT = 'Write "url" and "model", or for embeddings "path" or "package".';

function readPlace(role: ModelRole, shape: ModelShape, reader: EntryReader): ModelPlace {
  const forms = [shape.url, shape.path, shape.package].filter((form) => form !== undefined);
  if (forms.length !== 1) reader.problem([], "must have one of url, path and package.", FORM_HINT);
  if (role === "embeddings" && shape.package !== undefined) return { kind: "package", name: shape.package };
  if (role === "embeddings" && shape.path !== undefined) return readFolder(shape.path, reader);
  return readEndpoint(shape, reader);
}

function readFolder(raw: string, reader: EntryReader): ModelPlace {
  const { root, platform } = reader.context;
  const path = reader.text(raw, ["path"], true);
  return { kind: "folder", path: (platform === "win32" ? win32 : posix).resolve(root, path) };
}

function readEndpoint(shape: ModelShape, reader: EntryReader): ModelPlace {
  const url = reader.text(shape.url ?? "", ["url"]).replace(/\/+$/, "");
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    reader.problem(["url"], "must be an http:// or https:// address.", FORM_HINT);
  if (shape.model === undefined) reader.problem([], "needs the model's name.", FORM_HINT);
  const { apiKey } = shape;
  // A key in the file would be committed with it.
  if (apiKey !== undefined && variableNames(apiKey).length === 0)
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how the file writes a variable.
    reader.problem(["apiKey"], "must be a variable.", "Write ${NAME} and set NAME in the environment.");
  return {
    kind: "endpoint",
    url,
    model: shape.model === undefined ? "" : reader.text(shape.model, ["model"]),
    apiKey: apiKey === undefined ? undefined : reader.text(apiKey, ["apiKey"]),
    timeoutMs: shape.timeoutMs ?? DEFAULT_TIMEOUT_MS,
  };
}

/** Definitions and queries go to this address, with this variable's value. */
function identityOf({ url = "", apiKey }: ModelShape): ServerIdentity {
  return {
    kind: "http",
    command: [],
    cwd: "",
    url,
    envFile: "",
    env: [],
    headers: apiKey === undefined ? [] : ["authorization"],
    variables: [...new Set(variableNames(apiKey ?? ""))].sort(),
    loaders: {},
    rename: undefined,
  };
}
