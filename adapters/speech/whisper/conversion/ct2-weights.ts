import { halfFloat } from '../../../../models/onnx/half-float.ts';
import type { FloatTensor } from '../../../../models/onnx/quantisation.ts';

/** Binary version of the files that are read. */
const supportedVersion = 6;
/** Types of tensors in the file; the others do not occur in a model of 16-bit floats. */
const types = { float32: 0, int8: 1, int16: 2, int32: 3, float16: 4 } as const;

interface Entry {
  shape: readonly number[];
  type: number;
  bytes: Buffer;
}

/** Reads little-endian fields one after the other. */
class FieldReader {
  readonly #file: Buffer;
  #at = 0;

  constructor(file: Buffer) {
    this.#file = file;
  }

  /** The next bytes. @throws Error where the file ends before. */
  bytes(count: number): Buffer {
    if (this.#at + count > this.#file.length) throw new Error('model.bin is truncated');
    this.#at += count;
    return this.#file.subarray(this.#at - count, this.#at);
  }

  byte(): number {
    return this.bytes(1).readUInt8();
  }

  integer(): number {
    return this.bytes(4).readUInt32LE();
  }

  /** A length with the final NUL counted, the characters, and NUL. */
  text(): string {
    const length = this.bytes(2).readUInt16LE();
    return this.bytes(length).toString('utf8', 0, Math.max(0, length - 1));
  }
}

/**
 * The weights of a model in CTranslate2's format (model.bin, binary version 6;
 * https://github.com/OpenNMT/CTranslate2, `src/models/model.cc`): version, name and revision of the specification, then
 * the tensors (name, rank, sides, type, number of bytes, data), then names that stand for other tensors.
 */
export class Ct2Weights {
  /** Name of the specification, such as `WhisperSpec`. */
  readonly specification: string;
  readonly #tensors = new Map<string, Entry>();

  /** @throws Error where the file has another format or is truncated. */
  constructor(file: Buffer) {
    const fields = new FieldReader(file);
    const version = fields.integer();
    if (version !== supportedVersion)
      throw new Error(`model.bin has binary version ${version}; only ${supportedVersion} is read`);
    this.specification = fields.text();
    // The revision of the specification.
    fields.integer();
    for (let left = fields.integer(); left > 0; left--) {
      const name = fields.text();
      const shape = Array.from({ length: fields.byte() }, () => fields.integer());
      const type = fields.byte();
      this.#tensors.set(name, { shape, type, bytes: fields.bytes(fields.integer()) });
    }
    for (let left = fields.integer(); left > 0; left--) {
      const alias = fields.text();
      this.#tensors.set(alias, this.#entry(fields.text()));
    }
  }

  #entry(name: string): Entry {
    const entry = this.#tensors.get(name);
    if (entry === undefined) throw new Error(`tensor ${name} is missing`);
    return entry;
  }

  has(name: string): boolean {
    return this.#tensors.has(name);
  }

  /** The sides of a tensor. @throws Error where it is missing. */
  shape(name: string): readonly number[] {
    return this.#entry(name).shape;
  }

  /** A tensor of 16-bit or 32-bit floats. @throws Error where it is missing or of another type. */
  floats(name: string): FloatTensor {
    const { shape, type, bytes } = this.#entry(name);
    const count = shape.reduce((product, side) => product * side, 1);
    const width = type === types.float16 ? 2 : 4;
    if (type !== types.float16 && type !== types.float32)
      throw new Error(`tensor ${name} has the type ${type}; only floats are read`);
    if (bytes.length !== count * width)
      throw new Error(`tensor ${name} has ${bytes.length} bytes and not ${count * width}`);
    const values = new Float32Array(count);
    for (let index = 0; index < count; index++)
      values[index] = type === types.float16 ? halfFloat(bytes.readUInt16LE(2 * index)) : bytes.readFloatLE(4 * index);
    return { shape, values };
  }

  /** A setting, which is stored as a tensor of one integer. @throws Error where it is missing or of another type. */
  integer(name: string): number {
    const { type, bytes } = this.#entry(name);
    if (type === types.int8) return bytes.readInt8();
    if (type === types.int16) return bytes.readInt16LE();
    if (type === types.int32) return bytes.readInt32LE();
    throw new Error(`tensor ${name} has the type ${type} and is no integer`);
  }
}
