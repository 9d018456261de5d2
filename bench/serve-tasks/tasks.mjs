// Ten tasks of the kind that people give an agent. `search` and `code` are what an agent writes that knows nothing but the tool list of
// mode `code` (several scripts where it has to look at the data first); `direct` is what it calls, turn by turn, where every tool is in front of it: one function a turn, which sees the answers so far.

const call = (name, args = {}) => ({ name, args });

export function tasksFor(files) {
  return [
    {
      title: "One field of one record",
      ask: "Who owns lead L-0042?",
      search: [["read one record with all its fields", 3]],
      code: `import * as crm from "./servers/crm";
const { data } = await crm.getRecord({ object_type: "Lead", record_id: "L-0042" });
export default data;`,
      direct: [() => [call("crm__get_record", { object_type: "Lead", record_id: "L-0042" })]],
    },
    {
      title: "Counts over 400 records",
      ask: "How many leads are there of each stage?",
      search: [["find records of one type", 2]],
      code: [
        `import * as crm from "./servers/crm";
export default (await crm.query({ object_type: "Lead", limit: 1 })).records[0].data;`,
        `import * as crm from "./servers/crm";
const { records } = await crm.query({ object_type: "Lead", limit: 1000 });
const counts: Record<string, number> = {};
for (const { data } of records) counts[String(data.Stage)] = (counts[String(data.Stage)] ?? 0) + 1;
export default counts;`,
      ],
      direct: [() => [call("crm__query", { object_type: "Lead", limit: 1000 })]],
    },
    {
      title: "A transcript from one server into another",
      ask: "Put the transcript of the call of 14 September into the notes of sales meeting M-0914.",
      search: [
        ["read a document with its whole content", 2],
        ["set fields of a record", 2],
      ],
      code: `import * as docs from "./servers/docs";
import * as crm from "./servers/crm";
const { content } = await docs.getDocument({ document_id: "call-2026-09-14" });
const { changed } = await crm.updateRecord({ object_type: "SalesMeeting", record_id: "M-0914", data: { Notes: content } });
export default changed;`,
      direct: [
        () => [call("docs__get_document", { document_id: "call-2026-09-14" })],
        ([[document]]) => [
          call("crm__update_record", {
            object_type: "SalesMeeting",
            record_id: "M-0914",
            data: { Notes: document.content },
          }),
        ],
      ],
    },
    {
      title: "Sums over 10,000 rows",
      ask: "What do the paid orders of this year come to, month by month?",
      search: [["rows of a sheet of orders", 2]],
      code: `import * as docs from "./servers/docs";
const { rows } = await docs.getSheet({ sheet_id: "orders-2026" });
const sums: Record<string, number> = {};
for (const { Status, Ordered, Amount } of rows)
  if (Status === "paid") sums[Ordered.slice(0, 7)] = (sums[Ordered.slice(0, 7)] ?? 0) + Amount;
for (const month of Object.keys(sums)) sums[month] = Math.round(sums[month]!);
export default sums;`,
      direct: [() => [call("docs__get_sheet", { sheet_id: "orders-2026" })]],
    },
    {
      title: "Waiting for something",
      ask: "Tell me when the deployment is complete.",
      search: [["messages of a team channel about deployments", 2]],
      code: `import * as docs from "./servers/docs";
for (;;) {
  const { messages } = await docs.getChannelHistory({ channel: "deployments", limit: 1 });
  const text = messages.at(-1)?.text ?? "";
  if (/complete/i.test(text)) return text;
  await new Promise((go) => setTimeout(go, 200));
}`,
      direct: Array.from({ length: 6 }, () => (answers) => {
        const last = answers.at(-1)?.[0]?.messages.at(-1)?.text ?? "";
        return /complete/i.test(last)
          ? []
          : [call("docs__get_channel_history", { channel: "deployments", limit: 1 })];
      }),
    },
    {
      title: "A join of two answers",
      ask: "Who wrote the documents that mention a price, and how often do they?",
      search: [["search text in documents and list them with author", 3]],
      code: `import * as docs from "./servers/docs";
const [{ matches }, { documents }] = await Promise.all([docs.searchDocuments({ query: "price", limit: 500 }), docs.listDocuments()]);
const counts: Record<string, number> = {};
for (const { document_id } of matches) {
  const author = documents.find(({ id }) => id === document_id)?.author ?? "?";
  counts[author] = (counts[author] ?? 0) + 1;
}
export default counts;`,
      direct: [
        () => [call("docs__search_documents", { query: "price", limit: 500 }), call("docs__list_documents")],
      ],
    },
    {
      title: "The longest of twelve files",
      ask: "Which of the notes is the longest?",
      search: [["list a directory and read a text file", 4]],
      code: `import * as files from "./servers/files";
const folder = ${JSON.stringify(files)};
const { content } = await files.listDirectory({ path: folder });
const names = content.split("\\n").filter((line) => line.startsWith("[FILE]")).map((line) => line.slice(7));
const notes = await Promise.all(names.map(async (name) => ({ name, length: (await files.readTextFile({ path: folder + "/" + name })).content.length })));
export default notes.sort((a, b) => b.length - a.length)[0];`,
      direct: [
        () => [call("files__list_directory", { path: files })],
        ([[listing]]) =>
          noteNames(listing).map((name) => call("files__read_text_file", { path: `${files}/${name}` })),
      ],
    },
    {
      title: "A file made of twelve others",
      ask: "Write index.md with the first line of each note.",
      search: [["list a directory, read and write a text file", 5]],
      code: `import * as files from "./servers/files";
const folder = ${JSON.stringify(files)};
const { content } = await files.listDirectory({ path: folder });
const names = content.split("\\n").filter((line) => line.startsWith("[FILE] note")).map((line) => line.slice(7));
const lines = await Promise.all(names.map(async (name) => (await files.readTextFile({ path: folder + "/" + name, head: 1 })).content));
await files.writeFile({ path: folder + "/index.md", content: lines.join("\\n") });
export default lines.length;`,
      direct: [
        () => [call("files__list_directory", { path: files })],
        ([[listing]]) =>
          noteNames(listing).map((name) =>
            call("files__read_text_file", { path: `${files}/${name}`, head: 1 }),
          ),
        ([, notes]) => [
          call("files__write_file", {
            path: `${files}/index.md`,
            content: notes.map(({ content }) => content).join("\n"),
          }),
        ],
      ],
    },
    {
      title: "Records of one server remembered by another",
      ask: "Remember all accounts with their city.",
      search: [
        ["find records of one type", 2],
        ["create entities to remember", 2],
      ],
      code: [
        `import * as crm from "./servers/crm";
export default (await crm.query({ object_type: "Account", limit: 1 })).records[0].data;`,
        `import * as crm from "./servers/crm";
import * as memory from "./servers/memory";
const { records } = await crm.query({ object_type: "Account", limit: 1000 });
const entities = records.map(({ data }) => ({ name: String(data.Name), entityType: "account", observations: [String(data.City)] }));
await memory.createEntities({ entities });
export default entities.length;`,
      ],
      direct: [
        () => [call("crm__query", { object_type: "Account", limit: 1000 })],
        ([[found]]) => [
          call("memory__create_entities", {
            entities: found.records.map(({ data }) => ({
              name: String(data.Name),
              entityType: "account",
              observations: [String(data.City)],
            })),
          }),
        ],
      ],
    },
    {
      title: "Twelve calls, each of which needs the one before",
      ask: "Add up 1 to 13 with the adding tool.",
      search: [["sum of two numbers", 1]],
      code: `import * as everything from "./servers/everything";
let sum = 1;
for (let next = 2; next <= 13; next += 1) sum = Number(/(\\d+)\\.?$/.exec(await everything.getSum({ a: sum, b: next }))?.[1]);
export default sum;`,
      direct: Array.from({ length: 12 }, (_, index) => (answers) => {
        const before = answers.at(-1)?.[0];
        const sum = before === undefined ? 1 : Number(/(\d+)\.?$/.exec(before)?.[1]);
        return [call("everything__get_sum", { a: sum, b: index + 2 })];
      }),
    },
  ];
}

function noteNames({ content }) {
  const lines = content.split("\n").filter((line) => line.startsWith("[FILE] note"));
  return lines.map((line) => line.slice("[FILE] ".length));
}
