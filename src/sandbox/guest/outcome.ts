import { SCRIPT_FILE } from "../../model/bundle.ts";
import { OUTCOME, REGISTER } from "../guest-contract.ts";
import { toJsonText } from "./json.ts";
import { apply, awaitable } from "./primordials.ts";
import { registers } from "./registers.ts";
import { nextTickTimers } from "./timers.ts";

/** How the script's module ended: its value as JSON text, or what it threw; the host has that described. */
type Outcome =
  | { readonly isValue: true; readonly text: string }
  | { readonly isValue: false; readonly thrown: unknown };

let outcome: Outcome | undefined;

/**
 * Follows the script's module to the run's value: the default export, or what it gives when it is a function; a
 * promise is awaited. The module is asked for by `import()`, which needs no function that a script can replace.
 */
export async function follow(args: unknown): Promise<void> {
  try {
    const module = (await awaitable(import(SCRIPT_FILE))) as { readonly default?: unknown };
    const exported = module.default;
    const isFunction = typeof exported === "function";
    const value: unknown = await (isFunction
      ? apply(exported as () => unknown, undefined, [args])
      : exported);
    await awaitable(settle({ isValue: true, text: toJsonText(value, "value") }));
  } catch (error) {
    await awaitable(fail(error));
  }
}

export async function fail(thrown: unknown): Promise<void> {
  await awaitable(settle({ isValue: false, thrown }));
}

/** The value is taken when it settles; timers of the next tick made until then still fire. */
async function settle(settled: Outcome): Promise<void> {
  await awaitable(nextTickTimers());
  outcome = settled;
  registers[REGISTER.outcome] = settled.isValue ? OUTCOME.value : OUTCOME.thrown;
}

export function valueText(): string {
  return outcome?.isValue === true ? outcome.text : "";
}

export function thrownValue(): unknown {
  return outcome?.isValue === false ? outcome.thrown : undefined;
}
