/** What "recorded" means: the system has it, or the disk has it. */
export type Durability = "process" | "fsync";

/** How the runs of a workspace are recorded, and how long their records are kept. */
export interface RunKeeping {
  readonly durability: Durability;
  readonly keepDays: number;
  readonly keepRuns: number;
  readonly keepBytes: number;
}
