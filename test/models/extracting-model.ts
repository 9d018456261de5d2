import type { Json } from "../../src/kernel/json.ts";
import type { ModelRequest } from "./model-server.ts";

/** What a model is sent by `extract`, taken apart. */
export interface ExtractPrompt {
  readonly system: string;
  readonly schema: any;
  readonly data: string;
  readonly mark: string;
  /** Of each request to mend an answer: what was wrong. */
  readonly repairs: readonly string[];
}

/** Takes the messages of an extraction apart, in either form. */
export function readPrompt(
  system: string,
  messages: readonly { role: string; text: string }[],
): ExtractPrompt {
  const [first, ...others] = messages;
  const [, schema = "null", mark = "", data = ""] =
    /JSON Schema of the answer:\n(.*)\n\n<data-([^>]*)>\n([\s\S]*)\n<\/data-\2>$/.exec(first?.text ?? "") ??
    [];
  const repairs = others.filter(({ role }) => role === "user").map(({ text }) => text);
  return { system, schema: JSON.parse(schema), data, mark, repairs };
}

/** The prompt in a request to a chat endpoint. */
export function promptIn({ body }: ModelRequest): ExtractPrompt {
  const [system, ...messages] = (body.messages as { role: string; content: string }[]).map(
    ({ role, content }) => ({ role, text: content }),
  );
  return readPrompt(system?.text ?? "", messages);
}

/** A model as simple as can be: fills each member of the schema with what stands behind its name in the data. */
export function simpleModel({ schema, data }: ExtractPrompt): string {
  const members = Object.entries<any>(schema.properties ?? {}).flatMap(([name, { type }]) => {
    const found = new RegExp(`${name}: *([^,;\\n]+)`, "i").exec(data)?.[1];
    if (found === undefined) return [];
    return [[name, type === "number" || type === "integer" ? Number(found) : found.trim()]];
  });
  return JSON.stringify(Object.fromEntries(members));
}

/** An answer in OpenAI's form. */
export function chatAnswer(content: string): Json {
  return {
    choices: [{ message: { role: "assistant", content }, finish_reason: "stop" }],
    usage: { prompt_tokens: 100, completion_tokens: 10 },
  };
}
