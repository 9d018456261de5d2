import { randomUUID } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { JsonObject } from "../kernel/json.ts";
import { count } from "../kernel/text.ts";
import { headOf } from "./answers.ts";
import type { Client } from "./clients.ts";
import { resourceLink } from "./resources.ts";

/** Cuts answers that are larger than a client's budget, and keeps the whole where a link leads. */
export interface KeptAnswers {
  readonly fit: (
    text: string,
    client: Pick<Client, "answerBytes" | "addRun">,
  ) => Promise<{ readonly text: string; readonly isCut: boolean; readonly links: readonly JsonObject[] }>;
}

/** Creates the keeper of the workspace at `root`: a whole answer lies where the whole output of a run does. */
export function createKeptAnswers(root: string): KeptAnswers {
  return {
    fit: async (text, client) => {
      const bytes = Buffer.byteLength(text);
      if (bytes <= client.answerBytes) return { text, isCut: false, links: [] };
      const id = `answer-${randomUUID()}`;
      const folder = join(root, ".mcpfs", "runs", id);
      await mkdir(folder, { recursive: true });
      await writeFile(join(folder, "output.txt"), text, { mode: 0o600 });
      client.addRun(id);
      const path = `.mcpfs/runs/${id}/output.txt`;
      return {
        text: `${headOf(text, client.answerBytes)}\n… cut here: the answer has ${count(bytes, "byte")}; read_file ${path} has all of it.`,
        isCut: true,
        links: [resourceLink(path, "The whole answer.")],
      };
    },
  };
}
