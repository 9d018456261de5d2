import { describe, expect, test } from "vitest";
import { expandVariables } from "../../src/config/variables.ts";
import { parse, server } from "./parse.ts";

const source = {
  env: { EMPTY: "", HOME_NAME: "h", PLAIN: "p", SEARCH_KEY: "k123", Path: "C:\\bin" },
  platform: "linux" as NodeJS.Platform,
  homeDir: "/home/ann",
  root: "/w/space",
};

function expand(text: string, platform: NodeJS.Platform = "linux"): string {
  const result = expandVariables(text, { ...source, platform });
  return result.kind === "text" ? result.text : `PROBLEM ${result.sentence}`;
}

describe("variables are replaced by one rule each", () => {
  test.each([
    ["plain", "plain"],
    ["${PLAIN}", "p"],
    ["a${PLAIN}b${HOME_NAME}c", "apbhc"],
    ["${env:HOME_NAME}", "h"],
    ["${EMPTY}", ""],
    ["${EMPTY:-fallback}", "fallback"],
    ["${EMPTY-fallback}", ""],
    ["${UNSET:-}", ""],
    ["${UNSET:-fall back}", "fall back"],
    ["${UNSET-fallback}", "fallback"],
    ["${env:UNSET:-d}", "d"],
    ["${UNSET:-${PLAIN}-${UNSET:-x}}", "p-x"],
    ["${UNSET:-http://localhost:80/}", "http://localhost:80/"],
    ["${PLAIN:-${UNSET}}", "p"],
    ["${workspaceFolder}/s.mjs", "/w/space/s.mjs"],
    ["${workspaceFolderBasename}", "space"],
    ["${userHome}${/}x${pathSeparator}y", "/home/ann/x/y"],
    ["${input:search-key}", "k123"],
    ["${input:searchKey}", "k123"],
    ["$${KEEP}", "${KEEP}"],
    ["$${A:-${PLAIN}}", "${A:-p}"],
    ["$$${PLAIN}", "$${PLAIN}"],
    ["$PLAIN %PLAIN% {{PLAIN}} $$ $", "$PLAIN %PLAIN% {{PLAIN}} $$ $"],
  ])("%s becomes %j", (given, want) => {
    expect(expand(given)).toBe(want);
  });

  test.each([
    ["${UNSET}", "needs the environment variable UNSET, which is not set"],
    ["${env:UNSET}", "needs the environment variable UNSET, which is not set"],
    ["${UNSET:-${ALSO_UNSET}}", "needs the environment variable ALSO_UNSET, which is not set"],
    [
      "${input:other-key}",
      "needs the input other-key, for which the environment variable OTHER_KEY is not set",
    ],
    ["${constructor}", "needs the environment variable constructor, which is not set"],
    ["${PLAIN", "has a variable without its closing brace"],
    ["${}", "has a variable of a form that mcpfs does not know"],
    ["${a b}", "has a variable of a form that mcpfs does not know"],
    ["${command:pick}", "has a variable of a form that mcpfs does not know"],
    ["${PLAIN:?needed}", "has a variable of a form that mcpfs does not know"],
  ])("%s is a problem", (given, want) => {
    expect(expand(given)).toBe(`PROBLEM ${want}`);
  });

  test("on Windows the environment knows no case", () => {
    expect(expand("${PATH}", "win32")).toBe("C:\\bin");
    expect(expand("${PATH}")).toMatch(/^PROBLEM/);
  });
});

describe("variables in an entry", () => {
  test("each field of an entry is expanded", () => {
    const { transport } = server(
      {
        command: "${PROGRAM}",
        args: ["${ONE}", "--two=${TWO:-2}"],
        env: { KEY: "${KEY}" },
        cwd: "${workspaceFolder}/sub",
      },
      { env: { PROGRAM: "node", ONE: "1", KEY: "secret-key" } },
    );
    expect(transport).toEqual({
      kind: "stdio",
      command: "node",
      args: ["1", "--two=2"],
      env: { KEY: "secret-key" },
      cwd: "/w/sub",
    });
    const http = server(
      { url: "https://${HOST}/mcp", headers: { "X-Key": "${KEY}" } },
      { env: { HOST: "h.example", KEY: "k" } },
    );
    expect(http.transport).toEqual({ kind: "http", url: "https://h.example/mcp", headers: { "X-Key": "k" } });
  });

  test("a missing variable breaks that server only, and names variable, field and place", () => {
    const config = parse(
      '{\n  "mcpServers": {\n    "good": {"command": "node"},\n    "bad": {"command": "node", "env": {"TOKEN": "${GH_TOKEN}"}}\n  }\n}',
    );
    const [bad, good] = config.servers;
    expect(good?.problem).toBeUndefined();
    expect(bad?.problem).toMatchObject({
      code: "CONFIG_INVALID",
      message:
        "/w/mcpfs.json:4:49: mcpServers.bad.env.TOKEN needs the environment variable GH_TOKEN, which is not set.",
      hint: "Set GH_TOKEN, or give a default: ${GH_TOKEN:-default}.",
      data: { path: "/w/mcpfs.json", line: 4, column: 49 },
    });
  });

  test("all missing variables are told at once", () => {
    const { problem } = server({ command: "node", args: ["${A_A}"], env: { K: "${B_B}" } });
    expect(problem?.message).toContain(
      "mcpServers.x.args[0] needs the environment variable A_A, which is not set.",
    );
    expect(problem?.message).toContain(
      "mcpServers.x.env.K needs the environment variable B_B, which is not set.",
    );
  });

  test("forms of other programs stay, and one warning names the field but not the text", () => {
    const args = ["$PLAIN", "%WINVAR%", "{{MUSTACHE}}"];
    const config = parse(JSON.stringify({ mcpServers: { x: { command: "node", args } } }));
    expect(config.servers[0]?.transport).toMatchObject({ args });
    expect(config.warnings).toEqual([
      "/w/mcpfs.json:1:45: mcpServers.x.args[0] holds $NAME, which stays as it is; a variable is written ${NAME}.",
    ]);
  });

  test("percent-encoded bytes, prices and escapes are no variables of other programs", () => {
    const config = parse(
      JSON.stringify({
        mcpServers: { x: { command: "node", args: ["a%C3%A9", "$5", "pa$$word", "100%", "$${X}"] } },
      }),
    );
    expect(config.warnings).toEqual([]);
  });

  test.each(["Bearer ${TOKEN:-}", "Basic ${TOKEN:-}", "${TOKEN:-}", "bearer   ${TOKEN:-}  ", ""])(
    "an Authorization header %j without its credential stops the server",
    (header) => {
      const { problem } = server({ url: "https://h.example/mcp", headers: { Authorization: header } });
      expect(problem?.code).toBe("CONFIG_INVALID");
      expect(problem?.message).toContain(
        "mcpServers.x.headers.Authorization would be sent without its credential.",
      );
    },
  );
});
