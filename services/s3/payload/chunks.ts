import { createHash, type KeyObject } from 'node:crypto';
import { giveBack } from '../../../adapters/objects/port.ts';
import { emptyHash, scopeText, signatureOf, type Scope } from '../auth/canonical.ts';
import { Fault } from '../protocol/faults.ts';

/** What chunks are signed with: the key and scope of the request, and its own signature as the first link. */
export interface ChunkSigning {
  key: KeyObject;
  /** `YYYYMMDDThhmmssZ` */
  time: string;
  scope: Scope;
  seed: string;
}

/** How a body in chunks is framed. */
export interface ChunkFraming {
  /** Null: chunks are not signed. */
  signing: ChunkSigning | null;
  /** Whether headers may follow the last chunk. */
  hasTrailer: boolean;
  /** Name of the trailing header that the head announces, in lower case; null for none. */
  announced: string | null;
  /** Bytes of all chunks together. */
  bytes: number;
}

const maxLineBytes = 1024;
const maxTrailerBytes = 8192;
const maxChunkBytes = 2 ** 34;
/** Fewest bytes of a chunk that is not the last one with data. */
const minChunkBytes = 8192;

/** The fault of a framing that ends early, or is none. */
function brokenOff(): Fault {
  return new Fault('IncompleteBody', { message: 'The request body terminated unexpectedly' });
}

/**
 * Reads lines and runs of bytes from pieces, which are its own from then on. What it hands on shares its memory with nothing
 * else, so that whoever stores it can give that back.
 */
