import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

const PIECES: Readonly<Record<string, readonly [number, number]>> = {
  "[UNK]": [9, 9],
  rain: [1, 0],
  weather: [1, 0],
  fore: [1, 0],
  "##cast": [1, 0.5],
  invoice: [0, 1],
};

/** Halves of the numbers above. */
const HALVES: ReadonlyMap<number, number> = new Map([
  [9, 0x4880],
  [1, 0x3c00],
  [0, 0],
  [0.5, 0x3800],
]);

/** Writes a model in model2vec's form into the folder `path`: pieces of words with a vector of two numbers each. */
export async function writeStaticModel(
  path: string,
  {
    dtype = "F32",
    pieces = PIECES,
  }: { readonly dtype?: "F32" | "F16"; readonly pieces?: typeof PIECES } = {},
): Promise<void> {
  const rows = Object.values(pieces);
  const width = dtype === "F32" ? 4 : 2;
  const numbers = Buffer.alloc(rows.length * 2 * width);
  for (const [at, value] of rows.flat().entries())
    if (width === 4) numbers.writeFloatLE(value, at * 4);
    else numbers.writeUInt16LE(HALVES.get(value) ?? 0, at * 2);
  const header = Buffer.from(
    JSON.stringify({ embeddings: { dtype, shape: [rows.length, 2], data_offsets: [0, numbers.length] } }),
  );
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(header.length));
  const vocab = Object.fromEntries(Object.keys(pieces).map((piece, at) => [piece, at]));
  await mkdir(path, { recursive: true });
  await writeFile(join(path, "model.safetensors"), Buffer.concat([length, header, numbers]));
  await writeFile(join(path, "tokenizer.json"), JSON.stringify({ model: { type: "WordPiece", vocab } }));
}
