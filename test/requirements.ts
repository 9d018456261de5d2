/** One capability that mcpfs must have, and what shows today that it has it. */
export interface Requirement {
  readonly id: string;
  /** What must work. */
  readonly says: string;
  /** Test files, from `test/`, that cite the id and prove it; empty where nothing does yet. */
  readonly provenBy: readonly string[];
  /** What of it is planned; empty where all of it is proven. */
  readonly planned: string;
}

/** Everything that mcpfs must do, M as asked for and B beyond. A gate checks that each proof exists and cites its id. */
export const REQUIREMENTS: readonly Requirement[] = [
  {
    id: "M1",
    says: "The config names local and remote servers; each has one connection, whose end or failure touches no other.",
    provenBy: [
      "config/server-forms.test.ts",
      "mcp/real-servers.test.ts",
      "mcp/http.test.ts",
      "mcp/stdio-odd.test.ts",
      "cli/real-servers.test.ts",
      "cli/no-process-left.test.ts",
      "cli/tree.test.ts",
      "cli/import.test.ts",
      "config/import-servers.test.ts",
    ],
    planned: "",
  },
  {
    id: "M2",
    says: "Each tool is a typed file below servers/, each server has an index; without an output schema the type is open.",
    provenBy: ["render/server-files.test.ts", "seeds/article.test.ts", "seeds/guide.test.ts"],
    planned: "",
  },
  {
    id: "M3",
    says: "Names come from our config alone, lead back to the raw name, never collide or move; filters and renames hold.",
    provenBy: ["cli/lying-servers.test.ts", "catalog/naming.test.ts", "config/filter.test.ts"],
    planned: "",
  },
  {
    id: "M4",
    says: "Tools are found by reading files, or by a search with three levels of detail; one tool's details on request.",
    provenBy: [
      "cli/json-shapes.test.ts",
      "catalog/search.test.ts",
      "cli/search.test.ts",
      "engine/searcher.test.ts",
      "models/models.test.ts",
      "serve/talk.test.ts",
      "serve/search.test.ts",
    ],
    planned: "",
  },
  {
    id: "M5",
    says: "Search by keywords, pattern, embeddings, a small model, or a mixture, chosen per workspace or query.",
    provenBy: [
      "catalog/search.test.ts",
      "cli/search.test.ts",
      "engine/searcher.test.ts",
      "search/keyword-index.test.ts",
      "search/read-query.test.ts",
      "serve/search.test.ts",
    ],
    planned: "",
  },
  {
    id: "M6",
    says: "What a caller may not use is left out before a model sees candidates.",
    provenBy: [
      "cli/tree.test.ts",
      "cli/approvals.test.ts",
      "serve/permission.test.ts",
      "policy/decisions.test.ts",
      "cli/servers.test.ts",
    ],
    planned: "identities of tenants",
  },
  {
    id: "M7",
    says: "Definitions and read resources are cached with their time to live and scope; a change makes them stale at once.",
    provenBy: ["engine/resource-reads.test.ts"],
    planned: "",
  },
  {
    id: "M8",
    says: "A changed list writes the tree and the index again, in both generations of the protocol and after a reconnect.",
    provenBy: [
      "cli/watch.test.ts",
      "mcp/real-servers.test.ts",
      "mcp/http.test.ts",
      "mcp/stdio-odd.test.ts",
      "bugbank/watch.test.ts",
    ],
    planned: "",
  },
  {
    id: "M9",
    says: "A tool that is gone says so at once, also to a script that still imports it.",
    provenBy: [
      "cli/tree.test.ts",
      "bundle/stubs.test.ts",
      "engine/living-host.test.ts",
      "bugbank/listing.test.ts",
    ],
    planned: "",
  },
  {
    id: "M10",
    says: "Servers come from a registry, connect on first need, and go again; a skill brings the servers it needs.",
    provenBy: ["cli/servers.test.ts", "engine/living-host.test.ts"],
    planned: "a registry beyond the config; skills that bring servers",
  },
  {
    id: "M11",
    says: "The definitions' share of the context window decides between handing them out and discovery.",
    provenBy: [
      "cli/stats.test.ts",
      "tokens/counting.test.ts",
      "tokens/summarize-ledger.test.ts",
      "serve/client-usage.test.ts",
    ],
    planned: "",
  },
  {
    id: "M12",
    says: "The list of tools that a model sees stays stable for its prompt cache; one exact call_tool is the stable route.",
    provenBy: [
      "cli/show-vendors.test.ts",
      "engine/tool-order.test.ts",
      "serve/lists.test.ts",
      "vendors/portable.test.ts",
    ],
    planned: "",
  },
  {
    id: "M13",
    says: "Tools, resources and prompts in the shapes of each model vendor, one place for each kind.",
    provenBy: ["cli/show-vendors.test.ts", "vendors/corpus.test.ts", "vendors/portable.test.ts"],
    planned: "",
  },
  {
    id: "M14",
    says: "Scripts run in QuickJS in Wasm with callMCPTool as their only way out.",
    provenBy: [
      "sandbox/door.test.ts",
      "sandbox/globals.test.ts",
      "seeds/article.test.ts",
      "bugbank/sandbox.test.ts",
    ],
    planned: "",
  },
  {
    id: "M15",
    says: "Time, computing, memory, calls, calls at once, rate, results and output are limited, each with its own error.",
    provenBy: ["sandbox/limits.test.ts", "cli/failing-scripts.test.ts", "broker/broker.test.ts"],
    planned: "",
  },
  {
    id: "M16",
    says: "Ordinary TypeScript works: loops, Promise.all, polling; ten thousand rows stay inside and a few lines come out.",
    provenBy: ["seeds/article.test.ts", "seeds/guide.test.ts", "sandbox/timers.test.ts"],
    planned: "",
  },
  {
    id: "M17",
    says: "isError is thrown; an uncaught error is the run's result, with place and hint.",
    provenBy: ["cli/failing-scripts.test.ts"],
    planned: "",
  },
  {
    id: "M18",
    says: "After a failure the report says what each call did, and which may be made again.",
    provenBy: [
      "broker/broker.test.ts",
      "cli/json-shapes.test.ts",
      "engine/crashes.test.ts",
      "broker/matrix.test.ts",
    ],
    planned: "",
  },
  {
    id: "M19",
    says: "Each call is authorised on its own; grants by category; a person is asked where policy says so.",
    provenBy: [
      "broker/broker.test.ts",
      "broker/matrix.test.ts",
      "cli/approvals.test.ts",
      "engine/approvals.test.ts",
      "engine/grants.test.ts",
      "policy/decisions.test.ts",
      "sandbox/suspension.test.ts",
      "cli/trust.test.ts",
    ],
    planned: "",
  },
  {
    id: "M20",
    says: "Rules say which server's data may flow to which other, and hold on each call.",
    provenBy: ["broker/broker.test.ts"],
    planned: "the rules; today the broker asks one that allows all",
  },
  {
    id: "M21",
    says: "Personal data is a placeholder for the model and itself again for a tool that may have it.",
    provenBy: ["broker/broker.test.ts"],
    planned: "the vault; today the broker asks one that is empty",
  },
  {
    id: "M22",
    says: "Arguments are judged by the real schema; results and output are judged, and cut, before a model reads them.",
    provenBy: [
      "schema/validator.test.ts",
      "broker/broker.test.ts",
      "cli/json-shapes.test.ts",
      "cli/approvals.test.ts",
      "schema/arguments.test.ts",
    ],
    planned: "",
  },
  {
    id: "M23",
    says: "Files below ./workspace/ stay for later runs, and nothing outside is reached.",
    provenBy: ["seeds/article.test.ts", "builtin/files.test.ts", "builtin/path-attacks.test.ts"],
    planned: "",
  },
  {
    id: "M24",
    says: "A working script is kept as a skill with SKILL.md, listed, and imported by later runs.",
    provenBy: ["cli/skills.test.ts", "seeds/article.test.ts", "skills/skills.test.ts"],
    planned: "versions, checks and search of skills",
  },
  {
    id: "M25",
    says: "extract(value, Type) makes a typed value of text by a small model that the host asks.",
    provenBy: [
      "bundle/extract-types.test.ts",
      "cli/extract.test.ts",
      "extract/read-answer.test.ts",
      "broker/broker.test.ts",
      "serve/sampling.test.ts",
    ],
    planned: "",
  },
  {
    id: "M26",
    says: "Elicitation, sampling, roots, logging, progress, cancellation, resources and prompts with many servers.",
    provenBy: [
      "mcp/stdio-odd.test.ts",
      "cli/offers.test.ts",
      "cli/questions.test.ts",
      "mcp/client-requests.test.ts",
      "serve/lists.test.ts",
      "mcp/lend-model.test.ts",
      "serve/sampling.test.ts",
      "serve/hints.test.ts",
      "serve/long-integers.test.ts",
    ],
    planned: "",
  },
  {
    id: "M27",
    says: "A ledger of tokens: definitions, discovery and results, per run and in total.",
    provenBy: [
      "cli/json-shapes.test.ts",
      "cli/stats.test.ts",
      "ledger/ledger.test.ts",
      "tokens/counting.test.ts",
      "tokens/summarize-ledger.test.ts",
    ],
    planned: "",
  },
  {
    id: "B1",
    says: "Generated types are proven: they compile, take what is valid and refuse what is not.",
    provenBy: ["render/random-schemas.test.ts", "render/hard-schemas.test.ts", "render/fidelity.test.ts"],
    planned: "",
  },
  {
    id: "B2",
    says: "Output types are learned from real answers where servers declare none.",
    provenBy: ["cli/learned-types.test.ts"],
    planned: "",
  },
  {
    id: "B3",
    says: "A script is type-checked before it runs, with messages for a model.",
    provenBy: [],
    planned: "all",
  },
  {
    id: "B4",
    says: "An interrupted run goes on where it stopped, without doing anything twice.",
    provenBy: [
      "cli/approvals.test.ts",
      "engine/crashes.test.ts",
      "engine/replay-speed.test.ts",
      "sandbox/suspension.test.ts",
    ],
    planned: "",
  },
  {
    id: "B5",
    says: "Definitions are pinned in a committed lock; a changed one is shown and held back until accepted.",
    provenBy: ["tree/lock-file.test.ts", "catalog/accept.test.ts", "cli/pins.test.ts"],
    planned: "",
  },
  {
    id: "B6",
    says: "Skills are checked again when a definition changes, and run again on recorded calls.",
    provenBy: [],
    planned: "all",
  },
  {
    id: "B7",
    says: "Console, timers and files are calls through the one door to a built-in server.",
    provenBy: ["sandbox/door.test.ts", "builtin/builtin.test.ts"],
    planned: "extract",
  },
  {
    id: "B8",
    says: "A run can go to workers on other machines through a queue.",
    provenBy: [],
    planned: "all",
  },
];
