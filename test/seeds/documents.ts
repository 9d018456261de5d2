import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { packageFile } from "../../src/kernel/paths.ts";

/** The original documents lie beside the repository, where they lie at all; nothing of their text is kept here. */
const FOLDER = packageFile("../shared/seeds");

/** True where the documents can be read; says so once where they cannot. */
export const hasDocuments: boolean = existsSync(FOLDER);
if (!hasDocuments)
  console.log("test/seeds: ../shared/seeds is absent, so the documents' samples are not run.");

/** The text of the document whose file begins with `number`: `"004"`. */
export function documentText(number: string): string {
  const name = readdirSync(FOLDER).find((candidate) => candidate.startsWith(`${number}_`));
  if (name === undefined) throw new Error(`There is no document ${number} in ${FOLDER}.`);
  return readFileSync(join(FOLDER, name), "utf8");
}

/** The sample of a document from the first `start` up to and with the next `end`, as it is written there. */
export function sample(number: string, start: string, end: string): string {
  const text = documentText(number);
  const from = text.indexOf(start);
  const to = text.indexOf(end, from + start.length);
  if (from < 0 || to < 0) throw new Error(`Document ${number} has no sample from ${start} to ${end}.`);
  return text.slice(from, to + end.length);
}

/** The fenced code block of a document that holds `marker`. */
export function fenced(number: string, marker: string): string {
  const blocks = [...documentText(number).matchAll(/^```(?:typescript|json)[^\n]*\n([\s\S]*?)^```$/gm)];
  const block = blocks.map((match) => match[1] ?? "").find((text) => text.includes(marker));
  if (block === undefined) throw new Error(`Document ${number} has no code block with ${marker}.`);
  return block;
}
