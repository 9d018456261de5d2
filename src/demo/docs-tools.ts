import { type DemoTool, demoTool, failure, READS, value } from "./demo-tool.ts";
import { CHANNELS, type ChannelMessage, DEPLOYMENT_PROGRESS, listStoredDocuments } from "./docs-content.ts";
import { listOrders, ORDER_COLUMNS, ORDER_STATUSES, type OrderRow } from "./orders.ts";
import { choice, list, object, type Schema, text, whole } from "./schemas.ts";

/** Where the clock of the demo's channels stands when a script posts its first message. */
const FIRST_POST_MS = Date.UTC(2026, 8, 14, 12);
const MINUTE_MS = 60_000;
const ORDERS_SHEET = { id: "orders-2026", title: "Orders, January to September 2026" };

/** The tools of `docs`: documents, a sheet of 10,000 orders, team channels. Each call of this makes a fresh store. */
export function createDocsTools(): readonly DemoTool[] {
  return [...documentTools(), ...sheetTools(), ...channelTools()];
}

function documentTools(): DemoTool[] {
  const documents = new Map(listStoredDocuments().map((document) => [document.id, document]));
  return [
    demoTool(
      {
        name: "list_documents",
        title: "List documents",
        description: "Lists all documents with title and size, without their content.",
        inputSchema: object({}),
        outputSchema: object({
          documents: list(object({ ...DOCUMENT, characters: whole("Length of the content.") })),
        }),
        annotations: READS,
      },
      () =>
        value({
          documents: [...documents.values()].map(({ content, ...head }) => ({
            ...head,
            characters: content.length,
          })),
        }),
    ),
    demoTool<{ readonly document_id: string }>(
      {
        name: "get_document",
        title: "Get a document",
        description: "Reads one document with its whole content. A transcript may be long.",
        inputSchema: object({ document_id: text("Id of the document, as list_documents shows it.") }),
        outputSchema: object({ ...DOCUMENT, content: text("The whole text.") }),
        annotations: READS,
      },
      ({ document_id }) => {
        const document = documents.get(document_id);
        if (document === undefined) return failure(unknown("document", document_id, documents.keys()));
        return value({ ...document });
      },
    ),
    demoTool<{ readonly query: string; readonly limit?: number }>(
      {
        name: "search_documents",
        title: "Search documents",
        description: "Finds the lines of all documents that contain a text, ignoring upper and lower case.",
        inputSchema: object(
          {
            query: { ...text("Text to look for."), minLength: 1 },
            limit: whole("Lines to return at most. Default 20.", 1),
          },
          ["query"],
        ),
        outputSchema: object({
          total: whole("Matching lines in all documents."),
          matches: list(
            object({
              document_id: text("Id of the document."),
              line: whole("Number of the line.", 1),
              text: text("The line."),
            }),
          ),
        }),
        annotations: READS,
      },
      ({ query, limit = 20 }) => {
        const matches = [...documents.values()].flatMap((document) =>
          document.content
            .split("\n")
            .flatMap((line, index) =>
              line.toLowerCase().includes(query.toLowerCase())
                ? [{ document_id: document.id, line: index + 1, text: line }]
                : [],
            ),
        );
        return value({ total: matches.length, matches: matches.slice(0, limit) });
      },
    ),
    demoTool<{ readonly title: string; readonly content: string }>(
      {
        name: "create_document",
        title: "Create a document",
        description: "Writes a new note and returns its id. Nothing is overwritten.",
        inputSchema: object({ title: text("Title."), content: text("The whole text.") }),
        outputSchema: object({ id: text("Id of the new document."), title: text("Title.") }),
        annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
      },
      ({ title, content }) => {
        const id = `note-${documents.size + 1}`;
        documents.set(id, { id, title, kind: "note", author: "you", updated: "2026-09-14", content });
        return value({ id, title });
      },
    ),
  ];
}

