import { describe, expect, test } from "vitest";
import { namesAskedOf } from "../../src/syntax/asked-names.ts";

const CRM = "./servers/crm";

describe("a text that names what it wants asks for that only", () => {
  const cases: readonly string[] = [
    'import { getA, getB as b } from "./servers/crm"; getA(); b();',
    "import type { GetAInput } from './servers/crm'; import { getA } from './servers/crm';",
    'import {\n  getA, // a remark\n  getB,\n} from "./servers/crm";',
    'export { getA } from "./servers/crm";',
    'import * as crm from "./servers/crm"; await crm.getA({});',
    'import * as crm from "./servers/crm"; await crm?.getA({}); crm . getB(); crm\n  .getC();',
    'import*as $crm from "./servers/crm";$crm.getA()',
    'import * as fromage from "./servers/crm"; fromage.getA();',
    'import * as crm from "./servers/crm"; const x: crm.GetAInput = {}; await crm.getA(x);',
    'import * as mail from "./servers/mail"; Object.keys(mail); import { getA } from "./servers/crm";',
  ];
  test.each(cases)("%s", (text) => {
    const names = namesAskedOf(text, CRM);
    expect(names).toBeDefined();
    expect(names?.has("getZ")).toBe(false);
    expect([...(names ?? [])].some((name) => name.startsWith("getA") || name === "GetAInput")).toBe(true);
  });
});

describe("a text whose namespace gets about may ask for anything", () => {
  const use = (body: string): string => `import * as crm from "./servers/crm"; ${body}`;
  const cases: readonly string[] = [
    use("Object.keys(crm);"),
    use("crm['get' + x]();"),
    use("crm[name]();"),
    use("const { getA, ...others } = crm;"),
    use("const all = { ...crm };"),
    use("f(crm);"),
    use("const c = crm; c.getA();"),
    use("export { crm };"),
    use("for (const tool in crm) {}"),
    use("type All = typeof crm;"),
    use("crm.get\\u0041();"),
    use("const c = cr\\u006d;"),
    use("eval('crm');"),
    use("crm /* a remark */ .getA();"),
    'import /* a remark */ * as crm from "./servers/crm"; crm.getA();',
    'import d, * as crm from "./servers/crm"; crm.getA();',
    'export * from "./servers/crm";',
    'export * as crm from "./servers/crm";',
    'const crm = await import("./servers/crm");',
    'import "./servers/crm";',
    'import * as crm from "./serv\\x65rs/crm"; crm.getA();',
    'import { getA } from "./servers/crm"; import * as all from "./servers/crm"; list(all);',
  ];
  test.each(cases)("%s", (text) => expect(namesAskedOf(text, CRM)).toBeUndefined());
});
