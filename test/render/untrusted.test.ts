import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterEach, expect, test, vi } from "vitest";
import type { Json } from "../../src/kernel/json.ts";
import { renderServer } from "../../src/render/server-files.ts";
import { renderSignature } from "../../src/render/signature.ts";
import { compile } from "./compile.ts";
import { serverOf, toolOf } from "./support.ts";

afterEach(() => vi.restoreAllMocks());

async function textsOf(...tools: ReturnType<typeof toolOf>[]): Promise<string> {
  const { files, problems } = await renderServer(serverOf(tools));
  const signatures = await Promise.all(tools.map(renderSignature));
  return [...files.values(), ...signatures, JSON.stringify(problems)].join("\n");
}

test("no reference is read from disk or fetched, and no message names a path", async () => {
  const folder = await mkdtemp(join(tmpdir(), "mcpfs-decoy-"));
  const secret = join(folder, "secret.json");
  await writeFile(
    secret,
    '{"type":"object","description":"TOPSECRET","properties":{"k":{"const":"s3cr3t"}}}',
  );
  let requests = 0;
  const web = createServer((_request, response) => {
    requests += 1;
    response.end('{"const":"s3cr3t"}');
  });
  await new Promise<void>((resolve) => web.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${(web.address() as AddressInfo).port}/s.json`;
  const before = process.cwd();
  try {
    process.chdir(folder);
    const references = [
      "secret.json",
      "../secret.json#/properties/k",
      pathToFileURL(secret).href,
      secret,
      address,
      `${address}#/x`,
    ];
    const properties = Object.fromEntries(references.map(($ref, index) => [`p${index}`, { $ref }]));
    const text = await textsOf(
      toolOf({ input: { $schema: address, $id: address, type: "object", properties } }),
      toolOf({ name: "root", input: { $ref: "secret.json" }, output: { $dynamicRef: address } }),
    );
    expect(text).not.toMatch(/TOPSECRET|s3cr3t/);
    expect(text).not.toContain(folder);
    expect(text).toContain("p2?: unknown");
    expect(requests).toBe(0);
  } finally {
    process.chdir(before);
    await new Promise((resolve) => web.close(resolve));
    await rm(folder, { recursive: true, force: true });
  }
});

const NASTY = [
  "ends */ globalThis.leak = 1; /* here",
  "a `tick` and \u0024{x}\r\nline two\u2028line three\u2029four",
  "clear \u001b[2J title \u001b]0;x\u0007 \r over \u009b31m",
  "bidi \u202e zero\u200bwidth \ufeff \u{e0041}",
  "@ts-expect-error",
  "ends with\n@ts-ignore",
  "*/".repeat(20),
  "/*/ */ **/ *\\/",
];

test("a server's text stays text: in wrappers, listings and signatures, wherever a description can stand", async () => {
  const tools = NASTY.map((description, index) =>
    toolOf({
      name: `t_${index}`,
      description,
      input: {
        type: "object",
        description,
        properties: {
          a: { type: "string", description },
          b: {
            anyOf: [
              { type: "object", description, properties: { c: { enum: [description] } } },
              { const: description, title: description },
            ],
          },
          c: { $ref: "#/$defs/d" },
          [description]: {
            type: "string",
            default: description,
            pattern: description,
            examples: [description],
          },
        },
        $defs: { d: { description, enum: ["x", description] } },
      },
      output: {
        type: "object",
        title: description,
        description,
        properties: { e: { type: "array", items: { type: "string", description } } },
      },
      risk: "read",
    }),
  );
  const { files, problems } = await renderServer(serverOf(tools));
  const all = [...files.values(), ...(await Promise.all(tools.map(renderSignature)))].join("\n");
  expect(all).not.toMatch(
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b\u2028\u2029\u202e\ufeff]|\u{e0041}/u,
  );
  expect(await compile(files)).toBe("");
  // Whatever is left when comments and strings are taken away holds nothing of the servers.
  const code = all.replace(/"(?:[^"\\]|\\.)*"|\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
  expect(code).not.toMatch(/leak|tick|line|ts-/);
  expect(problems.filter(({ message }) => message.includes("does not see")).map(({ tool }) => tool)).toEqual([
    "t_1",
    "t_2",
    "t_3",
  ]);
});

