import { expect, test } from "vitest";
import type { Json } from "../../src/kernel/json.ts";
import { renderServer } from "../../src/render/server-files.ts";
import { compile } from "./compile.ts";
import { serverOf, toolOf } from "./support.ts";
import { TYPE_CASES } from "./type-cases.ts";

// B1
test("every rule of the mapping holds under tsc --strict: what fits is taken, what does not is refused", async () => {
  const tools = TYPE_CASES.flatMap(({ schema }, index) => [
    toolOf({ name: `case_${index}`, input: schema as Json, output: schema as Json }),
  ]);
  const { files } = await renderServer(serverOf(tools));
  const lines: string[] = [
    'import type * as s from "./servers/s";',
    "type Input<F extends (input: any) => unknown> = NonNullable<Parameters<F>[0]>;",
  ];
  for (const [index, { rule, takes, refuses }] of TYPE_CASES.entries()) {
    lines.push(`// ${index}: ${rule}`);
    for (const value of takes) lines.push(`{ const v: Input<typeof s.case${index}> = ${value}; void v; }`);
    for (const value of refuses)
      lines.push("// @ts-expect-error", `{ const v: Input<typeof s.case${index}> = ${value}; void v; }`);
  }
  const errors = await compile([...files, ["rules.ts", lines.join("\n")]]);
  const shown = errors.replace(/^rules\.ts\((\d+),.*$/gm, (line, number) => {
    const before = lines.slice(0, Number(number)).findLast((one) => /^\/\/ \d/.test(one));
    return `${line}\n    in ${before}: ${lines[Number(number) - 1]} ${lines[Number(number)]}`;
  });
  expect(shown).toBe("");
});
