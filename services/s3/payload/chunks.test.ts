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
  length: number,
): Promise<{ bytes: Buffer; trailing: string[] }> {
  const trailing: string[] = [];
  const framing = {
    signing: isSigned ? signing : null,
    hasTrailer,
    announced: hasTrailer ? 'x-amz-checksum-crc32' : null,
    bytes: length,
  };
  const chunks = readChunks(pieces(bytes, size), framing, (value) => trailing.push(value));
  return { bytes: Buffer.concat(await Array.fromAsync(chunks, (piece) => Buffer.from(piece))), trailing };
}

function lengthOf(chunks: readonly Uint8Array[]): number {
  return Buffer.concat(chunks).length;
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
        const found = await read(framed(chunks, isSigned, hasTrailer), size, isSigned, hasTrailer, lengthOf(chunks));
        expect(found.bytes.equals(Buffer.concat(chunks))).toBe(true);
        expect(found.trailing).toEqual(hasTrailer ? ['AAAAAA=='] : []);
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
        await expect(read(cut, 1000, isSigned, false, lengthOf(chunks))).rejects.toMatchObject({ name: 'Fault' });
      }),
      { numRuns: 40 },
    );
  });
});

it('hands on bytes that share their memory with nothing else, and gives back what it read', async () => {
  const chunks = [Buffer.alloc(20_000, 1), Buffer.alloc(300, 2)];
  const sent: Uint8Array[] = [];
  async function* received(): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces(framed(chunks, true, false), 7000)) {
      const own = new Uint8Array(piece);
      sent.push(own);
      yield own;
    }
  }
  const framing = { signing, hasTrailer: false, announced: null, bytes: lengthOf(chunks) };
  const found = await Array.fromAsync(readChunks(received(), framing, () => undefined));
  expect(found.map(({ buffer }) => buffer.byteLength)).toEqual(found.map(({ byteLength }) => byteLength));
  const handedOn = new Set<unknown>(found.map(({ buffer }) => buffer));
  const read = sent.filter(({ buffer }) => !handedOn.has(buffer));
  expect(read.length).toBeGreaterThan(0);
  expect(read.map(({ byteLength }) => byteLength)).toEqual(read.map(() => 0));
  expect(Buffer.concat(found).equals(Buffer.concat(chunks))).toBe(true);
});

it('a signed body with any changed byte is refused, or has the same content', async () => {
  await fc.assert(
    fc.asyncProperty(chunkLists, fc.nat(), fc.integer({ min: 1, max: 255 }), async (chunks, at, change) => {
      const bytes = framed(chunks, true, true);
      bytes[at % bytes.length]! ^= change;
      const found = await read(bytes, 777, true, true, lengthOf(chunks)).then(
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
  await expect(read(framed(chunks, true, false), 500, true, false, 8292)).rejects.toMatchObject({
    code: 'InvalidChunkSizeError',
  });
});

describe('a body in chunks with a trailer', () => {
  const crc32 = 'x-amz-checksum-crc32';
  const readAs = (text: string, announced: string | null, bytes = 5): Promise<unknown> =>
    Array.fromAsync(
      readChunks(pieces(Buffer.from(text), 3), { signing: null, hasTrailer: true, announced, bytes }, () => undefined),
    );

  it.each([
    ['5\r\nhello\r\n0\r\n\r\n', crc32],
    ['5\r\nhello\r\n0\r\n:NhCmhg==\r\n\r\n', crc32],
    [`5\r\nhello\r\n0\r\n${crc32}:NhCmhg==\r\n\r\n`, null],
    [`5\r\nhello\r\n0\r\n${crc32}c:NhCmhg==\r\n\r\n`, crc32],
  ])('%j is malformed where %s is announced', async (text, announced) => {
    await expect(readAs(text, announced)).rejects.toMatchObject({ code: 'MalformedTrailerError' });
  });

  it.each([
    ['5\nhello\r\n0\r\n\r\n', null],
    ['6\r\nhello\r\n0\r\n\r\n', null],
    ['5\r\nhello0\r\n\r\n', null],
    ['5\r\nhello\r\n0\r\n', null],
    [`5\r\nhello\r\n0\r\n${crc32}:NhCmhg==\r\n`, crc32],
    [`5\r\nhello\r\n0\r\n${crc32}:NhCmhg==\r\nmore:1\r\n\r\n`, crc32],
  ])('%j is broken off', async (text, announced) => {
    await expect(readAs(text, announced)).rejects.toMatchObject({
      code: 'IncompleteBody',
      message: 'The request body terminated unexpectedly',
    });
  });

  it.each([4, 6, 200])('has another length than %i bytes', async (bytes) => {
    await expect(readAs('5\r\nhello\r\n0\r\n\r\n', null, bytes)).rejects.toMatchObject({
      code: 'IncompleteBody',
      message: 'You did not provide the number of bytes specified by the Content-Length HTTP header',
    });
  });
});
