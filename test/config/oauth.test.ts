import { describe, expect, test } from "vitest";
import { parse, server } from "./parse.ts";

const url = "https://host.example/mcp";
const env = { ID: "the-id", SECRET: "the-secret-value", ISSUER: "https://login.example" };
const settings = (oauth: unknown): unknown => {
  const { transport, problem } = server({ url, oauth }, { env });
  expect(problem).toBeUndefined();
  return "oauth" in transport ? transport.oauth : undefined;
};

describe("oauth of a server says how to sign in", () => {
  test.each([
    ["nothing said", undefined, undefined],
    ["an empty object", {}, { grant: "authorization_code" }],
    [
      "variables",
      { clientId: "${ID}", clientSecret: "${SECRET}", issuer: "${ISSUER}" },
      {
        grant: "authorization_code",
        clientId: "the-id",
        clientSecret: "the-secret-value",
        issuer: "https://login.example",
      },
    ],
    ["scopes as a list", { scopes: ["a", "b c"] }, { grant: "authorization_code", scopes: ["a", "b", "c"] }],
    ["scopes as a text", { scopes: " a  b " }, { grant: "authorization_code", scopes: ["a", "b"] }],
    ["no scopes", { scopes: [] }, { grant: "authorization_code" }],
    [
      "no person",
      { grant: "client_credentials", clientId: "i", clientSecret: "s" },
      { grant: "client_credentials", clientId: "i", clientSecret: "s" },
    ],
    ["a port", { callbackPort: 8080 }, { grant: "authorization_code", callbackPort: 8080 }],
  ])("%s", (_what, given, want) => {
    expect(settings(given)).toEqual(want);
  });

  test("its secret is never shown", () => {
    const { secrets } = server({ url, oauth: { clientId: "i", clientSecret: "${SECRET}" } }, { env });
    expect(secrets).toContain("the-secret-value");
  });

  test.each([
    ["a secret without a client", { clientSecret: "s" }, "clientId"],
    ["no secret for mcpfs itself", { grant: "client_credentials", clientId: "i" }, "clientSecret"],
    ["a variable that is not set", { clientId: "${MISSING}" }, "MISSING"],
    ["an empty client", { clientId: "${EMPTY:-}" }, "is empty"],
    ["an issuer that is no URL", { issuer: "login" }, "whole URL"],
    ["a port that is none", { callbackPort: 70_000 }, "a port"],
    ["another grant", { grant: "password" }, "authorization_code"],
    ["a text", "yes", "an object"],
  ])("%s is a problem of this server alone", (_what, oauth, words) => {
    const { problem } = server({ url, oauth }, { env });
    expect(problem).toMatchObject({ code: "CONFIG_INVALID" });
    expect(problem?.message).toContain(words);
  });

  test.each([
    ["an unknown key", { url, oauth: { clientID: "i" } }, "did you mean clientId?"],
    ["a program", { command: "node", oauth: {} }, "only for a server with url"],
  ])("%s is a warning", (_what, entry, words) => {
    const { warnings, servers } = parse(JSON.stringify({ mcpServers: { x: entry } }));
    expect(warnings.join("\n")).toContain(words);
    expect(servers[0]?.problem).toBeUndefined();
  });
});
