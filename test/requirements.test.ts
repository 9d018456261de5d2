import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { REQUIREMENTS } from "./requirements.ts";

const folder = fileURLToPath(new URL(".", import.meta.url));
const read = (file: string): string => readFileSync(folder + file, "utf8");

/** The ids that a test file cites: in a comment of its own that begins with them, or in the name of a test or group. */
function cited(text: string): ReadonlySet<string> {
  const comments = [...text.matchAll(/^\s*\/\/ ((?:[MB]\d+(?:, |$))+)$/gm)].map((match) => match[1] ?? "");
  const names = [...text.matchAll(/\b(?:describe|test|it)(?:\.\w+)*\(\s*["'`](.*)/g)].map(
    (match) => match[1] ?? "",
  );
  return new Set([...comments, ...names].flatMap((line) => line.match(/\b[MB]\d+\b/g) ?? []));
}

test("every id stands there once, M1 to M27 and B1 to B8, in order", () => {
  const numbered = (letter: string, count: number): readonly string[] =>
    Array.from({ length: count }, (_, at) => `${letter}${at + 1}`);
  expect(REQUIREMENTS.map(({ id }) => id)).toEqual([...numbered("M", 27), ...numbered("B", 8)]);
});

describe.each(REQUIREMENTS.map((requirement) => [requirement.id, requirement] as const))(
  "%s",
  (id, { says, provenBy, planned }) => {
    test("says what must work, and is proven or planned", () => {
      expect(says).toMatch(/.{20,}\.$/);
      expect(provenBy.length > 0 || planned !== "").toBe(true);
      if (provenBy.length === 0) expect(planned).toMatch(/^(?:all|the)\b/);
    });

    test.each(provenBy)("is cited in %s", (file) => {
      expect(existsSync(folder + file), `${file} does not exist`).toBe(true);
      expect([...cited(read(file))], `${file} cites ${id}: a comment "// ${id}", or a test's name`).toContain(
        id,
      );
    });
  },
);

test("a test that cites an id is among the proofs of that id", () => {
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((file) => file.replaceAll("\\", "/"))
    .filter((file) => file.endsWith(".test.ts") && file !== "requirements.test.ts");
  const strays = files.flatMap((file) =>
    [...cited(read(file))]
      .filter((id) => !REQUIREMENTS.some((known) => known.id === id && known.provenBy.includes(file)))
      .map((id) => `${file} cites ${id}`),
  );
  expect(strays).toEqual([]);
});
