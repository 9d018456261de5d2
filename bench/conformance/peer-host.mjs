// One probe of one peer, in a process of its own: `node peer-host.mjs <peer> <folder> <probe>`. The parent kills it when it
// hangs, and sees when it dies.
import { PEERS } from "./peers.mjs";
import { findProbe } from "./probes/all.mjs";

const [, , key, folder, id] = process.argv;
const peer = PEERS.find((one) => one.key === key);
const probe = findProbe(id);
const run = await peer.create(folder);
const isWarm = await run("export default 1;", options({ limits: {} })).then(
  () => true,
  () => false,
);
process.send({ kind: "ready", isWarm });

const started = performance.now();
let observed;
let startBytes = 0;
try {
  const times = probe.times ?? 1;
  for (let time = 0; time < times; time += 1) {
    if (time === Math.min(20, times - 1)) startBytes = process.memoryUsage.rss();
    observed = await run(probe.code, options(probe));
  }
} catch (error) {
  observed = { end: "error", message: `${error?.name}: ${error?.message}`, logs: [] };
}
const elapsedMs = performance.now() - started;
const grownBytes = process.memoryUsage.rss() - startBytes;
// The host must be of use afterwards.
const after = await run("export default 6 * 7;", options({ limits: {} })).catch(() => undefined);
process.send(
  { kind: "result", observed: { ...plain(observed), elapsedMs, grownBytes }, isUsable: after?.value === 42 },
  () => process.exit(0),
);

function options({ limits = {}, isTypeScript }) {
  return {
    timeoutMs: Math.min(limits.cpuMs ?? 20_000, limits.wallMs ?? 20_000),
    memoryBytes: limits.memoryBytes ?? 256 * 1024 * 1024,
    isTypeScript: isTypeScript === true,
  };
}

/** What cannot cross to the parent becomes a word. */
function plain(value) {
  try {
    return structuredClone(value);
  } catch {
    return { ...value, value: String(value.value) };
  }
}
