import { transform } from "esbuild";
import { ts } from "ts-morph";
import { expect, test } from "vitest";
import { camelCase } from "../../src/catalog/identifiers.ts";

test("every letter that naming keeps is one for TypeScript and esbuild too", async () => {
  const kept: string[] = [];
  for (let code = 0x80; code <= 0x10ffff; code += 1) {
    const character = String.fromCodePoint(code);
    if (camelCase(`a${character}`) !== "a") kept.push(character);
  }
  expect(kept.length).toBeGreaterThan(40_000);
  const unknown = kept.filter(
    (character) => !ts.isIdentifierPart(character.codePointAt(0) ?? 0, ts.ScriptTarget.ES2023),
  );
  expect(unknown).toEqual([]);
  const source = kept.map((character, at) => `let a${at}_${character} = 1;`).join("\n");
  await transform(source, { loader: "ts", logLevel: "silent" });
});
