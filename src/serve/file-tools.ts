import { McpfsError } from "../kernel/errors.ts";
import { count } from "../kernel/text.ts";
import { headOf } from "./answers.ts";
import { LOOKS, listOf, type MetaTool, said, shape, TEXT, WHOLE } from "./meta-tool.ts";
import type { TreeFiles } from "./tree-files.ts";

/** Names of one listing; more help nobody. */
const MAX_NAMES = 1_000;

/** `list_files`: what a folder of the workspace holds. */
export function listFiles(files: TreeFiles): MetaTool {
  return {
    definition: {
      name: "list_files",
      title: "List files",
      description:
        "Names in a folder: servers/ (a typed function per tool), skills/, workspace/ (files of scripts). Folders end with /.",
      inputSchema: shape({ "path?": said(TEXT, "Default: the top") }),
      outputSchema: shape({ names: listOf(TEXT), total: WHOLE }),
      annotations: LOOKS,
    },
    run: async (args, { client }) => {
      const { path = "" } = args as { path?: string };
      const all = await files.list(path, client);
      const names = all.slice(0, MAX_NAMES);
      const rest = all.length - names.length;
      const lines = rest === 0 ? names : [...names, `… and ${rest} more`];
      return { text: lines.join("\n") || "(empty)", value: { names, total: all.length } };
    },
  };
}

/** `read_file`: a file of the workspace, or lines of it. */
export function readFile(files: TreeFiles): MetaTool {
  return {
    definition: {
      name: "read_file",
      title: "Read a file",
      description: "Reads a text file of the workspace, such as servers/crm/index.ts.",
      inputSchema: shape({
        path: TEXT,
        "line?": { type: "integer", minimum: 1, description: "First line. Default: 1" },
        "lines?": { type: "integer", minimum: 1, description: "How many" },
      }),
      outputSchema: shape({ path: TEXT, text: TEXT, line: WHOLE, lines: WHOLE, totalLines: WHOLE }),
      annotations: LOOKS,
    },
    run: async (args, { client }) => {
      const { path, line = 1, lines } = args as { path: string; line?: number; lines?: number };
      const file = await files.read(path, client);
      if (file.text === undefined)
        throw new McpfsError(
          "FILE_FAILED",
          `${file.path} is not text (${count(file.bytes.length, "byte")}).`,
          {
            hint: "Read it in a script, or as a resource.",
          },
        );
      const all = file.text.split("\n");
      const wanted = all.slice(line - 1, lines === undefined ? undefined : line - 1 + lines).join("\n");
      const text = headOf(wanted, client.answerBytes);
      const shown = text === "" ? 0 : text.split("\n").length;
      const isCut = text.length < wanted.length;
      const note = `\n… cut here: lines ${line} to ${line - 1 + shown} of ${all.length}; go on with line ${line + shown}.`;
      return {
        text: isCut ? `${text}${note}` : text,
        value: { path: file.path, text, line, lines: shown, totalLines: all.length },
      };
    },
  };
}
