import { z } from "zod";

/** What `limits` of the file says, before units are read. */
export interface LimitsShape {
  readonly timeout?: string | number | undefined;
  readonly cpu?: string | number | undefined;
  readonly call?: string | number | undefined;
  readonly memory?: string | number | undefined;
  readonly maxCalls?: number | undefined;
  readonly maxCallsPerTool?: number | undefined;
  readonly maxCallsAtOnce?: number | undefined;
  readonly callsPerSecond?: number | undefined;
  readonly callsPerMinute?: number | undefined;
  readonly maxOutput?: string | number | undefined;
  readonly maxArguments?: string | number | undefined;
  readonly maxResult?: string | number | undefined;
  readonly maxBundle?: string | number | undefined;
}

/** A text, said so. */
export const text: z.ZodString = z.string({ error: "a text" });

/** Several texts. */
export const texts: z.ZodArray<z.ZodString> = z.array(text, { error: "a list of texts" });

/** A yes or no. */
export const flag: z.ZodBoolean = z.boolean({ error: "true or false" });

/** What happens to a definition that differs from the accepted one. */
export const onChange: z.ZodEnum<{ accept: "accept"; warn: "warn"; hold: "hold" }> = z.enum(
  ["accept", "warn", "hold"],
  { error: "accept, warn or hold" },
);
