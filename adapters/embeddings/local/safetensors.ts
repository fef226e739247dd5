import type { FloatTensor } from '../../../models/onnx/quantisation.ts';

/**
 * Returns a tensor by name. @throws Error if it is missing or does not have the expected shape
 */
export type TensorSource = (name: string, shape: readonly number[]) => FloatTensor;

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isNumberList(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((member) => Number.isSafeInteger(member) && member >= 0);
}

/**
 * Reads 32-bit float tensors from a safetensors file: an unsigned 64-bit length of the header (little endian), the
 * header as JSON (name -> dtype, shape, data_offsets), then the tensors' bytes.
 * Format: https://github.com/huggingface/safetensors#format
 */
export function readSafetensors(file: Buffer): TensorSource {
  const headerLength = file.length < 8 ? Number.NaN : Number(file.readBigUInt64LE(0));
  if (!(headerLength > 0 && 8 + headerLength <= file.length))
    throw new Error('not a safetensors file: its header does not fit');
  const header: unknown = JSON.parse(file.toString('utf8', 8, 8 + headerLength));
  if (!isObject(header)) throw new Error('not a safetensors file: its header is no object');
  const data = file.subarray(8 + headerLength);
  return (name, shape) => {
    const entry = header[name];
    if (!isObject(entry)) throw new Error(`tensor ${name} is missing`);
    const { dtype, shape: found, data_offsets: offsets } = entry;
    if (dtype !== 'F32') throw new Error(`tensor ${name} is ${String(dtype)}; only F32 is read`);
    if (!isNumberList(found) || !isNumberList(offsets)) throw new Error(`tensor ${name} is not described well`);
    if (found.join() !== shape.join())
      throw new Error(`tensor ${name} has the shape [${found.join()}] and not [${shape.join()}]`);
    const [begin = 0, end = 0] = offsets;
    const count = shape.reduce((product, size) => product * size, 1);
    if (end - begin !== count * 4 || end > data.length)
      throw new Error(`tensor ${name} has ${end - begin} bytes and not ${count * 4}`);
    // Copied, because the file's offsets need not be multiples of four.
    return { shape, values: new Float32Array(Uint8Array.from(data.subarray(begin, end)).buffer) };
  };
}
