import { describe, expect, test } from "vitest";
import { createRedactor } from "../../src/kernel/log.ts";
import { parse, server } from "./parse.ts";

describe("every value that may be a key is known as a secret", () => {
  test.each([
    ["env", { command: "node", env: { TOKEN: "SEKRET-789" } }, ["SEKRET-789"]],
    [
      "a header, with and without its scheme",
      {
        url: "https://h.example",
        headers: { Authorization: "Bearer SEKRET-123", "X-Api-Key": "SEKRET-456" },
      },
      ["Bearer SEKRET-123", "SEKRET-123", "SEKRET-456"],
    ],
    [
      "a URL's password and query",
      { url: "https://user:SEKRET-000@h.example/mcp?key=SEKRET-111&x" },
      ["SEKRET-000", "SEKRET-111", "dXNlcjpTRUtSRVQtMDAw"],
    ],
    ["a URL's user alone", { url: "https://SEKRET-000@h.example/mcp" }, ["SEKRET-000"]],
    [
      "percent-encoded parts, as text too",
      { url: "https://u:SE%20KRET@h.example/?key=SE%2FKRET" },
      ["SE%20KRET", "SE KRET", "SE%2FKRET", "SE/KRET"],
    ],
    [
      "an argument behind a flag",
      {
        command: "node",
        args: [
          "--token",
          "SEKRET-222",
          "--api-key",
          "SEKRET-223",
          "--password",
          "-SEKRET-224",
          "--secret",
          "SEKRET-225",
        ],
      },
      ["SEKRET-222", "SEKRET-223", "-SEKRET-224", "SEKRET-225"],
    ],
    [
      "an argument of a flag",
      {
        command: "node",
        args: ["--github-token=SEKRET-222", "GITHUB_PAT=SEKRET-226", "--env=TOKEN=SEKRET-227=="],
      },
      ["SEKRET-222", "SEKRET-226", "SEKRET-227=="],
    ],
    [
      "a password in a connection string",
      { command: "node", args: ["Server=db;Password=SEKRET-228;Port=1"] },
      ["SEKRET-228"],
    ],
    [
      "a header in an argument",
      {
        command: "npx",
        args: [
          "mcp-remote",
          "https://h.example",
          "--header",
          "Authorization: Bearer SEKRET-333",
          "--header=X-Api-Key:SEKRET-334",
        ],
      },
      ["SEKRET-333", "SEKRET-334"],
    ],
    [
      "a URL in an argument or env",
      { command: "node", args: ["postgres://ann:SEKRET-444@db/x"], env: { DB: "redis://:SEKRET-445@db" } },
      ["SEKRET-444", "SEKRET-445"],
    ],
    [
      "a key of several lines, each",
      { command: "node", env: { PEM: "-----BEGIN-----\nSEKRET-LINE\n-----END-----" } },
      ["SEKRET-LINE", "-----BEGIN-----\\nSEKRET-LINE\\n-----END-----"],
    ],
  ])("%s", (_what, entry, want) => {
    expect(server(entry).secrets).toEqual(expect.arrayContaining(want));
  });

  test("a variable whose name says so is a secret wherever it is used", () => {
    const { secrets } = server(
      { command: "node", args: ["${MY_API_KEY}", "${REGION}"] },
      { env: { MY_API_KEY: "SEKRET-555", REGION: "europe-west" } },
    );
    expect(secrets).toEqual(["SEKRET-555"]);
  });

  test("ordinary arguments and programs are none", () => {
    expect(
      server({
        command: "npx",
        args: ["-y", "@scope/package", "--verbose", "monkey", "--keyboard", "a-b-c-d"],
      }).secrets,
    ).toEqual([]);
  });

  test("secrets of all entries, also of broken ones, are in the config's list", () => {
    const config = parse(
      '{"mcpServers":{"a":{"command":"node","env":{"T":"SEKRET-1","U":"${NOPE}"}},"b":{"command":"node","env":{"T":"SEKRET-2"},"enabled":false}}}',
    );
    expect(config.secrets).toEqual(expect.arrayContaining(["SEKRET-1", "SEKRET-2"]));
  });
});

test("no message of the config shows a value that may be a key", () => {
  const entries = [
    { command: "node", env: { T: "SEKRET-1\0" } },
    { command: "node", env: { T: ["SEKRET-1"] } },
    { command: "node", args: "SEKRET-1" },
    { url: "SEKRET-1" },
    { url: "ftp://a:SEKRET-1@h" },
    { url: "https://h.example", headers: { K: "SEKRET-1\nx" } },
    { url: "https://h.example", headers: "SEKRET-1" },
    { command: "node", args: ["--token", "${SEKRET-1"] },
    { command: "node", args: ["--token", "${SEKRET 1!}"] },
    { command: "node", args: ["$SEKRET", "SEKRET-1"] },
    "SEKRET-1",
    { command: "/bin/run --token SEKRET-1" },
  ];
  for (const entry of entries) {
    const config = parse(JSON.stringify({ mcpServers: { x: entry } }));
    const shown = JSON.stringify([
      config.warnings,
      config.servers[0]?.problem?.message,
      config.servers[0]?.problem?.hint,
      config.servers[0]?.problem?.data,
    ]);
    expect(shown).not.toContain("SEKRET");
    expect(config.warnings.length + (config.servers[0]?.problem === undefined ? 0 : 1)).toBeGreaterThan(0);
  }
});

test("with the config's secrets the redactor hides what a server echoes", () => {
  const config = parse(
    JSON.stringify({
      mcpServers: {
        a: {
          url: "https://user:SEKRET-000@h.example/?key=SEKRET-111",
          headers: { Authorization: "Bearer SEKRET-123", "X-Api-Key": "SEKRET-456" },
        },
        b: { command: "node", args: ["--token", "SEKRET-222"], env: { TOKEN: 'SEKRET-"789"' } },
      },
    }),
  );
  const redactor = createRedactor();
  redactor.add(config.secrets);
  const echo = JSON.stringify(config.servers.map(({ transport }) => transport));
  expect(echo).toContain("SEKRET");
  expect(redactor.redact(echo)).not.toContain("SEKRET");
});
