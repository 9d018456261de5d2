import variant from "@jitl/quickjs-wasmfile-release-sync";
import {
  type JSRuntimePointer,
  newQuickJSWASMModuleFromVariant,
  newVariant,
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  type QuickJSSyncVariant,
} from "quickjs-emscripten-core";
import { type Collector, createCollector } from "./collector.ts";
import { type Crossing, createCrossing, type HostCall, installHostFunction } from "./crossing.ts";
import { type GuestHooks, PRELUDE_FILE, REGISTERS } from "./guest-contract.ts";
import { createHeapGauge, type HeapGauge } from "./heap-gauge.ts";
import { type EngineValueFunctions, placeChangedBy, trackRejections } from "./rejection-tracker.ts";

/** The engine with the guest library in it, ready for one script. */
export interface Instance {
  readonly runtime: QuickJSRuntime;
  readonly context: QuickJSContext;
  readonly gauge: HeapGauge;
  /** Calls a function of the guest library. @throws GuestFailure when the guest throws, also for want of memory */
  readonly call: (
    hook: HookName,
    ...args: readonly (string | number | boolean | QuickJSHandle)[]
  ) => QuickJSHandle;
  /** The same for the one that takes each answer. @throws GuestFailure, NoRoom */
  readonly deliver: (text: string, mark: string) => void;
  /** Runs at most so many of the guest's jobs, and gives what one of them threw. */
  readonly runJobs: (maxJobs: number) => QuickJSHandle | undefined;
  /** See `REGISTER`. */
  readonly registers: Float64Array;
  /** Unhandled rejections so far; see `rejection-tracker.ts`. */
  readonly takeRejections: () => readonly QuickJSHandle[];
}

export type HookName = keyof GuestHooks;

/** The guest threw where the host called it; `value` is what it threw. */
export class GuestFailure extends Error {
  readonly value: QuickJSHandle;
  constructor(value: QuickJSHandle) {
    super("The guest threw.");
    this.value = value;
  }
}

/** What the library keeps to itself and the rejection tracker needs; the version is pinned. */
interface RuntimeInternals {
  readonly rt: { readonly value: JSRuntimePointer };
  readonly module: { _malloc(bytes: number): number };
  readonly ffi: EngineValueFunctions;
}

/** A quarter MiB in a thread whose own stack is 64 times as large: measured, every deep nesting stays a guest error. */
const GUEST_STACK_BYTES = 256 * 1024;

/** Static data, the engine's C stack and a fresh context take 5.2 MiB; the gauge looks no higher for the start. */
const FRESH_HEAP_BYTES = 12 * 1024 * 1024;

const PAGE_BYTES = 65_536;
const VALUE_BYTES = 8;

/**
 * Makes a fresh engine in memory of its own: `memoryBytes` reserved at once and never more. (The engine's own limit
 * counts blocks, not bytes; and memory that grows during a call leaves the library with a detached view.)
 */
export async function createInstance(options: {
  readonly engine: WebAssembly.Module;
  readonly memoryBytes: number;
  readonly prelude: string;
  readonly onCall: HostCall;
  readonly onInterrupt: () => boolean;
}): Promise<Instance> {
  const pages = Math.ceil(options.memoryBytes / PAGE_BYTES);
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
  let instance: WebAssembly.Instance | undefined;
  // The package's types describe its CommonJS form, where the variant is one level deeper.
  const own = newVariant(variant as unknown as QuickJSSyncVariant, {
    wasmMemory: memory,
    emscriptenModule: {
      instantiateWasm: (imports, onSuccess) => {
        instance = new WebAssembly.Instance(options.engine, imports);
        onSuccess(instance);
        return instance.exports;
      },
    },
  });
  const module = await newQuickJSWASMModuleFromVariant(own);
  const runtime = module.newRuntime();
  const internals = runtime as unknown as RuntimeInternals;
  const runtimePointer = internals.rt.value;
  const collectorOf = createCollector(memory, runtimePointer);
  let collector: Collector | undefined;
  const onInterrupt = (): boolean => {
    collector?.onTick();
    return options.onInterrupt();
  };
  const handlerPlace = placeChangedBy(memory, runtimePointer, () => runtime.setInterruptHandler(onInterrupt));
  if (instance === undefined || handlerPlace === undefined)
    throw new Error("The engine is not laid out as expected; its version must be the one that is pinned.");
  runtime.setMaxStackSize(GUEST_STACK_BYTES);
  const context = runtime.newContext();
  const tracker = trackRejections({
    instance,
    memory,
    runtime: runtimePointer,
    handlerPlace,
    cell: internals.module._malloc(VALUE_BYTES),
    values: internals.ffi,
  });

  const crossing = createCrossing(context, memory);
  installHostFunction(context, memory, options.onCall);
  const hooks = installPrelude(context, options.prelude);
  const call: Instance["call"] = (hook, ...args) => {
    const handles = args.map((value) => toHandle(context, crossing, value));
    const result = context.callFunction(hooks(hook), context.undefined, handles);
    args.forEach((value, index) => {
      if (typeof value === "string" || typeof value === "number") handles[index]?.dispose();
    });
    if (result.error !== undefined) throw new GuestFailure(result.error);
    return result.value;
  };
  const takesAnswers = hooks("deliver");
  const deliver = (text: string, mark: string): void => {
    const thrown = crossing.call(takesAnswers, mark === "" ? [text] : [text, mark]);
    if (thrown !== undefined) throw new GuestFailure(thrown);
  };
  const { numbers, buffer } = crossing.shareNumbers(REGISTERS);
  call("attach", buffer).dispose();
  const gauge = createHeapGauge(memory, FRESH_HEAP_BYTES);
  collector = collectorOf(gauge);
  return {
    runtime,
    context,
    gauge,
    call,
    deliver,
    runJobs: crossing.runJobs,
    registers: numbers,
    takeRejections: () =>
      tracker.take().map((value) => context.getMemory(runtimePointer).heapValueHandle(value)),
  };
}

function installPrelude(context: QuickJSContext, prelude: string): (name: HookName) => QuickJSHandle {
  context.unwrapResult(context.evalCode(prelude, PRELUDE_FILE)).dispose();
  const hooks = context.getProp(context.global, "mcpfsHooks");
  context.unwrapResult(context.evalCode("delete globalThis.mcpfsHooks", PRELUDE_FILE)).dispose();
  const known = new Map<HookName, QuickJSHandle>();
  return (name) => {
    const hook = known.get(name) ?? context.getProp(hooks, name);
    known.set(name, hook);
    return hook;
  };
}

function toHandle(
  context: QuickJSContext,
  crossing: Crossing,
  value: string | number | boolean | QuickJSHandle,
): QuickJSHandle {
  if (typeof value === "string") return crossing.newText(value);
  if (typeof value === "number") return context.newNumber(value);
  if (typeof value === "boolean") return value ? context.true : context.false;
  return value;
}
