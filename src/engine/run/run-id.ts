import { randomBytes } from "node:crypto";

/** A run's id: its start in UTC to the second, and six random hexadecimal characters. Sorts by time. */
export function createRunId(nowMs: number): string {
  const time = new Date(nowMs).toISOString().replace(/[-:]/g, "").replace("T", "-").slice(0, 15);
  return `${time}-${randomBytes(3).toString("hex")}`;
}
