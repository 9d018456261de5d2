import { BANK } from "./bank.mjs";
import { CALLS } from "./calls.mjs";
import { DETERMINISM, ERRORS, VALUES } from "./data.mjs";
import { DEPTH } from "./depth.mjs";
import { ESCAPE } from "./escape.mjs";
import { FILES } from "./files.mjs";
import { FORGE } from "./forge.mjs";
import { HOST } from "./host.mjs";
import { MEMORY } from "./memory.mjs";
import { CONSOLE, REJECTIONS, STYLES, TIMERS, TYPESCRIPT } from "./ordinary.mjs";
import { TAMPER } from "./tamper.mjs";
import { TIME } from "./time.mjs";

/** All probes, in the order of the table. */
export const PROBES = [
  ...CALLS,
  ...TIME,
  ...MEMORY,
  ...DEPTH,
  ...TAMPER,
  ...FORGE,
  ...ESCAPE,
  ...FILES,
  ...CONSOLE,
  ...TIMERS,
  ...REJECTIONS,
  ...TYPESCRIPT,
  ...STYLES,
  ...VALUES,
  ...DETERMINISM,
  ...ERRORS,
  ...BANK,
  ...HOST,
];

export function findProbe(id) {
  const probe = PROBES.find((one) => one.id === id);
  if (probe === undefined) throw new Error(`There is no probe ${id}.`);
  return probe;
}
