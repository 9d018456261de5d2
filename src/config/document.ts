import { configError, fieldName, type JsonText, readJsonText } from "./json-text.ts";
import { type FileShape, fileSchema } from "./schema.ts";
import { expectation } from "./schema-issues.ts";

/** The text of `mcpfs.json`, parsed, with a top level that is right; the servers in it are not checked yet. */
export interface ConfigDocument {
  readonly json: JsonText;
  readonly shape: FileShape;
}

/**
 * Reads the text of `mcpfs.json`.
 * @param path how errors name the file
 * @throws McpfsError CONFIG_INVALID with line, column and what was expected
 */
export function readDocument(text: string, path: string): ConfigDocument {
  const json = readJsonText(text, path);
  const checked = fileSchema.safeParse(json.value);
  if (checked.success) return { json, shape: checked.data };
  const issues = checked.error.issues.map((issue) => expectation(issue, json.value));
  throw configError({
    file: path,
    position: json.positionOf(issues[0]?.path ?? []),
    sentence: issues.map((issue) => `${fieldName(issue.path) || "The file"} ${issue.sentence}`).join(" "),
    hint: 'The smallest config is {"mcpServers": {}}.',
  });
}
