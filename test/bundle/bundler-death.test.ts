import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Bundler, createBundler } from "../../src/bundle/bundler.ts";
import { makeWorkspace, worldOf } from "./workspace.ts";

let workspace: Awaited<ReturnType<typeof makeWorkspace>>;
let bundler: Bundler;

beforeAll(async () => {
  // The process of esbuild inherits it: its last words stay short.
  process.env.GOTRACEBACK = "none";
  bundler = createBundler();
  workspace = await makeWorkspace();
});
afterAll(async () => {
  await bundler.close();
  await workspace.remove();
});

describe("a script that is the death of esbuild's process", () => {
  it("is a script error, and the next script is bundled as ever", async () => {
    const bundle = (text: string) =>
      bundler.bundle({ path: undefined, name: "deep.ts", text }, worldOf(workspace.root));
    await expect(bundle(`${"typeof ".repeat(1_000_000)}1`)).rejects.toMatchObject({
      code: "SCRIPT_ERROR",
      message: "The script deep.ts is nested too deeply to be read.",
    });
    await expect(bundle("export default 1;")).resolves.toBeDefined();
  });
});
