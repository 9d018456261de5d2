import { Ajv, type ErrorObject, type Options } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import { isJsonObject, type Json, type JsonObject, own } from "../kernel/json.ts";
import { describeFault } from "./describe-fault.ts";
import { createBoundedPattern, exactPattern } from "./pattern.ts";
import { meantFaults } from "./union-faults.ts";

/** What a value breaks of a schema; empty when it fits. */
export interface Verdict {
  /** One sentence each, at most {@link MAX_FAULTS}: the path, what was expected, the nearest valid key or value. */
  readonly faults: readonly string[];
  /** Why the schema itself could not be used; the value then counts as fitting, and its server decides. */
  readonly unusable: string | undefined;
}

/** Judges values against the schemas of one catalog revision; a new revision gets a new validator. */
export interface Validator {
  /** @param key identifies the schema in this revision: a tool's wire name and `input` or `output` */
  readonly judge: (key: string, schema: Json, value: Json) => Verdict;
}

/** More than three faults at once help nobody to mend a call. */
const MAX_FAULTS = 3;

/**
 * Creates a validator for what is not ours: schemas of servers. The dialect is the schema's `$schema`, 2020-12 where it names none (MCP 2026-07-28,
 * basic/index, JSON Schema). Nothing is ever fetched: a reference that does not resolve inside the schema makes it
 * unusable. `format` is an annotation, as that dialect says.
 */
export function createValidator(): Validator {
  return validatorWith({ ...OPTIONS, code: { regExp: createBoundedPattern() } });
}

/**
 * Creates a validator for schemas that the user wrote: a keyword that does not exist, `format` (which nothing would check), a pattern
 * that cannot be tried make the schema unusable, and so does a text that is too long for a pattern. Whoever asks decides what
 * that means; it never counts as fitting.
 */
export function createStrictValidator(): Validator {
  return validatorWith({ ...OPTIONS, strictSchema: true, code: { regExp: exactPattern } }, ["format"]);
}

function validatorWith(options: Options, refused: readonly string[] = []): Validator {
  const compiled = new Map<string, Check>();
  const engines = new Map<string, Ajv>();

  const engineFor = (schema: Json, allErrors: boolean): Ajv => {
    const dialect = dialectOf(schema);
    const key = `${dialect} ${allErrors}`;
    const given = { ...options, allErrors };
    let engine = engines.get(key);
    if (engine === undefined) {
      engine =
        dialect === "2020-12"
          ? new Ajv2020(given)
          : dialect === "2019-09"
            ? new Ajv2019(given)
            : new Ajv(given);
      for (const keyword of refused) engine.removeKeyword(keyword);
      engines.set(key, engine);
    }
    return engine;
  };

  return {
    judge: (key, schema, value) => {
      let check = compiled.get(key);
      if (check === undefined) {
        check = createCheck((allErrors) => engineFor(schema, allErrors), schema);
        compiled.set(key, check);
      }
      return check(value);
    },
  };
}

type Check = (value: Json) => Verdict;

const OPTIONS: Options = {
  strict: false,
  // Errors carry the schema they come from, so that a sentence can name the keys that are known.
  verbose: true,
  validateFormats: false,
  validateSchema: false,
  // A schema's own $id must not make a later revision of it look known (SDK issue 2337 is that fault).
  addUsedSchema: false,
  logger: false,
};

/** Some thousand faults take as long to find as to make, and nobody reads them. */
const MAX_PARTS = 20_000;

/** Of a value with very many parts the first fault is told: the engine cannot be stopped at the third. */
function createCheck(engine: (allErrors: boolean) => Ajv, schema: Json): Check {
  let [all, first]: (Check | undefined)[] = [];
  return (value) => {
    if (holdsMoreThan(MAX_PARTS, value)) {
      first ??= compile(() => engine(false), schema);
      return first(value);
    }
    all ??= compile(() => engine(true), schema);
    return all(value);
  };
}

/** Members and items, those of members and items too. */
function holdsMoreThan(maxParts: number, value: Json): boolean {
  const open: (Json | undefined)[] = [value];
  let parts = 0;
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    if (typeof item !== "object" || item === null) continue;
    const inside: readonly (Json | undefined)[] = Object.values(item);
    parts += inside.length;
    if (parts > maxParts) return true;
    for (const part of inside) if (part !== undefined) open.push(part);
  }
  return false;
}

function compile(engine: () => Ajv, schema: Json): Check {
  const unusable = (error: unknown): Verdict => ({
    faults: [],
    unusable: error instanceof Error ? error.message : String(error),
  });
  try {
    const usable = typeof schema === "boolean" || isJsonObject(schema) ? schema : {};
    // `$schema` may name a draft that Ajv does not know by that address; the engine was chosen already.
    const { $schema: _dialect, ...rest } = isJsonObject(usable) ? usable : {};
    const validate = engine().compile(typeof usable === "boolean" ? usable : rest);
    return (value) => {
      try {
        if (validate(withoutBigints(value))) return FITS;
      } catch (error) {
        return unusable(error);
      }
      const faults = meantFaults((validate.errors ?? []).filter(isRealFault));
      return {
        faults: firstSentences(faults, value),
        unusable: undefined,
      };
    };
  } catch (error) {
    const verdict = unusable(error);
    return () => verdict;
  }
}

/** Ajv never looks at a property named `__proto__`, and so calls it unknown; a failed `if` has said why already. */
function isRealFault(error: ErrorObject): boolean {
  return (
    error.keyword !== "if" &&
    (error.params as { additionalProperty?: unknown }).additionalProperty !== "__proto__"
  );
}

const FITS: Verdict = { faults: [], unusable: undefined };

/** Each takes a search for what was meant, so no more are made than are shown. */
function firstSentences(faults: readonly ErrorObject[], value: Json): readonly string[] {
  const sentences = new Set<string>();
  for (const fault of faults) {
    if (sentences.size >= MAX_FAULTS) break;
    sentences.add(describeFault(fault, value));
  }
  return [...sentences];
}

function dialectOf(schema: Json): "2020-12" | "2019-09" | "draft-07" {
  const named = own(schema, "$schema");
  if (typeof named !== "string") return "2020-12";
  if (/draft-0[3-7]/.test(named)) return "draft-07";
  return named.includes("2019-09") ? "2019-09" : "2020-12";
}

/** A long integer is still an integer to a schema: judged by its nearest double. Most values have none, and are not copied. */
function withoutBigints(value: Json): unknown {
  return holdsBigint(value) ? copyWithoutBigints(value) : value;
}

function holdsBigint(value: Json | undefined): boolean {
  if (typeof value !== "object" || value === null) return typeof value === "bigint";
  if (Array.isArray(value)) return value.some(holdsBigint);
  for (const key in value) if (holdsBigint((value as JsonObject)[key])) return true;
  return false;
}

function copyWithoutBigints(value: Json): unknown {
  if (typeof value === "bigint") return Number(value);
  if (Array.isArray(value)) return value.map((item: Json) => copyWithoutBigints(item));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, copyWithoutBigints(item ?? null)]),
  );
}
