import { createHash } from 'node:crypto';
import { scopeText, signatureOf, type Scope } from '../auth/canonical.ts';
import { Fault } from '../protocol/faults.ts';

/** What chunks are signed with: the key and scope of the request, and its own signature as the first link. */
export interface ChunkSigning {
  key: Buffer;
  /** `YYYYMMDDThhmmssZ` */
  time: string;
  scope: Scope;
  seed: string;
}

/** How a body in chunks is framed. */
export interface ChunkFraming {
  /** Null: chunks are not signed. */
  signing: ChunkSigning | null;
  hasTrailer: boolean;
}

const emptyHash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
const maxLineBytes = 1024;
const maxTrailerBytes = 8192;
const maxChunkBytes = 2 ** 34;
/** Fewest bytes of a chunk that is not the last one with data. */
const minChunkBytes = 8192;

/** The fault of a framing that ends early, or is none. */
function brokenOff(): Fault {
  return new Fault('IncompleteBody', { message: 'The request body terminated unexpectedly' });
}

/** Reads lines and runs of bytes from pieces. */
export class PieceReader {
  readonly #pieces: AsyncIterator<Uint8Array>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(pieces: AsyncIterable<Uint8Array>) {
    this.#pieces = pieces[Symbol.asyncIterator]();
  }

  /** Bytes that were taken from the pieces and not handed on. */
  get buffered(): number {
    return this.#rest.length;
  }

  /** @returns false at the end */
  async #more(): Promise<boolean> {
    const next = await this.#pieces.next();
    if (next.done === true) return false;
    const { buffer, byteOffset, byteLength } = next.value;
    const piece = Buffer.from(buffer, byteOffset, byteLength);
    this.#rest = this.#rest.length === 0 ? piece : Buffer.concat([this.#rest, piece]);
    return true;
  }

  /** A line without its end; null at the end of the pieces. @throws Fault `IncompleteBody` where it is too long */
  async line(maxBytes: number = maxLineBytes): Promise<string | null> {
    for (let from = 0; ;) {
      const end = this.#rest.indexOf(10, from);
      if (end > maxBytes || (end < 0 && this.#rest.length > maxBytes)) throw brokenOff();
      if (end >= 0) {
        const line = this.#rest.toString('latin1', 0, end > 0 && this.#rest[end - 1] === 13 ? end - 1 : end);
        this.#rest = this.#rest.subarray(end + 1);
        return line;
      }
      from = this.#rest.length;
      if (!(await this.#more())) {
        if (this.#rest.length === 0) return null;
        const line = this.#rest.toString('latin1');
        this.#rest = Buffer.alloc(0);
        return line;
      }
    }
  }

  /** Exactly so many bytes, in pieces. @throws Fault `IncompleteBody` */
  async *bytes(count: number): AsyncGenerator<Buffer> {
    for (let left = count; left > 0;) {
      if (this.#rest.length === 0 && !(await this.#more())) throw brokenOff();
      const piece = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(piece.length);
      left -= piece.length;
      if (piece.length > 0) yield piece;
    }
  }

  async close(): Promise<void> {
    await this.#pieces.return?.();
  }
}

/** The size and the signature of a chunk's head. */
function headOf(line: string | null, isSigned: boolean): { bytes: number; signature: string } {
  const [, hex = '', signature = ''] =
    /^([0-9a-fA-F]{1,9})(?:;chunk-signature=([0-9a-f]{64}))?$/.exec(line ?? '') ?? [];
  if (hex === '') throw brokenOff();
  if (isSigned && signature === '') throw new Fault('SignatureDoesNotMatch');
  const bytes = Number.parseInt(hex, 16);
  if (bytes > maxChunkBytes) throw brokenOff();
  return { bytes, signature };
}

/**
 * The bytes of a body in `aws-chunked` framing, signed or not, with or without trailers. A chunk's bytes are handed on
 * before its signature was checked, so whoever stores them must drop them where this throws.
 * @param trailers is filled with the trailing headers, by their names in lower case
 * @throws Fault
 */
export async function* readChunks(
  pieces: AsyncIterable<Uint8Array>,
  { signing, hasTrailer }: ChunkFraming,
  trailers: Map<string, string>,
): AsyncGenerator<Buffer> {
  const reader = new PieceReader(pieces);
  let previous = signing?.seed ?? '';
  let isShort = false;
  const check = (kind: 'PAYLOAD' | 'TRAILER', signature: string, hashes: readonly string[]): void => {
    if (signing === null) return;
    const { time, scope, key } = signing;
    const text = [`AWS4-HMAC-SHA256-${kind}`, time, scopeText(scope), previous, ...hashes].join('\n');
    previous = signatureOf(key, text);
    if (previous !== signature) throw new Fault('SignatureDoesNotMatch');
  };
  try {
    for (;;) {
      const { bytes, signature } = headOf(await reader.line(), signing !== null);
      // A chunk after one that was too short: that one was not the last.
      if (bytes > 0 && isShort) throw new Fault('InvalidChunkSizeError');
      isShort = bytes < minChunkBytes;
      const hash = signing === null ? null : createHash('sha256');
      for await (const piece of reader.bytes(bytes)) {
        hash?.update(piece);
        yield piece;
      }
      check('PAYLOAD', signature, [emptyHash, hash?.digest('hex') ?? '']);
      if (bytes === 0) break;
      if ((await reader.line()) !== '') throw brokenOff();
    }
    const lines: string[] = [];
    let signature: string | null = null;
    let length = 0;
    for (let line = await reader.line(); line !== null; line = await reader.line()) {
      length += line.length;
      if (length > maxTrailerBytes) throw new Fault('MalformedTrailerError');
      if (line === '') continue;
      const colon = line.indexOf(':');
      const name = line.slice(0, colon).trim().toLowerCase();
      const value = line.slice(colon + 1).trim();
      if (colon <= 0 || !hasTrailer) throw brokenOff();
      if (name === 'x-amz-trailer-signature') {
        signature = value;
        continue;
      }
      trailers.set(name, value);
      lines.push(`${name}:${value}\n`);
    }
    if (hasTrailer && signing !== null) {
      const text = createHash('sha256').update(lines.join('')).digest('hex');
      check('TRAILER', signature ?? '', [text]);
    }
  } finally {
    await reader.close();
  }
}
