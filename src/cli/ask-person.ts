import type { Json } from "../kernel/json.ts";
import { oneLine } from "../kernel/text.ts";
import type { AskPerson, Question, QuestionField, Reply } from "../model/question.ts";
import type { Talk, Terminal } from "./terminal.ts";

/** Creates the asker of the terminal. What a person types goes to the server alone: it is not logged and not recorded. */
export function createAskPerson(terminal: Terminal): AskPerson {
  return async (question, signal) =>
    (await terminal.converse((talk) => converse(question, talk), signal)) ?? { kind: "cancel" };
}

async function converse(question: Question, talk: Talk): Promise<Reply> {
  talk.say(`\nServer ${oneLine(question.server)} asks: ${question.message.trim()}`);
  if (question.kind === "url") return await askToVisit(question.url, talk);
  const { fields } = question;
  const what = fields.length === 0 ? "Agree?" : "Answer?";
  const isWilling = await readChoice(talk, `${what} [y]es, [d]ecline, [c]ancel: `);
  if (isWilling !== "accept") return { kind: isWilling };
  const content = new Map<string, Json>();
  for (const field of fields) {
    const value = await askField(field, talk);
    if (value !== undefined) content.set(field.name, value);
  }
  return { kind: "accept", content: Object.fromEntries(content) };
}

/** The page is never opened from here: the person sees all of the address and decides (client/elicitation, URL mode). */
async function askToVisit(url: string, talk: Talk): Promise<Reply> {
  const { hostname, protocol } = new URL(url);
  talk.say(`It wants you to visit this page:\n  ${url}\nHost: ${hostname}`);
  if (protocol !== "https:") talk.say("What you enter there is not encrypted on its way (http).");
  if (hostname.includes("xn--")) talk.say("The host is written in letters that can look like others.");
  const reply = await readChoice(
    talk,
    "Open it yourself; then [y]es, I have been there, [d]ecline, [c]ancel: ",
  );
  return reply === "accept" ? { kind: "accept", content: {} } : { kind: reply };
}

async function readChoice(talk: Talk, prompt: string): Promise<Reply["kind"]> {
  for (;;) {
    const answer = (await talk.read(prompt)).toLowerCase();
    if (/^y(es)?$/.test(answer)) return "accept";
    if (/^(d(ecline)?|no?)$/.test(answer)) return "decline";
    if (/^c(ancel)?$/.test(answer)) return "cancel";
  }
}

async function askField(field: QuestionField, talk: Talk): Promise<Json | undefined> {
  const name = oneLine(field.title || field.name, 80);
  if (field.description !== "") talk.say(`  ${oneLine(field.description, 300)}`);
  for (const [index, { value, title }] of field.choices.entries())
    talk.say(`    ${index + 1}  ${oneLine(title || value, 100)}`);
  const fallback = field.fallback === undefined ? "" : ` [${oneLine(String(field.fallback), 60)}]`;
  const prompt = `  ${name} (${KINDS[field.type]}${field.isRequired ? "" : ", optional"})${fallback}: `;
  for (;;) {
    const typed = await talk.read(prompt, SECRET.test(`${field.name} ${field.title}`));
    if (typed === "" && field.fallback !== undefined) return field.fallback;
    if (typed === "" && !field.isRequired) return undefined;
    const value = readValue(field, typed);
    const fault = field.fault(value);
    if (fault === undefined) return value;
    talk.say(`  ${fault}`);
  }
}

const KINDS: Readonly<Record<QuestionField["type"], string>> = {
  text: "text",
  number: "number",
  integer: "whole number",
  boolean: "y or n",
  choice: "number of one",
  choices: "numbers, with commas",
};

/** A form must not ask for such things; one that does shall not leave them on a screen. */
const SECRET = /passw|secret|token|api.?key|credential|\bpin\b/i;

/** What was typed, as the field wants it; what does not fit is left as text and found faulty. */
function readValue(field: QuestionField, typed: string): Json {
  const choice = (text: string): string => field.choices[Number(text) - 1]?.value ?? text;
  switch (field.type) {
    case "boolean":
      return /^(y(es)?|true)$/i.test(typed) ? true : /^(no?|false)$/i.test(typed) ? false : typed;
    case "number":
    case "integer":
      return typed === "" ? typed : Number(typed);
    case "choice":
      return choice(typed);
    case "choices":
      return typed
        .split(",")
        .map((part) => part.trim())
        .filter((part) => part !== "")
        .map(choice);
    case "text":
      return typed;
  }
}
