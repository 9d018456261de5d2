import type { Host } from "../engine/host.ts";
import { FLAG, KEEPS, type MetaTool, said, shape, TEXT } from "./meta-tool.ts";
import { scriptOf } from "./script-of.ts";
import type { TreeFiles } from "./tree-files.ts";

/** `save_skill`: keeps a script as a function. */
export function saveSkill(host: Host, files: TreeFiles, onChanged: () => Promise<void>): MetaTool {
  return {
    definition: {
      name: "save_skill",
      title: "Save a skill",
      description:
        "Keeps a script that works as a function, for any later script: import … from './skills/<name>'.",
      inputSchema: shape({
        name: said(TEXT, "weekly-report"),
        description: said(TEXT, "What it does and when to use it"),
        "code?": TEXT,
        "path?": said(TEXT, "Instead of code"),
        "overwrite?": FLAG,
      }),
      outputSchema: shape({ name: TEXT, path: TEXT, changed: FLAG }),
      annotations: KEEPS,
    },
    run: async (args, { client }) => {
      const source = await scriptOf(args, files, client);
      const {
        name,
        description,
        overwrite = false,
      } = args as {
        name: string;
        description: string;
        overwrite?: boolean;
      };
      const saved = await host.saveSkill(
        { name, description, source, isOverwrite: overwrite },
        client.caller,
      );
      await onChanged();
      return {
        text: `${saved.changed ? "Saved" : "Kept"} ${saved.path}; import it from "./${saved.path}".`,
        value: { ...saved },
      };
    },
  };
}
