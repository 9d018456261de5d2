import { isJsonObject, type Json, type JsonObject, own, stringifyJson } from "../kernel/json.ts";
import type { Log } from "../kernel/log.ts";
import { oneLine, visibleText } from "../kernel/text.ts";
import type { Approval, ApprovalQuestion } from "../model/approval.ts";
import type { CallProgress } from "../model/call-progress.ts";
import type { CallerSide, Root } from "../model/caller-side.ts";
import type { Question, QuestionField, Reply } from "../model/question.ts";
import type { ClientRequest } from "../protocol/served.ts";
import type { Conversation } from "./conversations.ts";

/** A form that was filled in wrongly is shown once more; a client that does so again will go on. */
const MAX_ASKS = 2;
/** More folders than a program works in. */
const MAX_ROOTS = 100;

/**
 * The MCP client of a call as servers reach it: their questions, with their names, become its elicitations.
 * @param call.session the client's, whose calls are one caller's; absent where each request has its own
 * @param call.isOne the client asked for one call of a tool, whose progress is the request's
 */
export function clientSide(
  conversation: Conversation,
  log: Log,
  call: { readonly session: object | undefined; readonly isOne: boolean },
): CallerSide {
  const { can } = conversation.exchange();
  const canAnswer = (question: Question): boolean => (question.kind === "url" ? can.page : can.form);
  return {
    client: call.session,
    askPerson: async (question, signal) => {
      if (canAnswer(question)) return await askClient(conversation, question, signal);
      log.warn(`Server ${question.server} asks what this client cannot answer, so it was declined.`);
      return { kind: "decline" };
    },
    ...(can.form
      ? { askApproval: async (question, signal) => await askApproval(conversation, question, signal) }
      : {}),
    ...(can.model
      ? {
          askModel: async (params, signal) =>
            await conversation.ask({ method: "sampling/createMessage", params }, signal),
        }
      : {}),
    ...(can.roots
      ? { listRoots: async (signal) => readRoots(await conversation.ask({ method: "roots/list" }, signal)) }
      : {}),
    onProgress: call.isOne ? progressOf(conversation) : progressCounter(conversation),
  };
}

/** Characters of a call's arguments that a person is shown. */
const MAX_ARGUMENTS = 1_500;

/** Asks the person behind the client whether a call may be made; who closes the question leaves the call waiting. */
async function askApproval(
  conversation: Conversation,
  { server, tool, arguments: args, reason }: ApprovalQuestion,
  signal: AbortSignal,
): Promise<Approval | undefined> {
  const message = [
    `May ${oneLine(`${server}/${tool}`, 120)} be called? ${reason}`,
    `Arguments: ${oneLine(stringifyJson(args), MAX_ARGUMENTS)}`,
  ].join("\n");
  const decision = {
    type: "string",
    title: "Decision",
    oneOf: DECISIONS.map(({ word, title }) => ({ const: word, title })),
  };
  const requestedSchema = { type: "object", properties: { decision }, required: ["decision"] };
  const params = { mode: "form", message, requestedSchema };
  const answer = await conversation.ask({ method: "elicitation/create", params }, signal);
  const action = own(answer, "action");
  if (action === "decline") return { decision: "denied", by: "client", scope: "call" };
  if (action !== "accept") return undefined;
  const word = own(own(answer, "content"), "decision");
  return DECISIONS.find((known) => known.word === word)?.approval;
}

const DECISIONS: readonly {
  readonly word: string;
  readonly title: string;
  readonly approval: Approval;
}[] = [
  { word: "once", title: "Allow this call", approval: { decision: "approved", by: "client", scope: "call" } },
  {
    word: "run",
    title: "Allow this tool for the whole run",
    approval: { decision: "approved", by: "client", scope: "run-tool" },
  },
  { word: "deny", title: "Deny it", approval: { decision: "denied", by: "client", scope: "call" } },
];

