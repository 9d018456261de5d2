import type { Clock } from "../../kernel/clock.ts";
import type { Reader } from "../../kernel/errors.ts";
import type { Redactor } from "../../kernel/log.ts";
import type { ScriptSource } from "../../model/bundle.ts";
import type { Limits } from "../../model/run.ts";
import type { OutputCollector } from "./output.ts";
import type { RecordedRun } from "./recorded-run.ts";

/** One run while it goes on, as far as its report needs it. */
export interface OneRun {
  readonly source: ScriptSource;
  readonly limits: Limits;
  readonly record: RecordedRun;
  readonly output: OutputCollector;
  readonly redactor: Redactor;
  readonly clock: Clock;
  /** Who reads the report. */
  readonly reader: Reader;
}
