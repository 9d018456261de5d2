import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Bundler, createBundler } from "../../src/bundle/bundler.ts";
import { isTooDeep } from "../../src/bundle/depth.ts";
import { makeWorkspace, worldOf } from "./workspace.ts";

const MEGABYTE = 1_000_000;

describe("what kills a parser is seen before it is parsed", () => {
  const links = [
    "(",
    "[",
    "{a:",
    "`${",
    "!",
    "~",
    "-~",
    "typeof ",
    "a=>",
    "a?b:",
    "if(1)",
    "if(a,b)",
    "for(;;)",
    "x=",
    "a**",
    "new ",
    "await ",
    "l:",
    "a.",
    "a()",
    "a[0]",
    "else if(1){}",
    "<a>",
    "A<",
    "keyof ",
    "a!",
    "a``",
  ];
  it.each(links)("%s again and again", (link) => {
    expect(isTooDeep(link.repeat(Math.ceil((4 * MEGABYTE) / link.length)))).toBe(true);
  });
});

describe("what is merely long is not", () => {
  const long: readonly [name: string, text: string][] = [
    [
      "rows of data",
      `export default [${'{ id: 1, "a b": [1, -2], c: { d: !0, e: null } },\n'.repeat(100_000)}];`,
    ],
    ["statements", "const a = f(b).c ? d : e;\nif (a) { g(); } else { h(); }\n".repeat(50_000)],
    ["statements without semicolons", "const a = f(b)\nif (a) { g() }\n".repeat(5_000)],
    ["a long string", `export default "${"abcd+/EFGH==".repeat(300_000)}";`.replaceAll("==", "xx")],
    [
      "a long text",
      `export default \`${"A sentence, with words. It is (very) plain; and so on!\n".repeat(60_000)}\`;`,
    ],
    ["a sum", `export default ${"1 + ".repeat(500_000)}1;`],
  ];
  it.each(long)("%s", (_name, text) => expect(isTooDeep(text)).toBe(false));
  it("nesting that people write", () => {
    expect(isTooDeep(`${"(".repeat(9000)}${")".repeat(9000)}`)).toBe(false);
  });
});

describe("a bundler", () => {
  let workspace: Awaited<ReturnType<typeof makeWorkspace>>;
  let bundler: Bundler;
  beforeAll(async () => {
    bundler = createBundler();
    workspace = await makeWorkspace();
  });
  afterAll(async () => {
    await bundler.close();
    await workspace.remove();
  });
  it("refuses such a script and goes on with the next one", async () => {
    const bundle = (text: string) =>
      bundler.bundle({ path: undefined, name: "deep.ts", text }, worldOf(workspace.root));
    await expect(bundle(`${"!".repeat(MEGABYTE)}1`)).rejects.toMatchObject({
      code: "SCRIPT_ERROR",
      message: "The script deep.ts is nested too deeply to be read.",
    });
    await expect(bundle("export default 1;")).resolves.toBeDefined();
  });
});
