import { z } from "zod";

/** A text, said so. */
export const text: z.ZodString = z.string({ error: "a text" });

/** A yes or no. */
export const flag: z.ZodBoolean = z.boolean({ error: "true or false" });

/** What happens to a definition that differs from the accepted one. */
export const onChange: z.ZodEnum<{ accept: "accept"; warn: "warn"; hold: "hold" }> = z.enum(
  ["accept", "warn", "hold"],
  { error: "accept, warn or hold" },
);
