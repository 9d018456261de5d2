/** The vector, brought to length 1 in place; one of zeros stays. */
export function normalized(vector: Float32Array): Float32Array {
  let sum = 0;
  for (let at = 0; at < vector.length; at += 1) sum += (vector[at] ?? 0) ** 2;
  const length = Math.sqrt(sum);
  if (length > 0) for (let at = 0; at < vector.length; at += 1) vector[at] = (vector[at] ?? 0) / length;
  return vector;
}
