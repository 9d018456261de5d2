import { describe } from "./describe.ts";
import { toJsonText } from "./json.ts";
import { apply, promiseThen } from "./primordials.ts";
import { nextTickTimers } from "./timers.ts";

/** How the script's module ended: its value as JSON text, or what it threw. */
let outcome: { readonly isValue: boolean; readonly text: string } | undefined;

/**
 * Follows the module's promise to the run's value: the default export, or what it gives when it is a function; a
 * promise is awaited. The value is taken when it settles; timers of the next tick made until then still fire.
 */
export function follow(module: Promise<{ readonly default?: unknown }>, args: unknown): void {
  const value = async (namespace: { readonly default?: unknown }): Promise<string> => {
    const exported = namespace.default;
    const given: unknown = typeof exported === "function" ? await apply(exported as () => unknown, undefined, [args]) : await exported;
    return toJsonText(given, "value");
  };
  const settle = async (isValue: boolean, text: string): Promise<void> => {
    await nextTickTimers();
    outcome = { isValue, text };
  };
  promiseThen(
    promiseThen(module, value as never) as Promise<string>,
    ((text: string) => settle(true, text)) as never,
    (error: unknown) => settle(false, describe(error)) as never,
  );
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
