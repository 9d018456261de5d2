// Failures that users of other programs reported: the kinds `sandbox` and `results` of the bug bank that are not the same as a
// probe elsewhere, rewritten.
import { readFileSync } from "node:fs";
import { family, value } from "./probe.mjs";

/** What the server received since the last look, by method. */
function received(logFile, method) {
  return readFileSync(logFile, "utf8")
    .split("\n")
    .filter((line) => line.includes(`\\"method\\":\\"${method}\\"`))
    .map((line) => JSON.parse(JSON.parse(line).line));
}

export const BANK = family("bug bank", [
  {
    id: "bank-bigint-serialise",
    code: "const r = await callMCPTool('s__long'); console.log(r); console.log(`id ${r.id}`);\nexport default { value: 7795506888185572399n, again: await callMCPTool('s__echo', { addr: r.id }) };",
    want: value(
      { value: 7795506888185572399n, again: { addr: 9007199254740993n } },
      {
        also: ({ output }) =>
          output.join("|") ===
          "{ id: 9007199254740993n, list: [ -9223372036854775808n, 3 ] }|id 9007199254740993"
            ? ""
            : JSON.stringify(output),
      },
    ),
    peers: "values do not leave as bigint",
  },
  {
    id: "bank-nul-everywhere",
    code: "console.log('a\\0b'); let name; try { await fs.readFile('./workspace/a\\0b', 'utf8'); } catch (e) { name = e.code; }\nlet said; try { await callMCPTool('s__fail_nul'); } catch (e) { said = e.message; }\nexport default [name, said.length > 3, 'x\\0y'];",
    want: value(["FILE_OUTSIDE_WORKSPACE", true, "x\0y"], {
      also: ({ output }) => (output[0]?.length === 3 ? "" : JSON.stringify(output)),
    }),
    peers: false,
  },
  {
    id: "bank-blobs-stay-blocks",
    code: "const blocks = await callMCPTool('s__blobs');\nexport default [blocks.length, blocks[0].resource.uri.includes('..%2f'), blocks[1].resource.blob, (await fs.readdir('./workspace')).filter((n) => /pdf|escape/.test(n))];",
    want: value([2, true, "not base64!!", []]),
    peers: false,
  },
  ...[
    ["words", "Available tools: a, b"],
    ["two_documents", '{"a":1}\n{"a":2}'],
    ["number", "007"],
    ["null", "null"],
    ["quoted", '"{\\"x\\":1}"'],
    ["remark", '{"a":1} (cached)'],
  ].map(([id, text]) => ({
    id: `bank-text-stays-text-${id}`,
    code: `export default await callMCPTool('s__text_${id}');`,
    want: value(text),
  })),
  {
    id: "bank-content-missing",
    code: "export default [await callMCPTool('s__nothing'), await callMCPTool('s__no_content')].map((x) => x === undefined);",
    want: value([true, true]),
    peers: "not stated",
  },
  {
    id: "bank-arguments-on-the-wire",
    ours: async ({ run, logFile }) => {
      const before = received(logFile, "tools/call").length;
      const ended = await run(
        "import * as s from './servers/s';\nawait s.one();\nawait s.one({});\nawait s.one({ filter: undefined, tags: [], opts: {} });\nexport default 1;",
        {},
      );
      const calls = received(logFile, "tools/call").slice(before);
      return { ...ended, value: calls.map((call) => call.params.arguments) };
    },
    want: value([{}, {}, { tags: [], opts: {} }]),
    peers: false,
  },
  {
    id: "bank-cancel-is-sent",
    ours: async ({ run, logFile }) => {
      const before = received(logFile, "notifications/cancelled").length;
      const ended = await run("await callMCPTool('s__hang');", { limits: { wallMs: 1_500 } });
      const stopBy = Date.now() + 3_000;
      while (received(logFile, "notifications/cancelled").length === before && Date.now() < stopBy)
        await new Promise((resolve) => setTimeout(resolve, 20));
      const next = await run("export default 1;", {});
      const { code, message } = ended.report.error;
      return {
        ...next,
        value: [
          code,
          message.includes("s__hang"),
          received(logFile, "notifications/cancelled").length - before,
          ended.report.effects[0].status,
          next.value,
        ],
      };
    },
    want: value(["LIMIT_WALL", true, 1, "unknown", 1]),
    peers: false,
  },
  {
    id: "bank-two-lost-rejections",
    code: "(async () => { throw new Error('lost one'); })();\ncallMCPTool('s__late_fail', {});\nexport default 'done';",
    want: value("done", {
      also: ({ warnings }) =>
        warnings.some((w) => /probe\.ts:1\b.*lost one/.test(w)) &&
        warnings.some((w) => /probe\.ts:2\b.*failed late/.test(w))
          ? ""
          : JSON.stringify(warnings),
    }),
  },
  {
    id: "bank-typescript-input",
    isTypeScript: true,
    code: "import type { EchoInput } from './servers/s/echo';\nimport { echo } from './servers/s';\nenum Mode { A = 'a' }\nconst arg = { id: '1', content: [] } satisfies EchoInput;\nconst r = (await echo(arg)) as { content: unknown[] };\nexport default <const>[Mode.A, r.content.length];",
    want: value(["a", 0]),
    peers: false,
  },
  {
    id: "bank-timers",
    code: "await new Promise((r) => setTimeout(r));\nconst t = setTimeout(() => console.log('no'), 50); clearTimeout(t);\nlet n = 0; const i = setInterval(() => { if (++n === 3) clearInterval(i); }, 5);\nwhile (n < 3) await new Promise((r) => setTimeout(r, 20, 'arg'));\nsetTimeout(() => { throw new Error('late'); }, 1);\nexport default n;",
    limits: { wallMs: 10_000 },
    want: value(3, {
      also: ({ output, warnings }) =>
        output.length === 0 && warnings.some((w) => /probe\.ts:5\b.*late/.test(w))
          ? ""
          : JSON.stringify([output, warnings]),
    }),
    peers: ["sebastianwessel"],
  },
  {
    id: "bank-error-position",
    isTypeScript: true,
    code: "// line 1\nimport { echo } from './servers/s';\n\nfunction inner(x: { y?: { z: number } }) {\n  return x.y!.z;      // line 5 fails\n}\nvoid echo;\nexport default inner({});",
    want: {
      end: "error",
      code: "SCRIPT_ERROR",
      line: 5,
      also: ({ error: e }) =>
        e.file === "probe.ts" && e.column >= 11 && e.column <= 15 ? "" : `${e.file}:${e.line}:${e.column}`,
    },
    peers: false,
  },
  {
    // A generated wrapper is no function of its own, so the line that calls it comes first.
    id: "bank-calling-line",
    code: "import { fail } from './servers/s';\nawait fail({});\nexport default 1;",
    want: {
      end: "error",
      code: "TOOL_ERROR",
      line: 2,
      also: ({ error: e }) => (/^\s*at probe\.ts:2:\d+$/.test(e.stack) ? "" : e.stack),
    },
    peers: false,
  },
  {
    id: "bank-wrapper-frame",
    code: "import { ask } from './skills/ask';\nawait ask(1);\nexport default 1;",
    want: {
      end: "error",
      code: "TOOL_ERROR",
      line: 3,
      file: "skills/ask/index.ts",
      also: ({ error: e }) =>
        /ask \(?skills\/ask\/index\.ts:3:\d+\)?\s+at .*probe\.ts:2:\d+/.test(e.stack) ? "" : e.stack,
    },
    peers: false,
  },
]);
