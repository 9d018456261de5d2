import { own, parseJson } from "../kernel/json.ts";

/** A table of numbers, row by row. */
export interface Tensor {
  readonly rows: number;
  readonly columns: number;
  readonly values: Float32Array;
}

/**
 * Reads one table of a safetensors file: eight bytes of length, a header in JSON, the numbers. Floats of 32 and of 16 bits.
 * @throws TypeError when the file has no such table
 */
export function readTensor(file: Buffer, name: string): Tensor {
  const headerLength = Number(file.readBigUInt64LE(0));
  const header = own(parseJson(file.toString("utf8", 8, 8 + headerLength)), name);
  const [rows, columns] = numbers(own(header, "shape"));
  const [start, end] = numbers(own(header, "data_offsets"));
  if (rows === undefined || columns === undefined || start === undefined || end === undefined)
    throw new TypeError(`no table ${name}`);
  const bytes = file.subarray(8 + headerLength + start, 8 + headerLength + end);
  const type = own(header, "dtype");
  const width = type === "F32" ? 4 : type === "F16" ? 2 : 0;
  if (width === 0 || bytes.length !== rows * columns * width) throw new TypeError(`odd table ${name}`);
  const values = new Float32Array(rows * columns);
  for (let at = 0; at < values.length; at += 1)
    values[at] = width === 4 ? bytes.readFloatLE(at * 4) : halfFloat(bytes.readUInt16LE(at * 2));
  return { rows, columns, values };
}

function numbers(value: unknown): readonly (number | undefined)[] {
  return Array.isArray(value) ? value.map((item) => (typeof item === "number" ? item : undefined)) : [];
}

/** IEEE 754 with 5 bits of exponent and 10 of fraction. */
function halfFloat(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0) return sign * 2 ** -14 * (fraction / 1024);
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return sign * 2 ** (exponent - 15) * (1 + fraction / 1024);
}
