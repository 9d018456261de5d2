import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { isJsonObject, type JsonObject, own, stringifyJson } from "../kernel/json.ts";
import { count } from "../kernel/text.ts";
import { headOf, textBlock } from "./answers.ts";
import type { Client } from "./clients.ts";
import { resourceLink } from "./resources.ts";

/** Cuts answers that are larger than a client's budget, and keeps the whole where a link leads. */
export interface KeptAnswers {
  /** The blocks of one answer under one budget. What a model does not read as text (images, audio, other files) is not counted. */
  readonly fit: (blocks: readonly JsonObject[], whose: AnswerOwner) => Promise<FittingAnswer>;
}

/** Who gets an answer, and the run of the call that it answers. */
export interface AnswerOwner {
  readonly client: Pick<Client, "answerBytes" | "addRun">;
  readonly runId: string;
}

export interface FittingAnswer {
  readonly blocks: readonly JsonObject[];
  readonly isCut: boolean;
}

/** Creates the keeper of the workspace at `root`: a whole answer lies, and goes, with the record of its call. */
export function createKeptAnswers(root: string): KeptAnswers {
  return {
    fit: async (blocks, { client, runId }) => {
      const whole = blocks
        .map(readableOf)
        .filter((text) => text !== "")
        .join("\n");
      const bytes = Buffer.byteLength(whole);
      if (bytes <= client.answerBytes) return { blocks, isCut: false };
      const path = `.mcpfs/runs/${runId}/output.txt`;
      await mkdir(join(root, ".mcpfs", "runs", runId), { recursive: true });
      await writeFile(join(root, path), whole, { mode: 0o600 });
      client.addRun(runId);
      const note = `… cut here: the answer has ${count(bytes, "byte")}; read_file ${path} has all of it.`;
      const kept = headOfBlocks(blocks, client.answerBytes);
      return { blocks: [...kept, textBlock(note), resourceLink(path, "The whole answer.")], isCut: true };
    },
  };
}

/** The first blocks that take so many bytes together; the head of the one that does not fit, where it is text; then none that is read. */
function headOfBlocks(blocks: readonly JsonObject[], maxBytes: number): readonly JsonObject[] {
  let room = maxBytes;
  return blocks.flatMap((block) => {
    const bytes = Buffer.byteLength(readableOf(block));
    const head = bytes <= room ? block : headOfBlock(block, room);
    room = bytes <= room ? room - bytes : 0;
    return head === undefined ? [] : [head];
  });
}

function headOfBlock(block: JsonObject, maxBytes: number): JsonObject | undefined {
  const text = headOf(textIn(block) ?? resourceText(block) ?? "", maxBytes);
  if (text === "") return undefined;
  const { resource } = block;
  return isJsonObject(resource) ? { ...block, resource: { ...resource, text } } : { ...block, text };
}

/** What a model reads of a block; of a link, or a block that nobody knows, its JSON. */
function readableOf(block: JsonObject): string {
  const text = textIn(block) ?? resourceText(block);
  if (text !== undefined) return text;
  return isBinary(block) ? "" : stringifyJson(block);
}

/** The text of a text block. */
export function textIn(block: JsonObject): string | undefined {
  const text = own(block, "text");
  return own(block, "type") === "text" && typeof text === "string" ? text : undefined;
}

/** The text of an embedded resource. */
function resourceText(block: JsonObject): string | undefined {
  const text = own(own(block, "resource"), "text");
  return own(block, "type") === "resource" && typeof text === "string" ? text : undefined;
}

function isBinary(block: JsonObject): boolean {
  const type = own(block, "type");
  return type === "image" || type === "audio" || type === "resource";
}
