import { Ajv } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";

const OPTIONS = {
  strict: false,
  validateFormats: false,
  validateSchema: false,
  addUsedSchema: false,
  logger: false,
  // OpenAPI's keyword, which servers write into schemas of every dialect, is no keyword of JSON Schema.
  discriminator: false,
};

/** Ajv's check of a schema by the dialect that it names, 2020-12 where it names none. @returns a string for one that Ajv refuses */
export function judgeOf(schema) {
  const dialect = String(schema?.$schema ?? "2020-12");
  const Engine = dialect.includes("2020-12") ? Ajv2020 : dialect.includes("2019-09") ? Ajv2019 : Ajv;
  const { $schema: _, ...rest } = typeof schema === "object" && schema !== null ? schema : {};
  for (const unicodeRegExp of [true, false]) {
    try {
      const validate = new Engine({ ...OPTIONS, unicodeRegExp }).compile(
        typeof schema === "boolean" ? schema : rest,
      );
      return (value) => validate(value);
    } catch (error) {
      if (!unicodeRegExp) return String(error.message);
    }
  }
}
