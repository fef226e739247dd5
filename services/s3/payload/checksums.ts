import { createHash, type Hash } from 'node:crypto';
import { createXXHash3, createXXHash64, createXXHash128, type IHasher } from 'hash-wasm';
import { Fault } from '../protocol/faults.ts';
import { Crc32, Crc32c, Crc64Nvme, nvme, type RunningChecksum } from '../../../mixins/storage/crc.ts';

/** Algorithms of checksums, as the protocol names them. */
export const checksumAlgorithms = [
  'CRC32',
  'CRC32C',
  'CRC64NVME',
  'MD5',
  'SHA1',
  'SHA256',
  'SHA512',
  'XXHASH128',
  'XXHASH3',
  'XXHASH64',
] as const;
/** An algorithm of checksums. */
export type ChecksumAlgorithm = (typeof checksumAlgorithms)[number];

/** Bytes of a checksum. */
export const checksumBytes: { readonly [A in ChecksumAlgorithm]: number } = {
  CRC32: 4,
  CRC32C: 4,
  CRC64NVME: 8,
  MD5: 16,
  SHA1: 20,
  SHA256: 32,
  SHA512: 64,
  XXHASH128: 16,
  XXHASH3: 8,
  XXHASH64: 8,
};

/** Whether a text is a checksum in base64. */
export function isChecksum(algorithm: ChecksumAlgorithm, text: string): boolean {
  const bytes = Buffer.from(text, 'base64');
  return bytes.length === checksumBytes[algorithm] && bytes.toString('base64') === text;
}

/** The algorithm with a name in any letter case; null if there is none. */
export function algorithmNamed(name: string): ChecksumAlgorithm | null {
  return checksumAlgorithms.find((each) => each === name.toUpperCase()) ?? null;
}

/** The algorithm that a client asks for. @throws Fault `InvalidRequest` */
export function requireAlgorithm(name: string): ChecksumAlgorithm {
  const algorithm = algorithmNamed(name);
  if (algorithm === null)
    throw new Fault('InvalidRequest', {
      message: `Checksum algorithm provided is unsupported. Please try again with any of the valid types: [${checksumAlgorithms.join(', ')}]`,
    });
  return algorithm;
}

class Digest implements RunningChecksum {
  readonly #hash: Hash;

  constructor(name: string) {
    this.#hash = createHash(name);
  }

  update(bytes: Uint8Array): void {
    this.#hash.update(bytes);
  }

  digest(): Buffer {
    return this.#hash.digest();
  }
}

/**
 * A checksum by a hash in WebAssembly that all transfers share: between two pieces its state lies here, so that a transfer
 * needs no memory of WebAssembly of its own.
 */
class SharedHash implements RunningChecksum {
  readonly #hasher: IHasher;
  #state: Uint8Array;

  constructor(hasher: IHasher) {
    this.#hasher = hasher;
    this.#state = hasher.init().save();
  }

  update(bytes: Uint8Array): void {
    this.#state = this.#hasher.load(this.#state).update(bytes).save();
  }

  digest(): Buffer {
    return Buffer.from(this.#hasher.load(this.#state).digest('binary'));
  }
}

const [xxHash128, xxHash3, xxHash64] = await Promise.all([createXXHash128(), createXXHash3(), createXXHash64()]);

const newChecksums: { readonly [A in ChecksumAlgorithm]: () => RunningChecksum } = {
  CRC32: () => new Crc32(),
  CRC32C: () => new Crc32c(),
  CRC64NVME: () => new Crc64Nvme(),
  MD5: () => new Digest('md5'),
  SHA1: () => new Digest('sha1'),
  SHA256: () => new Digest('sha256'),
  SHA512: () => new Digest('sha512'),
  XXHASH128: () => new SharedHash(xxHash128),
  XXHASH3: () => new SharedHash(xxHash3),
  XXHASH64: () => new SharedHash(xxHash64),
};

/** A checksum of no bytes yet. */
export function newChecksum(algorithm: ChecksumAlgorithm): RunningChecksum {
  return newChecksums[algorithm]();
}

const polynomials: { readonly [A in ChecksumAlgorithm]?: { width: bigint; polynomial: bigint } } = {
  CRC32: { width: 32n, polynomial: 0xedb88320n },
  CRC32C: { width: 32n, polynomial: 0x82f63b78n },
  CRC64NVME: { width: 64n, polynomial: nvme },
};

/** Multiplies two polynomials over GF(2), reflected, modulo that of the algorithm. */
function multiplied(one: bigint, other: bigint, { width, polynomial }: { width: bigint; polynomial: bigint }): bigint {
  let product = 0n;
  let factor = other;
  for (let bit = width - 1n; bit >= 0n; bit -= 1n) {
    if (((one >> bit) & 1n) === 1n) product ^= factor;
    factor = (factor & 1n) === 1n ? (factor >> 1n) ^ polynomial : factor >> 1n;
  }
  return product;
}

/** Whether checksums of parts can be combined to that of the whole. */
export function isCombinable(algorithm: ChecksumAlgorithm): boolean {
  return polynomials[algorithm] !== undefined;
}

/**
 * The CRC of bytes of which the CRCs of consecutive parts are known: each is moved behind by the bytes that follow, that
 * is, multiplied by x to the power of their bits (as zlib's crc32_combine does).
 */
export function combined(algorithm: ChecksumAlgorithm, parts: readonly { value: Buffer; bytes: number }[]): Buffer {
  const field = polynomials[algorithm];
  if (field === undefined) throw new Error(`checksums of ${algorithm} cannot be combined`);
  const { width } = field;
  // x to the power of 0 has the highest bit alone, in reflected form.
  const unit = 1n << (width - 1n);
  const behind = (crc: bigint, bytes: number): bigint => {
    let power = unit >> 8n;
    let shift = unit;
    for (let left = BigInt(bytes); left > 0n; left >>= 1n) {
      if ((left & 1n) === 1n) shift = multiplied(shift, power, field);
      power = multiplied(power, power, field);
    }
    return multiplied(crc, shift, field);
  };
  let crc = 0n;
  for (const { value, bytes } of parts) crc = behind(crc, bytes) ^ BigInt(`0x${value.toString('hex')}`);
  return Buffer.from(crc.toString(16).padStart(Number(width) / 4, '0'), 'hex');
}
