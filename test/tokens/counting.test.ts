import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { packageFile } from "../../src/kernel/paths.ts";
import { estimateTokens } from "../../src/tokens/estimate-tokens.ts";
import { resultTokens } from "../../src/tokens/result-tokens.ts";
import { exactTokens } from "../../src/tokens/tokenizer.ts";

// M11
describe("the tokenizer", () => {
  test.each([
    ["hello world", 2],
    ["", 0],
    // A server may write any text into a description.
    ["a <|endoftext|> b", 9],
  ])("counts %j", (text, want) => {
    expect(exactTokens(text)).toBe(want);
  });

  test.each([
    ["Chinese in one word", "汉字测试".repeat(25_000)],
    ["one letter", "a".repeat(100_000)],
    ["signs", "-".repeat(100_000)],
    ["spaces", " ".repeat(100_000)],
    ["joined emoji", "👩‍👩‍👧‍👦".repeat(9_000)],
  ])("is not slowed down by a run without a break: %s", (_what, text) => {
    const start = performance.now();
    expect(exactTokens(text)).toBeGreaterThan(0);
    // Unbroken, each of these takes between six seconds and a minute.
    expect(performance.now() - start).toBeLessThan(5_000);
  });
});

// M27
describe("the estimate, which needs no vocabulary", () => {
  const code = readdirSync(packageFile("src/engine/run")).map((name) =>
    readFileSync(packageFile(`src/engine/run/${name}`), "utf8"),
  );
  const rows = Array.from({ length: 400 }, (_, at) => ({
    id: `00Q5f0000${at}ABCx`,
    name: `Ada ${at}`,
    email: `user${at}@example.com`,
    amount: at * 137.25,
    createdAt: new Date(1e12 + at * 1e7).toISOString(),
  }));
  test.each<[string, readonly string[]]>([
    ["code", code],
    ["English", [readFileSync(packageFile("docs/architecture.md"), "utf8")]],
    ["rows of JSON", [JSON.stringify(rows)]],
    ["definitions", readFileSync(packageFile("workspace/servers/crm/.definitions.json"), "utf8").split("\n")],
    [
      "Chinese",
      [
        "按关键词找最简单；工具名和说明写得好就够用。让一个小模型来挑，效果通常最好，但每次找都要花一次模型调用的钱。".repeat(
          20,
        ),
      ],
    ],
  ])("comes within a sixth of the real count: %s", (_what, texts) => {
    const real = texts.reduce((sum, text) => sum + exactTokens(text), 0);
    const estimated = texts.reduce((sum, text) => sum + estimateTokens(text), 0);
    expect(estimated / real).toBeGreaterThan(5 / 6);
    expect(estimated / real).toBeLessThan(6 / 5);
  });

  test("of a long text is made from pieces of it, and is about as good", () => {
    const text = JSON.stringify(Array.from({ length: 30 }, () => rows));
    expect(estimateTokens(text) / (exactTokens(JSON.stringify(rows)) * 30)).toBeCloseTo(1, 1);
  });

  test("does not take the bytes of a picture for text", () => {
    const picture = { type: "image", mimeType: "image/png", data: "A".repeat(400_000) };
    expect(resultTokens([{ type: "text", text: "a chart" }, picture])).toBeLessThan(2_000);
  });
});
