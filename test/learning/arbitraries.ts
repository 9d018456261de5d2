import fc from "fast-check";
import type { Json } from "../../src/kernel/json.ts";

/** Keys that servers send: names of fields, some that many objects have in common, and data. */
const key = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom("id", "name", "email", "rows", "next", "status", "a-b", "__proto__"),
  },
  { weight: 1, arbitrary: fc.constantFrom("user_12345", "customfield_10016", "24h", "a1b2c3", "2026") },
  { weight: 1, arbitrary: fc.constantFrom("ada@example.com", "Ada Lovelace", "src/main.ts", "") },
  { weight: 1, arbitrary: fc.string({ maxLength: 4 }) },
);

const text = fc.constantFrom("open", "closed", "x".repeat(80), "secret-1", "secret-2");

/** Any JSON value as an answer may hold it, long integers among them. */
export const anyAnswer: fc.Arbitrary<Json> = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, depthIdentifier: "answer" },
    fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null), fc.constant(12345678901234567890n as Json)),
    fc.array(tie("value"), { maxLength: 4, depthIdentifier: "answer" }),
    fc
      .array(fc.tuple(key, tie("value")), { maxLength: 6, depthIdentifier: "answer" })
      .map((entries) => Object.fromEntries(entries)),
  ),
})).value;

/** Fields whose texts the tests keep. */
export const ENUMS: ReadonlySet<string> = new Set(["status", "rows.status", "id"]);
