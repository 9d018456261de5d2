import { randomBytes } from "node:crypto";

/**
 * A run's id: its start in UTC to the second; then eight hexadecimal digits, three for the millisecond and five by chance. Sorts by time,
 * so that of two runs in one second the list shows the later one first.
 */
export function createRunId(nowMs: number): string {
  const time = new Date(nowMs).toISOString().replace(/[-:]/g, "").replace("T", "-").slice(0, 15);
  const milliseconds = (nowMs % 1000).toString(16).padStart(3, "0");
  return `${time}-${milliseconds}${randomBytes(3).toString("hex").slice(1)}`;
}