test("a type text in a schema never becomes code", async () => {
  const text = await textsOf(
    toolOf({
      input: {
        type: "object",
        tsType: "{}\nexport const pwn = process.exit(1)",
        properties: {
          a: { tsType: "any; export const pwn = 1", type: "string" },
          b: { enum: [1], tsEnumNames: ["pwn"] },
        },
        extends: { title: "pwn" },
      } as Json,
    }),
  );
  expect(text).not.toContain("pwn");
});

test("a long description stands in the wrapper once and whole, in a signature shortened", async () => {
  const description = `First sentence. ${"word ".repeat(2_000)}end`;
  const tool = toolOf({ description, input: { type: "object", description } });
  const { files } = await renderServer(serverOf([tool]));
  expect(files.get(tool.file)?.split(description.trim())).toHaveLength(2);
  expect((await renderSignature(tool)).length).toBeLessThan(500);
  const manual = toolOf({ description: "x".repeat(40_000) });
  const cut = (await renderServer(serverOf([manual]))).files.get(manual.file) ?? "";
  expect(cut.length).toBeLessThan(17_000);
  expect(cut).toContain("--format schema");
});

test("nothing is printed, whatever the schema and the environment, which stays as it is", async () => {
  vi.stubEnv("VERBOSE", "1");
  const writes = (["log", "info", "debug", "warn", "error"] as const).map((name) => vi.spyOn(console, name));
  const stdout = vi.spyOn(process.stdout, "write");
  const stderr = vi.spyOn(process.stderr, "write");
  const odd = [
    toolOf({ input: { type: "array", minItems: -1, maxItems: "x", enum: [] } as Json }),
    toolOf({
      name: "b",
      input: { $ref: "#/nowhere", type: "object", properties: { a: { minItems: 3, maxItems: 1 } } },
    }),
  ];
  await Promise.all([textsOf(...odd), textsOf(...odd)]);
  expect(process.env.VERBOSE).toBe("1");
  for (const write of [...writes, stdout, stderr]) expect(write).not.toHaveBeenCalled();
});

test("depth, breadth and tangled references end quickly and cost no other tool", async () => {
  let deep: Json = { type: "string" };
  for (let level = 0; level < 3_000; level += 1) deep = { type: "object", properties: { n: deep } };
  let wide: Json = { type: "string" };
  for (let level = 0; level < 8; level += 1)
    wide = { anyOf: [wide, { type: "array", items: wide }, { type: "object", properties: { a: wide } }] };
  const many = {
    type: "object",
    properties: Object.fromEntries(
      Array.from({ length: 30_000 }, (_, index) => [`f${index}`, { type: "string" }]),
    ),
  };
  const diamond: Record<string, Json> = { d0: { type: "string" } };
  for (let level = 1; level < 40; level += 1)
    diamond[`d${level}`] = {
      type: "object",
      properties: { a: { $ref: `#/$defs/d${level - 1}` }, b: { $ref: `#/$defs/d${level - 1}` } },
    };
  const tools = [
    toolOf({ name: "deep", input: deep }),
    toolOf({
      name: "deep_definition",
      input: { type: "object", properties: { a: { $ref: "#/$defs/D" } }, $defs: { D: deep } },
    }),
    toolOf({ name: "wide", input: { type: "object", properties: { w: wide } } }),
    toolOf({ name: "many", input: many }),
    toolOf({
      name: "diamond",
      input: { type: "object", properties: { a: { $ref: "#/$defs/d39" } }, $defs: diamond },
    }),
    toolOf({
      name: "values",
      input: {
        type: "object",
        properties: { v: { enum: Array.from({ length: 5_000 }, (_, index) => `value-${index}`) } },
      },
    }),
    toolOf({ name: "plain", input: { type: "object" } }),
  ];
  const { files, problems } = await renderServer(serverOf(tools));
  expect(files.get("servers/s/plain.ts")).toContain("Record<string, unknown>");
  expect(new Set(problems.map(({ tool }) => tool))).toEqual(
    new Set(["deep", "deep_definition", "wide", "many"]),
  );
  expect(await compile(files)).toBe("");
});
