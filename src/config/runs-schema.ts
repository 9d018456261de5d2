import { z } from "zod";
import type { RunKeeping } from "../model/run-keeping.ts";
import { readSize, SIZE_FORM, SIZE_PATTERN } from "./durations.ts";

const whole = z
  .int({ error: "a whole number" })
  .min(1, { error: "at least 1" })
  .max(1_000_000, { error: "at most 1000000" });

/** What `runs` of the file says: how runs are recorded, and how long their records are kept. */
export const runsObject: z.ZodObject<{
  durability: z.ZodOptional<z.ZodEnum<{ process: "process"; fsync: "fsync" }>>;
  keepDays: z.ZodOptional<z.ZodInt>;
  keepRuns: z.ZodOptional<z.ZodInt>;
  keepBytes: z.ZodOptional<z.ZodType<string | number>>;
}> = z.looseObject(
  {
    durability: z
      .enum(["process", "fsync"], { error: "process or fsync" })
      .describe(
        "What a journal survives: the end of mcpfs, also by kill -9 (process, default), or of the machine too (fsync, some milliseconds a call).",
      )
      .optional(),
    keepDays: whole.describe("Days for which runs are kept. Default: 30.").optional(),
    keepRuns: whole.describe("Runs that are kept at most. Default: 1000.").optional(),
    keepBytes: z
      .custom<string | number>((value) => readSize(value) !== undefined, { error: SIZE_FORM })
      .meta({
        anyOf: [
          { type: "number", exclusiveMinimum: 0 },
          { type: "string", pattern: SIZE_PATTERN.source },
        ],
      })
      .describe("Size of all runs that are kept. Default: 1gb.")
      .optional(),
  },
  { error: "an object with durability, keepDays, keepRuns and keepBytes" },
);

/** The keys that `runs` may have. */
export const RUNS_KEYS: readonly string[] = Object.keys(runsObject.shape);

/** What `runs` of the file says, before units are read. */
export interface RunsShape {
  readonly durability?: "process" | "fsync" | undefined;
  readonly keepDays?: number | undefined;
  readonly keepRuns?: number | undefined;
  readonly keepBytes?: string | number | undefined;
}

/** `runs` of the file, defaults filled in. */
export function readRuns({ durability, keepDays, keepRuns, keepBytes }: RunsShape): RunKeeping {
  return {
    durability: durability ?? "process",
    keepDays: keepDays ?? 30,
    keepRuns: keepRuns ?? 1_000,
    keepBytes: readSize(keepBytes) ?? 1024 ** 3,
  };
}
