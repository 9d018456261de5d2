import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { violations } from "./repository/layer-law.ts";

const src = fileURLToPath(new URL("../src/", import.meta.url));

test("src keeps the layer law", () => {
  const paths = readdirSync(src, { recursive: true, encoding: "utf8" }).map((path) =>
    path.replaceAll("\\", "/"),
  );
  const files = paths
    .filter((path) => path.endsWith(".ts"))
    .map((path) => [path, readFileSync(src + path, "utf8")] as const);
  expect(files.length).toBeGreaterThan(10);
  expect(violations(new Map(files))).toEqual([]);
});

describe("the law notices", () => {
  test.each([
    [
      "an import upwards",
      "model/a.ts",
      'import { x } from "../broker/x.ts";',
      "src/model/a.ts:1 imports broker (L3) from model (L1); imports go down only.",
    ],
    [
      "a type's import upwards",
      "kernel/a.ts",
      '\nimport type { X } from "../model/x.ts";',
      "src/kernel/a.ts:2 imports model (L1) from kernel (L0); imports go down only.",
    ],
    [
      "an import inside a type",
      "kernel/a.ts",
      'export type X = import("../model/x.ts").X;',
      "src/kernel/a.ts:1 imports model (L1) from kernel (L0); imports go down only.",
    ],
    [
      "a dynamic import",
      "engine/a.ts",
      'const x = await import("../cli/x.ts");',
      "src/engine/a.ts:1 imports cli (L4) from engine (L3); imports go down only.",
    ],
    [
      "an import of the library's door",
      "cli/deep/a.ts",
      'import "../../what/x.ts";',
      "src/cli/deep/a.ts:1 imports ../../what/x.ts, which is in no layer.",
    ],
    [
      "one adapter in another",
      "mcp/a.ts",
      'import { x } from "../config/x.ts";',
      "src/mcp/a.ts:1 imports config from mcp; adapters never import each other.",
    ],
    [
      "the system in the pure core",
      "render/a.ts",
      'import { readFile } from "node:fs/promises";',
      "src/render/a.ts:1 imports node:fs/promises, but render is pure: it reaches the system through kernel only.",
    ],
    [
      "a package in the wrong folder",
      "engine/a.ts",
      'import { z } from "zod/v4";',
      "src/engine/a.ts:1 imports zod, which only config may import.",
    ],
    [
      "a package that nobody owns",
      "engine/a.ts",
      'import x from "@scope/left-pad/deep.js";',
      "src/engine/a.ts:1 imports @scope/left-pad, which belongs to no folder: add it to the table.",
    ],
    [
      "a builtin without node:",
      "mcp/a.ts",
      'import fs from "fs";',
      "src/mcp/a.ts:1 imports fs, which belongs to no folder: add it to the table.",
    ],
    [
      "a re-export",
      "engine/a.ts",
      'export { x } from "./x.ts";',
      "src/engine/a.ts:1 re-exports ./x.ts; only src/index.ts does that.",
    ],
    [
      "a re-export of all",
      "engine/a.ts",
      'export * from "./x.ts";',
      "src/engine/a.ts:1 re-exports ./x.ts; only src/index.ts does that.",
    ],
    [
      "a folder in no layer",
      "what/a.ts",
      "export const a = 1;",
      "src/what/a.ts:1 is in no layer: add what to the table.",
    ],
  ])("%s", (_what, path, text, sentence) => {
    expect(violations(new Map([[path, text]]))).toEqual([sentence]);
  });

  test.each([
    ["its own folder", "mcp/deep/a.ts", 'import "../b.ts"; import "./c.ts";'],
    [
      "lower layers",
      "engine/a.ts",
      'import "../mcp/a.ts"; import type { A } from "../model/a.ts"; import "../broker/a.ts";',
    ],
    ["the pure core among itself", "render/a.ts", 'import "../catalog/a.ts";'],
    ["the system in an adapter", "tree/a.ts", 'import "node:fs";'],
    [
      "a package in its folder",
      "sandbox/a.ts",
      'import "quickjs-emscripten-core"; await import("@jitl/quickjs-wasmfile-release-sync");',
    ],
    [
      "the library's door",
      "index.ts",
      'export { x } from "./engine/x.ts"; export type { Y } from "./model/y.ts";',
    ],
    [
      "words in texts and comments",
      "model/a.ts",
      'export const a = \'import "zod"\'; // import "../cli/x.ts"',
    ],
  ])("nothing in %s", (_what, path, text) => {
    expect(violations(new Map([[path, text]]))).toEqual([]);
  });
});

test("the law notices files that import each other in a circle, also by their types", () => {
  const files = new Map([
    ["model/a.ts", 'import type { B } from "./b.ts";'],
    ["model/b.ts", 'import { c } from "./c.ts";'],
    ["model/c.ts", 'import type { B } from "./b.ts";'],
  ]);
  expect(violations(files)).toEqual([
    "src/model/b.ts imports src/model/c.ts imports src/model/b.ts: move what they share to a file of its own.",
  ]);
});
