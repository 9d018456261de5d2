import type { Evaluated } from "../guest-contract.ts";
import { toJsonText } from "./json.ts";
import { apply, promiseThen } from "./primordials.ts";
import { nextTickTimers } from "./timers.ts";

/** How the script's module ended: its value as JSON text, or what it threw; the host has that described. */
type Outcome =
  | { readonly isValue: true; readonly text: string }
  | { readonly isValue: false; readonly thrown: unknown };

let outcome: Outcome | undefined;

/**
 * Follows the script's module to the run's value: the default export, or what it gives when it is a function; a
 * promise is awaited. The value is taken when it settles; timers of the next tick made until then still fire.
 */
export function follow(evaluated: Evaluated, value: unknown, args: unknown): void {
  const valueOf = async (namespace: { readonly default?: unknown }): Promise<string> => {
    const exported = namespace.default;
    const isFunction = typeof exported === "function";
    const given: unknown = await (isFunction ? apply(exported as () => unknown, undefined, [args]) : exported);
    return toJsonText(given, "value");
  };
  const settle = async (settled: Outcome): Promise<void> => {
    await nextTickTimers();
    outcome = settled;
  };
  const failed = (thrown: unknown): Promise<void> => settle({ isValue: false, thrown });
  if (evaluated === "thrown") return void failed(value);
  const namespace = value as { readonly default?: unknown };
  const text = evaluated === "promise" ? promiseThen(value as Promise<unknown>, valueOf as never) : valueOf(namespace);
  const gave = (given: string): Promise<void> => settle({ isValue: true, text: given });
  promiseThen(text as Promise<unknown>, gave as never, failed as never);
}

export function hasOutcome(): boolean {
  return outcome !== undefined;
}

export function isValue(): boolean {
  return outcome?.isValue === true;
}

export function valueText(): string {
  return outcome?.isValue === true ? outcome.text : "";
}

export function thrownValue(): unknown {
  return outcome?.isValue === false ? outcome.thrown : undefined;
}