export class PieceReader {
  readonly #pieces: AsyncIterator<Uint8Array>;
  #rest: Buffer = Buffer.alloc(0);
  /** What the rest is the end of. */
  #piece: Buffer = this.#rest;

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
    if (this.#rest.length === 0) this.#piece = piece;
    else {
      const joined = Buffer.concat([this.#rest, piece]);
      giveBack(this.#piece);
      giveBack(piece);
      this.#piece = joined;
    }
    this.#rest = this.#piece;
    return true;
  }

  /** Leaves bytes behind that were read, or copied. */
  #pass(count: number): void {
    this.#rest = this.#rest.subarray(count);
    if (this.#rest.length > 0) return;
    giveBack(this.#piece);
    this.#rest = this.#piece = Buffer.alloc(0);
  }

  /**
   * A line without its end; null at the end of the pieces.
   * @param endBytes 1: a carriage return in front of the line feed belongs to the line
   * @throws Fault `IncompleteBody` where it is too long
   */
  async line(maxBytes: number = maxLineBytes, endBytes: 1 | 2 = 2): Promise<string | null> {
    for (let from = 0; ;) {
      const end = this.#rest.indexOf(10, from);
      if (end > maxBytes || (end < 0 && this.#rest.length > maxBytes)) throw brokenOff();
      if (end >= 0) {
        const isCut = endBytes === 2 && end > 0 && this.#rest[end - 1] === 13;
        const line = this.#rest.toString('latin1', 0, isCut ? end - 1 : end);
        this.#pass(end + 1);
        return line;
      }
      from = this.#rest.length;
      if (!(await this.#more())) {
        if (this.#rest.length === 0) return null;
        const line = this.#rest.toString('latin1');
        this.#pass(this.#rest.length);
        return line;
      }
    }
  }

  /** The end of a line and nothing else. @throws Fault `IncompleteBody` */
  async lineEnd(): Promise<void> {
    const end = Buffer.concat(await Array.fromAsync(this.bytes(2)));
    if (end.toString('latin1') !== '\r\n') throw brokenOff();
  }

  /** Exactly so many bytes, in pieces. @throws Fault `IncompleteBody` */
  async *bytes(count: number): AsyncGenerator<Buffer> {
    for (let left = count; left > 0;) {
      if (this.#rest.length === 0 && !(await this.#more())) throw brokenOff();
      const piece = this.#take(left);
      left -= piece.length;
      if (piece.length > 0) yield piece;
    }
  }

  /** The next bytes, as a piece of their own: a whole one as it came, of others a copy. */
  #take(most: number): Buffer {
    const rest = this.#rest;
    if (rest.length <= most && rest.length === rest.buffer.byteLength) {
      this.#rest = this.#piece = Buffer.alloc(0);
      return rest;
    }
    const piece = Buffer.allocUnsafeSlow(Math.min(most, rest.length));
    rest.copy(piece);
    this.#pass(piece.length);
    return piece;
  }

  async close(): Promise<void> {
    await this.#pieces.return?.();
  }
}

/** The size and the signature of a chunk's head. @param line without its line feed */
function headOf(line: string | null, isSigned: boolean): { bytes: number; signature: string } {
  const [, hex = '', signature = ''] =
    /^([0-9a-fA-F]{1,9})(?:;chunk-signature=([0-9a-f]{64}))?\r$/.exec(line ?? '') ?? [];
  if (hex === '') throw brokenOff();
  if (isSigned && signature === '') throw new Fault('SignatureDoesNotMatch');
  const bytes = Number.parseInt(hex, 16);
  if (bytes > maxChunkBytes) throw brokenOff();
  return { bytes, signature };
}

/** What follows the last chunk. */
interface Trailer {
  /** The trailing header as it is signed; empty where there is none. */
  line: string;
  value: string | null;
  signature: string;
}

/**
 * Reads the headers behind the last chunk, up to the empty line that ends them: the announced one, and a signature.
 * @throws Fault `MalformedTrailerError`, `IncompleteBody`
 */
async function readTrailer(
  reader: PieceReader,
  { signing, announced }: Pick<ChunkFraming, 'signing' | 'announced'>,
): Promise<Trailer> {
  const trailer: Trailer = { line: '', value: null, signature: '' };
  let length = 0;
  for (let isFirst = true; ; isFirst = false) {
    const line = await reader.line();
    if (line === null || line.includes('\r')) throw brokenOff();
    if (line === '') break;
    length += line.length;
    const colon = line.indexOf(':');
    if (length > maxTrailerBytes || colon === 0) throw new Fault('MalformedTrailerError');
    if (colon < 0) throw brokenOff();
    const name = line.slice(0, colon).trim().toLowerCase();
    const value = line.slice(colon + 1).trim();
    if (name === 'x-amz-trailer-signature' && signing !== null && trailer.signature === '') {
      if (!/^[0-9a-f]{64}$/.test(value)) throw brokenOff();
      trailer.signature = value;
    } else if (name === announced && trailer.value === null) {
      Object.assign(trailer, { value, line: `${name}:${value}\n` });
    } else throw isFirst ? new Fault('MalformedTrailerError') : brokenOff();
  }
  if (announced !== null && trailer.value === null) throw new Fault('MalformedTrailerError');
  if (signing !== null && trailer.signature === '') throw brokenOff();
  return trailer;
}

/**
 * The bytes of a body in `aws-chunked` framing, signed or not, with or without trailers. A chunk's bytes are handed on
 * before its signature was checked, so whoever stores them must drop them where this throws.
 * @param trailed gets the value of the announced trailing header at the end
 * @throws Fault
 */
export async function* readChunks(
  pieces: AsyncIterable<Uint8Array>,
  framing: ChunkFraming,
  trailed: (value: string) => void,
): AsyncGenerator<Buffer> {
  const { signing, hasTrailer } = framing;
  const reader = new PieceReader(pieces);
  let previous = signing?.seed ?? '';
  let isShort = false;
  let left = framing.bytes;
  const check = (kind: 'PAYLOAD' | 'TRAILER', signature: string, hashes: readonly string[]): void => {
    if (signing === null) return;
    const { time, scope, key } = signing;
    const text = [`AWS4-HMAC-SHA256-${kind}`, time, scopeText(scope), previous, ...hashes].join('\n');
    previous = signatureOf(key, text);
    if (previous !== signature) throw new Fault('SignatureDoesNotMatch');
  };
  try {
    for (;;) {
      const { bytes, signature } = headOf(await reader.line(maxLineBytes, 1), signing !== null);
      // A chunk after one that was too short: that one was not the last.
      if (bytes > 0 && isShort) throw new Fault('InvalidChunkSizeError');
      isShort = bytes < minChunkBytes;
      left -= bytes;
      // Of a chunk that is too long, a short one is read to see whether it has the length that it says.
      const isExcess = left < 0;
      if (isExcess && !isShort) throw new Fault('IncompleteBody');
      const hash = signing === null ? null : createHash('sha256');
      for await (const piece of reader.bytes(bytes)) {
        hash?.update(piece);
        if (!isExcess) yield piece;
      }
      if (bytes > 0) await reader.lineEnd();
      check('PAYLOAD', signature, [emptyHash, hash?.digest('hex') ?? '']);
      if (isExcess || (bytes === 0 && left > 0)) throw new Fault('IncompleteBody');
      if (bytes === 0) break;
    }
    if (!hasTrailer) {
      for (let line = await reader.line(); line !== null; line = await reader.line())
        if (line !== '') throw brokenOff();
      return;
    }
    const trailer = await readTrailer(reader, framing);
    check('TRAILER', trailer.signature, [createHash('sha256').update(trailer.line).digest('hex')]);
    if (trailer.value !== null) trailed(trailer.value);
  } finally {
    await reader.close();
  }
}
