import { describe, expect, test } from "vitest";
import type { Json } from "../../src/kernel/json.ts";
import { createRedactor } from "../../src/kernel/log.ts";

function redactorOf(...secrets: readonly string[]): ReturnType<typeof createRedactor> {
  const redactor = createRedactor();
  redactor.add(secrets);
  return redactor;
}

describe("a secret is hidden", () => {
  test("longest first, every time, and short values stay", () => {
    const { redact } = redactorOf("token-1", "token-12345", "dev");
    expect(redact("token-12345, token-1 and dev; token-1")).toBe("[hidden], [hidden] and dev; [hidden]");
  });

  test.each<[string, Json, Json]>([
    ["in texts", { a: ["x s3cr3t-1 y"] }, { a: ["x [hidden] y"] }],
    ["in keys", { "s3cr3t-1": 1 }, { "[hidden]": 1 }],
    ["as a number, which text replacement would turn into broken JSON", { id: 80808080 }, { id: "[hidden]" }],
    ["as a long integer", { id: 12345678901234567890n }, { id: "[hidden]" }],
    ["with a quote and a backslash", { q: 'a"b\\c-secret' }, { q: "[hidden]" }],
    ["and nothing else changes", { n: 8080, t: true, z: null }, { n: 8080, t: true, z: null }],
  ])("%s", (_where, given, want) => {
    const { redactJson } = redactorOf("s3cr3t-1", "80808080", "12345678901234567890", 'a"b\\c-secret');
    expect(redactJson(given)).toEqual(want);
  });

  test("a key __proto__ stays a key", () => {
    const value = redactorOf("secret-1").redactJson(JSON.parse('{"__proto__":{"a":"secret-1"}}'));
    expect(JSON.stringify(value)).toBe('{"__proto__":{"a":"[hidden]"}}');
  });

  test("also its beginning, where a message was cut inside it", () => {
    const { redact } = redactorOf("ghp_0123456789");
    expect(redact('got "--token ghp_0123…", expected a number')).toBe(
      'got "--token [hidden]…", expected a number',
    );
    expect(redact("three characters say nothing: ghp…")).toBe("three characters say nothing: ghp…");
    expect(redact("ghp_01 in front of no cut")).toBe("ghp_01 in front of no cut");
  });
});
