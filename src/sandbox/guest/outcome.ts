import type { Evaluated } from "../guest-contract.ts";
import { describe } from "./describe.ts";
import { toJsonText } from "./json.ts";
import { apply, promiseThen } from "./primordials.ts";
import { nextTickTimers } from "./timers.ts";

/** How the script's module ended: its value as JSON text, or what it threw. */
let outcome: { readonly isValue: boolean; readonly text: string } | undefined;

/**
 * Follows the script's module to the run's value: the default export, or what it gives when it is a function; a
 * promise is awaited. The value is taken when it settles; timers of the next tick made until then still fire.
 */
export function follow(evaluated: Evaluated, value: unknown, args: unknown): void {
  const valueOf = async (namespace: { readonly default?: unknown }): Promise<string> => {
    const exported = namespace.default;
    const given: unknown = typeof exported === "function" ? await apply(exported as () => unknown, undefined, [args]) : await exported;
    return toJsonText(given, "value");
  };
  const settle = async (isValue: boolean, text: string): Promise<void> => {
    await nextTickTimers();
    outcome = { isValue, text };
  };
  const failed = (error: unknown): Promise<void> => settle(false, describe(error));
  if (evaluated === "thrown") return void failed(value);
  const text = evaluated === "promise" ? promiseThen(value as Promise<unknown>, valueOf as never) : valueOf(value as object);
  promiseThen(text as Promise<unknown>, ((given: string) => settle(true, given)) as never, failed as never);
}

export function hasOutcome(): boolean {
  return outcome !== undefined;
}

export function isValue(): boolean {
  return outcome?.isValue === true;
}

export function outcomeText(): string {
  return outcome?.text ?? "";
}
