import { variableNames } from "../variables.ts";

/** A variable that an imported server needs. */
export interface NeededVariable {
  readonly name: string;
  readonly server: string;
  /** Where its value is to be found: `env.API_KEY in /home/ann/.cursor/mcp.json`. */
  readonly source: string;
  /** True where the environment holds it; of a secret that was left behind, that very value. */
  readonly isSet: boolean;
}

/** Gives secrets their names. */
export interface VariableNames {
  /** Marks the variables of a text as somebody else's. */
  readonly reserve: (text: string) => void;
  /** The name for a value: `preferred`, unless it stands for another value; then with the server's name before it. */
  readonly nameOf: (preferred: string, server: string, value: string) => string;
}

/** Creates the names of one import. The same value under the same name is one variable. */
export function createVariableNames(env: Readonly<Record<string, string | undefined>>): VariableNames {
  const values = new Map<string, string | undefined>();
  const isFree = (name: string, value: string): boolean =>
    (!values.has(name) || values.get(name) === value) && (env[name] === undefined || env[name] === value);
  return {
    reserve: (text) => {
      for (const name of variableNames(text)) values.set(name, undefined);
    },
    nameOf: (preferred, server, value) => {
      const short = variableName(preferred);
      const long = short.startsWith(variableName(server)) ? short : variableName(`${server}_${preferred}`);
      let name = isFree(short, value) ? short : long;
      for (let number = 2; !isFree(name, value); number += 1) name = `${long}_${number}`;
      values.set(name, value);
      return name;
    },
  };
}

/** `x-api-key` as `X_API_KEY`. */
function variableName(text: string): string {
  const name = text
    .replace(/[^A-Za-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "")
    .toUpperCase();
  return /^[A-Z]/.test(name) ? name : `MCP_${name}`;
}
