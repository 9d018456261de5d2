import { REGISTERS } from "../guest-contract.ts";

/** Numbers that the host sees too; see `REGISTER`. */
export let registers: Float64Array = new Float64Array(REGISTERS);

export function attachRegisters(buffer: ArrayBuffer): void {
  registers = new Float64Array(buffer);
}
