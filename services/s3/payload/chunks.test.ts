import { createHash } from 'node:crypto';
import * as fc from 'fast-check';
import { scopeText, signatureOf, signingKey } from '../auth/canonical.ts';
import { readChunks, type ChunkSigning } from './chunks.ts';

const scope = { day: '20260131', region: 'in-west' };
const signing: ChunkSigning = {
  key: signingKey('a secret', scope),
  time: '20260131T093000Z',
  scope,
  seed: 'a'.repeat(64),
};
const sha256 = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex');
const trailer = 'x-amz-checksum-crc32:AAAAAA==';

/** A body as a client frames it. */
function framed(chunks: readonly Uint8Array[], isSigned: boolean, hasTrailer: boolean): Buffer {
  let previous = signing.seed;
  const sign = (kind: string, hashes: string[]): string => {
    const text = [`AWS4-HMAC-SHA256-${kind}`, signing.time, scopeText(scope), previous, ...hashes].join('\n');
    previous = signatureOf(signing.key, text);
    return previous;
  };
  const head = (chunk: Uint8Array): string =>
    isSigned
      ? `${chunk.length.toString(16)};chunk-signature=${sign('PAYLOAD', [sha256(''), sha256(chunk)])}\r\n`
      : `${chunk.length.toString(16)}\r\n`;
  const parts = [...chunks.filter(({ length }) => length > 0), Buffer.alloc(0)].flatMap((chunk) =>
    chunk.length === 0 ? [head(chunk)] : [head(chunk), chunk, '\r\n'],
  );
  const end = !hasTrailer
    ? '\r\n'
    : isSigned
      ? `${trailer}\r\nx-amz-trailer-signature:${sign('TRAILER', [sha256(`${trailer}\n`)])}\r\n\r\n`
      : `${trailer}\n\r\n`;
  return Buffer.concat([...parts, end].map((part) => Buffer.from(part)));
}

async function* pieces(bytes: Buffer, size: number): AsyncGenerator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
}

async function read(
  bytes: Buffer,
  size: number,
  isSigned: boolean,
  hasTrailer: boolean,
): Promise<{ bytes: Buffer; trailers: Map<string, string> }> {
  const trailers = new Map<string, string>();
  const framing = { signing: isSigned ? signing : null, hasTrailer };
  const read = await Array.fromAsync(readChunks(pieces(bytes, size), framing, trailers), (piece) => Buffer.from(piece));
  return { bytes: Buffer.concat(read), trailers };
}

/** Chunks of which only the last may be short. */
const chunkLists = fc
  .tuple(
    fc.array(fc.uint8Array({ minLength: 8192, maxLength: 8400 }), { maxLength: 3 }),
    fc.uint8Array({ maxLength: 300 }),
  )
  .map(([long, last]) => [...long, last]);
const kinds = [
  [true, true],
  [true, false],
  [false, true],
] as const;

describe.each(kinds)('a body in chunks (signed: %s, with trailer: %s)', (isSigned, hasTrailer) => {
  it('is read as it was framed, in pieces of any size', async () => {
    await fc.assert(
      fc.asyncProperty(chunkLists, fc.integer({ min: 1, max: 9000 }), async (chunks, size) => {
        const found = await read(framed(chunks, isSigned, hasTrailer), size, isSigned, hasTrailer);
        expect(found.bytes.equals(Buffer.concat(chunks))).toBe(true);
        expect([...found.trailers]).toEqual(hasTrailer ? [['x-amz-checksum-crc32', 'AAAAAA==']] : []);
      }),
      { numRuns: 40 },
    );
  });

  it('that is cut off is refused', async () => {
    await fc.assert(
      fc.asyncProperty(chunkLists, fc.double({ min: 0, max: 0.98, noNaN: true }), async (chunks, share) => {
        const whole = framed(chunks, isSigned, false);
        // Without content the last chunk is all there is: nothing of it is left.
        const cut = whole.subarray(0, Math.max(0, Math.floor((whole.length - (isSigned ? 90 : 6)) * share)));
        await expect(read(cut, 1000, isSigned, false)).rejects.toMatchObject({ name: 'Fault' });
      }),
      { numRuns: 40 },
    );
  });
});

it('a signed body with any changed byte is refused, or has the same content', async () => {
  await fc.assert(
    fc.asyncProperty(chunkLists, fc.nat(), fc.integer({ min: 1, max: 255 }), async (chunks, at, change) => {
      const bytes = framed(chunks, true, true);
      bytes[at % bytes.length]! ^= change;
      const found = await read(bytes, 777, true, true).then(
        ({ bytes: content }) => content,
        (error: unknown) => error,
      );
      if (Buffer.isBuffer(found)) expect(found.equals(Buffer.concat(chunks))).toBe(true);
      else expect(found).toMatchObject({ name: 'Fault' });
    }),
    { numRuns: 400 },
  );
});

it('chunks before the last have at least 8192 bytes', async () => {
  const chunks = [Buffer.alloc(100), Buffer.alloc(8192)];
  await expect(read(framed(chunks, true, false), 500, true, false)).rejects.toMatchObject({
    code: 'InvalidChunkSizeError',
  });
});
