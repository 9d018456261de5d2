/** The part of the standard `WebAssembly` that the sandbox uses; the types of Node 20 leave it out. */
declare namespace WebAssembly {
  interface Module {
    readonly __module: never;
  }
  const Module: new (bytes: Uint8Array<ArrayBuffer>) => Module;
  function compile(bytes: Uint8Array<ArrayBuffer>): Promise<Module>;
  type Exports = Record<string, unknown>;
  type Imports = Record<string, Record<string, unknown>>;
  interface Instance {
    readonly exports: Exports;
  }
  const Instance: new (module: Module, imports: Imports) => Instance;
  interface Memory {
    readonly buffer: ArrayBuffer;
  }
  const Memory: new (descriptor: { readonly initial: number; readonly maximum: number }) => Memory;
  interface Table {
    grow(by: number): number;
    set(index: number, value: unknown): void;
  }
}
