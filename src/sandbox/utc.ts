/**
 * Makes the local time of this thread UTC: the engine asks the thread's `Date` for the offset of local time, and a
 * worker's `env` does not change the time zone of its process. To be called in a worker only, before the engine starts.
 */
export function makeLocalTimeUtc(): void {
  const parts = ["FullYear", "Month", "Date", "Day", "Hours", "Minutes", "Seconds", "Milliseconds"] as const;
  for (const part of parts) Date.prototype[`get${part}`] = Date.prototype[`getUTC${part}`];
  Date.prototype.getTimezoneOffset = () => 0;
}
