/*
 * 64 clients that send 100 scripts each to one `mcpfs serve --http`: `npm run bench:serve [-- <clients> <scripts>]`. Every answer is
 * compared with what its script must give, so a crossed one is found. Ends with exit code 1 when one is wrong, when the slowest
 * hundredth takes more than five times the median, or when memory grows by more than a quarter between the second and the last fifth.
 */
import { availableParallelism, loadavg } from "node:os";
import { loadServe, quantile } from "./serve-load.mjs";

const [clients = 64, scripts = 100] = process.argv.slice(2).map(Number);
const MAX_SPREAD = 5;
const MAX_GROWTH = 1.25;

const { times, faults, memoryMb, seconds } = await loadServe({ clients, scripts });
const ms = times.map((time) => time.ms);
const [median, late] = [quantile(ms, 0.5), quantile(ms, 0.99)];
const fifth = Math.max(1, Math.floor(memoryMb.length / 5));
const early = quantile(memoryMb.slice(fifth, 2 * fifth), 0.5);
const last = quantile(memoryMb.slice(-fifth), 0.5);
console.log(
  `${clients} clients × ${scripts} scripts on ${availableParallelism()} cores, load ${loadavg()[0].toFixed(1)}`,
);
console.log(
  `${times.length} answers in ${seconds.toFixed(1)} s: ${(times.length / seconds).toFixed(0)} a second`,
);
console.log(`wrong or crossed: ${faults.length}`);
console.log(
  `median ${median.toFixed(0)} ms, p99 ${late.toFixed(0)} ms (${(late / median).toFixed(1)} × median), slowest ${Math.max(...ms).toFixed(0)} ms`,
);
console.log(`memory of serve: ${early} MB early, ${last} MB at the end, at most ${Math.max(...memoryMb)} MB`);
for (const fault of faults.slice(0, 5)) console.log(`  ${fault.slice(0, 300)}`);
const isGood = faults.length === 0 && late <= MAX_SPREAD * median && last <= MAX_GROWTH * early;
process.exitCode = isGood ? 0 : 1;