function sheetTools(): DemoTool[] {
  let orders: readonly OrderRow[] | undefined;
  const rowsOf = (): readonly OrderRow[] => {
    orders ??= listOrders();
    return orders;
  };
  return [
    demoTool(
      {
        name: "list_sheets",
        title: "List sheets",
        description: "Lists all sheets with their columns and number of rows.",
        inputSchema: object({}),
        outputSchema: object({
          sheets: list(
            object({
              id: text("Id of the sheet."),
              title: text("Title."),
              columns: list(text("Heading of a column.")),
              rows: whole("Number of rows."),
            }),
          ),
        }),
        annotations: READS,
      },
      () => value({ sheets: [{ ...ORDERS_SHEET, columns: ORDER_COLUMNS, rows: rowsOf().length }] }),
    ),
    demoTool<{ readonly sheet_id: string; readonly offset?: number; readonly limit?: number }>(
      {
        name: "get_sheet",
        title: "Get the rows of a sheet",
        description:
          "Reads the rows of a sheet, all of them unless a limit is given. orders-2026 has 10,000 rows with names, e-mail addresses and phone numbers of customers.",
        inputSchema: object(
          {
            sheet_id: text("Id of the sheet, as list_sheets shows it."),
            offset: whole("Rows to skip. Default 0."),
            limit: whole("Rows to return at most. Default: all.", 1),
          },
          ["sheet_id"],
        ),
        outputSchema: object({
          sheet_id: text("Id of the sheet."),
          total: whole("Rows of the whole sheet."),
          rows: list(object(ORDER_ROW)),
        }),
        annotations: READS,
      },
      ({ sheet_id, offset = 0, limit }) => {
        if (sheet_id !== ORDERS_SHEET.id) return failure(unknown("sheet", sheet_id, [ORDERS_SHEET.id]));
        const total = rowsOf().length;
        const rows = rowsOf().slice(offset, limit === undefined ? total : offset + limit);
        return value(
          { sheet_id, total, rows: rows.map((row) => ({ ...row })) },
          // A second copy as text would double an answer that is large already.
          `${rows.length} of ${total} rows of ${sheet_id}; they are in structuredContent.`,
        );
      },
    ),
  ];
}

function channelTools(): DemoTool[] {
  const channels = new Map([...CHANNELS].map(([name, messages]) => [name, [...messages]]));
  const coming = [...DEPLOYMENT_PROGRESS];
  let looksAtDeployments = 0;
  let posts = 0;
  return [
    demoTool<{ readonly channel: string; readonly limit?: number }>(
      {
        name: "get_channel_history",
        title: "Get the messages of a channel",
        description:
          "Reads the latest messages of a team channel, oldest first. The channel deployments says when a deployment is complete.",
        inputSchema: object(
          {
            channel: text("Name of the channel: general or deployments."),
            limit: whole("Messages to return at most. Default 50.", 1),
          },
          ["channel"],
        ),
        outputSchema: object({ channel: text("Name of the channel."), messages: list(object(MESSAGE)) }),
        annotations: READS,
      },
      ({ channel, limit = 50 }) => {
        const messages = channels.get(channel);
        if (messages === undefined) return failure(unknown("channel", channel, channels.keys()));
        if (channel === "deployments" && looksAtDeployments++ > 0) messages.push(...coming.splice(0, 1));
        return value({ channel, messages: messages.slice(-limit).map((message) => ({ ...message })) });
      },
    ),
    demoTool<{ readonly channel: string; readonly text: string }>(
      {
        name: "post_message",
        title: "Post a message",
        description: "Posts a message to a team channel. Everybody in the channel sees it.",
        inputSchema: object({
          channel: text("Name of the channel: general or deployments."),
          text: { ...text("The message."), minLength: 1, maxLength: 4_000 },
        }),
        outputSchema: object(MESSAGE),
        annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false },
      },
      ({ channel, text: words }) => {
        const messages = channels.get(channel);
        if (messages === undefined) return failure(unknown("channel", channel, channels.keys()));
        const at = new Date(FIRST_POST_MS + posts * MINUTE_MS).toISOString().replace(".000Z", "Z");
        posts += 1;
        const message: ChannelMessage = { at, user: "you", text: words };
        messages.push(message);
        return value({ ...message });
      },
    ),
  ];
}

function unknown(kind: string, wanted: string, known: Iterable<string>): string {
  return `There is no ${kind} ${JSON.stringify(wanted)}. Known: ${[...known].join(", ")}.`;
}

const DOCUMENT: Readonly<Record<string, Schema>> = {
  id: text("Id of the document."),
  title: text("Title."),
  kind: choice(["transcript", "note", "list"], "What it is."),
  author: text("Who wrote it."),
  updated: text("Day of the last change, such as 2026-09-14."),
};

const ORDER_ROW: Readonly<Record<keyof OrderRow, Schema>> = {
  Order: text("Number of the order."),
  Customer: text("Name of the customer."),
  Email: text("The customer's e-mail address."),
  Phone: text("The customer's phone number."),
  Lead: text("Id of the customer's lead in the CRM."),
  Status: choice(ORDER_STATUSES, "How far the order is."),
  Amount: { type: "number", description: "US dollars." },
  Ordered: text("Day of the order, such as 2026-03-14."),
};

const MESSAGE: Readonly<Record<keyof ChannelMessage, Schema>> = {
  at: text("When it was posted, such as 2026-09-14T11:30:00Z."),
  user: text("Who posted it."),
  text: text("The message."),
};
