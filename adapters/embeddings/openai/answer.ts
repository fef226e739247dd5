/** Whether a parsed value is an object with fields. */
function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Normalises numbers to a unit vector. @throws Error for another size, a value that is no finite number, or a zero
 * vector.
 */
function unitVector(numbers: readonly unknown[], dimensions: number): Float32Array {
  if (numbers.length !== dimensions)
    throw new Error(`answered a vector of ${numbers.length} numbers and not ${dimensions}`);
  let squares = 0;
  for (const value of numbers) {
    if (typeof value !== 'number' || !Number.isFinite(value))
      throw new Error('answered a vector with something that is no finite number');
    squares += value * value;
  }
  const size = Math.sqrt(squares);
  if (!(size > 1e-12 && Number.isFinite(size))) throw new Error('answered a vector without a direction');
  return Float32Array.from(numbers, (value) => Number(value) / size);
}

/**
 * The vectors of an answer of `/v1/embeddings`, in the order of the texts. Items have an `index`
 * (https://platform.openai.com/docs/api-reference/embeddings/object); some servers omit it, then the order of the items
 * is used. Vectors are normalised to unit length.
 * @throws Error with the reason if the answer is malformed.
 */
export function vectorsOfAnswer(body: string, texts: number, dimensions: number): Float32Array[] {
  const parsed: unknown = JSON.parse(body);
  const data = isObject(parsed) ? parsed['data'] : undefined;
  if (!Array.isArray(data)) throw new Error('answered without data');
  if (data.length !== texts) throw new Error(`answered ${data.length} vectors for ${texts} texts`);
  const vectors = new Map<number, Float32Array>();
  for (const [position, item] of (data as readonly unknown[]).entries()) {
    if (!isObject(item)) throw new Error('answered an item that is no object');
    const { embedding } = item;
    const index = item['index'] ?? position;
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= texts || vectors.has(index))
      throw new Error('answered an item whose index is wrong');
    if (!Array.isArray(embedding)) throw new Error('answered an item without an embedding');
    vectors.set(index, unitVector(embedding, dimensions));
  }
  return Array.from({ length: texts }, (_, index) => {
    const vector = vectors.get(index);
    if (vector === undefined) throw new Error('left out a vector');
    return vector;
  });
}
