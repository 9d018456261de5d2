import { isWanted } from "./probes/probe.mjs";

/** What a deadline may be passed by. */
const LATE_MS = 300;

/** Words by which a peer may say that it stopped a script in time, or for want of memory. */
const SAYS_TIME = /tim(?:e|ed)[ -]?(?:d )?(?:out|limit)|timed|timeout|interrupt|exceed|deadline/i;
const SAYS_MEMORY = /memory|alloc/i;

/** Empty when a run of ours ended as it has to; else a sentence. */
export function judgeOurs(probe, { observed, left }, emptyMs) {
  const { want } = probe;
  const { end, report, message } = observed;
  if (end === "host-error") return `the host threw: ${message}`;
  const code = report.error?.code ?? "";
  const said = report.error?.message ?? "";
  const faults = [];
  const isValue = end === "value";
  const isAlternative =
    (want.orMemory === true && code === "LIMIT_MEMORY") ||
    (want.orError === true && code === "SCRIPT_ERROR") ||
    (want.orError instanceof RegExp && code === "SCRIPT_ERROR" && want.orError.test(said)) ||
    (want.orValue === true && isValue);
  if (!isAlternative) {
    if (want.end === "value" && !isValue) return `ended with ${code}: ${said}`;
    if (want.end !== "value" && isValue) return `gave a value: ${shown(observed.value)}`;
    const codes = want.codes ?? (want.code === undefined ? [] : [want.code]);
    if (codes.length > 0 && !codes.includes(code)) return `ended with ${code}: ${said}`;
    if (want.end === "value" && "value" in want && !isWanted(want.value, observed.value))
      faults.push(`gave ${shown(observed.value)}`);
    if (want.message !== undefined && !want.message.test(said)) faults.push(`said ${said.slice(0, 200)}`);
    if (want.line !== undefined && report.error?.line !== want.line)
      faults.push(`line ${report.error?.line}`);
    if (want.file !== undefined && report.error?.file !== want.file)
      faults.push(`file ${report.error?.file}`);
    if (want.levels !== undefined && observed.levels?.join() !== want.levels.join())
      faults.push(`levels ${observed.levels}`);
    const more = want.also?.(report);
    if (more) faults.push(more);
  }
  if (want.isIntact === true && observed.isIntact !== true) faults.push("something outside was changed");
  if (want.maxGrownBytes !== undefined && observed.grownBytes > want.maxGrownBytes)
    faults.push(`memory grew by ${Math.round(observed.grownBytes / 1024 / 1024)} MiB`);
  if (report.kind === "failed" && report.error?.stack.includes("mcpfs:prelude"))
    faults.push("a frame of ours is shown");
  if (left !== "") faults.push(`left ${left}`);
  const lateMs = latenessOurs(probe, observed, emptyMs);
  if (lateMs > 0) faults.push(`${Math.round(lateMs)} ms too late`);
  return faults.join("; ");
}

/**
 * By how much a run passed its deadline and the {@link LATE_MS} beyond it; what an empty run takes is not its own. The limit
 * for computing is one of CPU time: what its thread was ready to run and waited for a processor does not count against it.
 */
export function latenessOurs(probe, { report, elapsedMs, waitedMs = 0 }, emptyMs) {
  const { limits = {}, want, times = 1 } = probe;
  if (probe.ours !== undefined || times > 1) return 0;
  const allowed = [];
  if (want.withinMs !== undefined) allowed.push(elapsedMs - want.withinMs);
  const allowedMs =
    want.code === "LIMIT_CPU" ? (limits.cpuMs ?? 10_000) + waitedMs : (limits.wallMs ?? 60_000);
  if (want.end === "time" || want.end === "stuck") allowed.push(elapsedMs - emptyMs - allowedMs - LATE_MS);
  if (limits.wallMs !== undefined) allowed.push(elapsedMs - emptyMs - limits.wallMs - LATE_MS);
  if (limits.cpuMs !== undefined) allowed.push((report?.usage?.guestCpuMs ?? 0) - limits.cpuMs - LATE_MS);
  return Math.max(0, ...allowed);
}

/** One word for what a peer did. `right` is right, the others say what is wrong. */
export function judgePeer(probe, outcome) {
  if (outcome.kind === "hung") return "hung";
  if (outcome.kind === "died") return "died";
  const { observed, isUsable } = outcome;
  const { want, limits = {} } = probe;
  const { end, message = "" } = observed;
  const deadlineMs = Math.min(limits.cpuMs ?? Infinity, limits.wallMs ?? Infinity);
  const isLate = observed.elapsedMs > deadlineMs + LATE_MS && (probe.times ?? 1) === 1;
  const isRight = () => {
    if (want.orMemory === true && end === "error" && SAYS_MEMORY.test(message)) return true;
    if (want.orError && end === "error") return true;
    if (want.orValue === true && end === "value") return true;
    if (want.end === "value")
      return end === "value" && (!("value" in want) || isWanted(want.value, observed.value));
    if (end !== "error") return false;
    if (want.end === "time") return SAYS_TIME.test(message);
    if (want.end === "memory") return SAYS_MEMORY.test(message);
    // Our own words are not asked of a peer; the script's words are.
    return !(want.message instanceof RegExp) || want.end === "stuck" || want.message.test(message);
  };
  if (!isRight()) return "wrong";
  if (isLate) return "late";
  if (!isUsable) return "unusable after";
  if (want.maxGrownBytes !== undefined && observed.grownBytes > want.maxGrownBytes) return "grew";
  return "right";
}

/** Why a probe is not put to a peer; `undefined` when it is. */
export function notForPeer(probe, peer) {
  if (probe.ours !== undefined || probe.peers === false) return "its API cannot express it";
  if (typeof probe.peers === "string") return probe.peers;
  if (Array.isArray(probe.peers) && !probe.peers.includes(peer.key)) return "its API cannot express it";
  return undefined;
}

function shown(value) {
  const text =
    JSON.stringify(value, (_key, item) => (typeof item === "bigint" ? `${item}n` : item)) ?? "undefined";
  return text.length > 300 ? `${text.slice(0, 300)}…` : text;
}
