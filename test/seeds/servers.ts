import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { received, type ServerCommand, scripted } from "../servers/servers.ts";

/** One tool of a fake server, and what it answers: `undefined` echoes the call. */
export interface FakeTool {
  readonly definition: Readonly<Record<string, unknown>> & { readonly name: string };
  readonly answer?: unknown;
}

/** Fake servers of the shapes that the documents assume, each with a log of what it received. */
export interface FakeServers {
  readonly mcpServers: Readonly<Record<string, ServerCommand>>;
  /** Arguments of all calls of one tool, in order. */
  readonly calls: (server: string, tool: string) => readonly unknown[];
}

/** Makes the entries of `mcpServers`; the logs lie in `folder`. */
export function fakeServers(
  folder: string,
  servers: Readonly<Record<string, readonly FakeTool[]>>,
): FakeServers {
  const logOf = (server: string): string => join(folder, `${server}.log`);
  const entries = Object.entries(servers).map(([server, tools]) => {
    const answers = tools
      .filter((tool) => "answer" in tool)
      .map(({ definition, answer }) => [definition.name, answerOf(answer)]);
    const spec = { tools: tools.map(({ definition }) => definition), answers: Object.fromEntries(answers) };
    // In a file: the rows of a sheet are too long for a command line.
    const file = join(folder, `${server}.json`);
    writeFileSync(file, JSON.stringify(spec));
    return [server, scripted(file, logOf(server))] as const;
  });
  return {
    mcpServers: Object.fromEntries(entries),
    calls: (server, tool) =>
      received(logOf(server), "tools/call")
        .filter((message) => message.params?.name === tool)
        .map((message) => message.params?.arguments),
  };
}

/** A list of answers is one for each call; an object is `structuredContent`; all else is one text block. */
function answerOf(answer: unknown): unknown {
  if (answer instanceof Each) return answer.answers.map(answerOf);
  if (typeof answer === "object" && answer !== null && !Array.isArray(answer))
    return { result: { content: [], structuredContent: answer } };
  return { text: typeof answer === "string" ? answer : JSON.stringify(answer) };
}

class Each {
  readonly answers: readonly unknown[];
  constructor(answers: readonly unknown[]) {
    this.answers = answers;
  }
}

/** Another answer for each call; the last repeats. */
export function each(...answers: readonly unknown[]): unknown {
  return new Each(answers);
}

/** A definition with these argument types, all required. */
export function definition(
  name: string,
  properties: Readonly<Record<string, unknown>>,
  outputSchema?: unknown,
): FakeTool["definition"] {
  const inputSchema = { type: "object", properties, required: Object.keys(properties) };
  return {
    name,
    description: `Does ${name}.`,
    inputSchema,
    ...(outputSchema === undefined ? {} : { outputSchema }),
  };
}
