import * as fc from 'fast-check';
import { checksumAlgorithms, combined, isCombinable, newChecksum, type ChecksumAlgorithm } from './checksums.ts';

function checksumOf(algorithm: ChecksumAlgorithm, ...pieces: Uint8Array[]): Buffer {
  const checksum = newChecksum(algorithm);
  for (const piece of pieces) checksum.update(piece);
  return checksum.digest();
}

describe('checksums', () => {
  it.each<[ChecksumAlgorithm, string, string]>([
    ['CRC32', '123456789', 'cbf43926'],
    ['CRC32C', '123456789', 'e3069283'],
    ['CRC64NVME', '123456789', 'ae8b14860a799888'],
    ['MD5', 'abc', '900150983cd24fb0d6963f7d28e17f72'],
    ['SHA1', 'abc', 'a9993e364706816aba3e25717850c26c9cd0d89d'],
    ['SHA256', 'abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
    [
      'SHA512',
      'abc',
      'ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f',
    ],
    ['XXHASH64', 'dummy data', 'bd83a6169b065ed6'],
    ['XXHASH3', 'dummy data', 'f49eb1c76d57f9ff'],
    ['XXHASH128', 'dummy data', '99e9e809938267601cbf85ccc5a511f7'],
  ])('%s of %s is known', (algorithm, text, hex) => {
    expect(checksumOf(algorithm, Buffer.from(text)).toString('hex')).toBe(hex);
  });

  it.each(checksumAlgorithms)('%s does not depend on the pieces', (algorithm) => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 40 }), { maxLength: 6 }), (pieces) => {
        expect(checksumOf(algorithm, ...pieces)).toEqual(checksumOf(algorithm, Buffer.concat(pieces)));
      }),
    );
  });

  it.each(checksumAlgorithms.filter(isCombinable))('%s of parts is combined to that of the whole', (algorithm) => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 70 }), { minLength: 1, maxLength: 6 }), (parts) => {
        const known = parts.map((part) => ({ value: checksumOf(algorithm, part), bytes: part.length }));
        expect(combined(algorithm, known)).toEqual(checksumOf(algorithm, Buffer.concat(parts)));
      }),
    );
  });
});