async function askClient(
  conversation: Conversation,
  question: Question,
  signal: AbortSignal,
  fault = "",
  times = 1,
): Promise<Reply> {
  const answer = await conversation.ask(elicitation(question, fault), signal);
  const action = own(answer, "action");
  if (action === "decline") return { kind: "decline" };
  if (action !== "accept") return { kind: "cancel" };
  if (question.kind === "url") return { kind: "accept", content: {} };
  const content = acceptedContent(question.fields, own(answer, "content"));
  if (typeof content !== "string") return { kind: "accept", content };
  return times < MAX_ASKS
    ? await askClient(conversation, question, signal, content, times + 1)
    : { kind: "cancel" };
}

function elicitation(question: Question, fault: string): ClientRequest {
  const note = fault === "" ? "" : `\n(${fault})`;
  const message = `Server ${question.server} asks: ${visibleText(question.message).trim()}${note}`;
  if (question.kind === "url")
    return { method: "elicitation/create", params: { mode: "url", message, url: question.url } };
  const required = question.fields.filter(({ isRequired }) => isRequired).map(({ name }) => name);
  const requestedSchema = {
    type: "object",
    properties: Object.fromEntries(question.fields.map((field) => [field.name, fieldSchema(field)])),
    ...(required.length === 0 ? {} : { required }),
  };
  return { method: "elicitation/create", params: { mode: "form", message, requestedSchema } };
}

/** As its server described it; a field of ours is described here. */
function fieldSchema(field: QuestionField): JsonObject {
  if (field.schema !== undefined) return field.schema;
  const { title, description, choices } = field;
  const about = { ...(title === "" ? {} : { title }), ...(description === "" ? {} : { description }) };
  switch (field.type) {
    case "text":
      return { type: "string", ...about };
    case "choice":
      return {
        type: "string",
        ...about,
        oneOf: choices.map(({ value, title }) => ({ const: value, title: title || value })),
      };
    case "choices":
      return {
        type: "array",
        ...about,
        items: { anyOf: choices.map(({ value, title }) => ({ const: value, title: title || value })) },
      };
    default:
      return { type: field.type, ...about };
  }
}

/** The values of the form's own fields, or a sentence that says which is wrong. */
function acceptedContent(
  fields: readonly QuestionField[],
  content: Json | undefined,
): { readonly [name: string]: Json } | string {
  const accepted: [string, Json][] = [];
  for (const { name, isRequired, fault } of fields) {
    const value = own(content, name);
    if (value === undefined && !isRequired) continue;
    const sentence = value === undefined ? "It is required." : fault(value);
    if (sentence !== undefined) return `${oneLine(name, 60)}: ${sentence}`;
    if (value !== undefined) accepted.push([name, value]);
  }
  return Object.fromEntries(accepted);
}

function readRoots(answer: Json | undefined): readonly Root[] {
  const roots = own(answer, "roots");
  if (!Array.isArray(roots)) return [];
  return (roots as readonly Json[]).slice(0, MAX_ROOTS).flatMap((root) => {
    const [uri, name] = [own(root, "uri"), own(root, "name")];
    if (!isJsonObject(root) || typeof uri !== "string") return [];
    return [{ uri, name: typeof name === "string" ? name : uri }];
  });
}

function progressOf(conversation: Conversation): (progress: CallProgress) => void {
  return ({ done, total, message, isOver }) => {
    if (isOver) return;
    void conversation.exchange().reportProgress?.({
      done,
      ...(total === undefined ? {} : { total }),
      ...(message === "" ? {} : { message: oneLine(message, 200) }),
    });
  };
}

/** Several calls of a script report side by side, and the client wants one number that grows: it counts the reports. */
function progressCounter(conversation: Conversation): (progress: CallProgress) => void {
  let reports = 0;
  return ({ server, what, done, total, message, isOver }) => {
    if (isOver) return;
    reports += 1;
    const amount = total === undefined ? `${done}` : `${done}/${total}`;
    const said = message === "" ? "" : ` ${message}`;
    const shown = oneLine(`${server}/${what} ${amount}${said}`, 200);
    void conversation.exchange().reportProgress?.({ done: reports, message: shown });
  };
}
