/** One export of a script, as its callers see it. */
export interface ScriptExport {
  /** `default` for the default export. */
  readonly name: string;
  readonly kind: "function" | "value" | "default";
  /** Of a function; empty for a value. */
  readonly parameters: readonly ScriptParameter[];
  /** Text of its doc comment without the marks; empty where there is none. */
  readonly doc: string;
}

export interface ScriptParameter {
  readonly name: string;
  /** TypeScript, on one line. */
  readonly type: string;
  readonly isOptional: boolean;
  readonly doc?: string;
}
