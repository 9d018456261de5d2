import { expect, test } from "vitest";
import { buildCatalog } from "../../src/catalog/build.ts";
import { normalizeOffers } from "../../src/catalog/normalize.ts";
import type { Json } from "../../src/kernel/json.ts";
import { EMPTY_LOCK } from "../../src/model/lock.ts";
import { renderServer } from "../../src/render/server-files.ts";
import { parseUriTemplate } from "../../src/render/uri-template.ts";
import { server } from "../catalog/definitions.ts";
import { compile } from "./compile.ts";

async function rendered(given: {
  resources?: readonly Json[];
  templates?: readonly Json[];
  prompts?: readonly Json[];
}): Promise<ReadonlyMap<string, string>> {
  const offers = normalizeOffers({ resources: [], templates: [], prompts: [], ...given });
  const [built] = buildCatalog([{ ...server("s", []), offers }], EMPTY_LOCK).servers;
  if (built === undefined) throw new Error("no server");
  return (await renderServer(built)).files;
}

test("a server without resources and prompts has no files for them", async () => {
  expect([...(await rendered({})).keys()]).toEqual(["servers/s/index.ts"]);
});

test("resources and prompts have one line each in the index", async () => {
  const files = await rendered({ resources: [{ uri: "a:", name: "A" }], prompts: [{ name: "sum-up" }] });
  expect(files.get("servers/s/index.ts")).toBe(
    `export * as resources from "./resources.js"; // Data to read: resources.readResource(uri)
export * as prompts from "./prompts.js"; // Prepared messages: sumUp
`,
  );
});

test("prompts of any arguments compile, also of none", async () => {
  const files = await rendered({
    prompts: [
      { name: "greet" },
      { name: "bow", arguments: [] },
      { name: "ask", arguments: [{ name: "a" }] },
      { name: "tell", arguments: [{ name: "a", required: true }] },
    ],
  });
  const calls = `import { ask, bow, greet, tell } from "./prompts.js";
await Promise.all([greet(), bow({}), ask(), ask({ a: "x" }), tell({ a: "x" })]);
// @ts-expect-error
await greet({ a: "x" });
`;
  expect(await compile(new Map([...files, ["servers/s/uses.ts", calls]]))).toBe("");
});

test("texts of a server become neither code nor comments that end, and nothing in them hides", async () => {
  const evil = '*/ } `${x}` "); alert(1); //\n\u202e\u2028';
  const files = await rendered({
    resources: [{ uri: evil, name: evil, description: evil, title: evil, mimeType: evil }],
    templates: [
      { uriTemplate: `${evil}{a}`, name: evil, description: evil },
      { uriTemplate: 'y:"\\\n{a}', name: evil, description: evil },
      { uriTemplate: "x:{__proto__}{constructor}{?query,toString}", name: "readResource" },
      { uriTemplate: "x:{a:3}", name: "prefix", description: evil },
    ],
    prompts: [
      { name: evil, description: evil, arguments: [{ name: evil, description: evil, required: true }] },
    ],
  });
  for (const text of files.values()) expect(text).not.toMatch(/[\u202e\u2028]/);
  expect(await compile(files)).toBe("");
  const resources = files.get("servers/s/resources.ts");
  expect(resources?.match(/^export function \w+/gm)).toEqual([
    "export function listResources",
    "export function readResource",
    "export function readResource_2",
    expect.stringMatching(/alert/i),
  ]);
  expect(resources).toContain("// x:{a:3}: ");
});

test("more than a hundred URIs are counted, not listed", async () => {
  const resources = Array.from({ length: 250 }, (_, index) => ({ uri: `n:${index}`, name: `n${index}` }));
  const text = (await rendered({ resources })).get("servers/s/resources.ts") ?? "";
  expect(text.match(/\| "n:/g)).toHaveLength(100);
  expect(text).toContain("// and 150 more: listResources()");
});

/** The URI that a template's function would read. */
async function expanded(uriTemplate: string, input: object): Promise<string> {
  const text =
    (await rendered({ templates: [{ uriTemplate, name: "make" }] })).get("servers/s/resources.ts") ?? "";
  const expression =
    /export function make\([\s\S]*?return readResource\(([\s\S]*?)\);\n\}/.exec(text)?.[1] ?? "";
  const query = /function query\([\s\S]*?\n\}/.exec(text)?.[0].replace(/: string|: Record<[^>]*>/g, "") ?? "";
  return new Function("input", `${query}\nreturn ${expression};`)(input);
}

test.each([
  ["a:{x}", { x: "b c/d?" }, "a:b%20c%2Fd%3F"],
  ["a:{+x}", { x: "b c/d?" }, "a:b%20c/d?"],
  ["a:{#x}", { x: "top" }, "a:#top"],
  ["a:{/x,y}", { x: 1, y: "2/3" }, "a:/1/2%2F3"],
  ["a:{x,y}", { x: 1, y: 2 }, "a:1,2"],
  ["a:{path*}", { path: "p" }, "a:p"],
  ["a:{.x}", { x: "json" }, "a:.json"],
  ["a:{?q,r}", { q: "a&b" }, "a:?q=a%26b"],
  ["a:{?q,r}", { r: 0 }, "a:?r=0"],
  ["a:{?q}", {}, "a:"],
  ["a:b?c=1{&q}", { q: 2 }, "a:b?c=1&q=2"],
  ["a:{user-id}", { "user-id": 7 }, "a:7"],
])("the template %s with %j gives %s", async (template, input, want) => {
  if (parseUriTemplate(template) === undefined) throw new Error(`${template} was not understood`);
  expect(await expanded(template, input)).toBe(want);
});

test.each(["a:{x:3}", "a:{|x}", "a:{", "a:}", "a:{}", "a:{x y}", "a:{x,}"])(
  "the template %s is not understood",
  (template) => {
    expect(parseUriTemplate(template)).toBeUndefined();
  },
);
