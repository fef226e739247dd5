import { createHash } from 'node:crypto';
import { readPacedBody, type Pace } from '../../../mixins/http/paced-body.ts';
import type { ObjectChecksum } from '../../../models/storage-object.ts';
import { otherPayload } from '../auth/authenticate.ts';
import type { S3Exchange } from '../door.ts';
import { parameter } from '../protocol/address.ts';
import { Fault } from '../protocol/faults.ts';
import { algorithmNamed, checksumAlgorithms, isChecksum, newChecksum, type ChecksumAlgorithm } from './checksums.ts';
import { readChunks } from './chunks.ts';
import type { RunningChecksum } from '../../../mixins/storage/crc.ts';

/** Clients that send less are refused, so that nobody holds connections for nothing. */
export const pace: Pace = { minBytes: 30 * 4096, seconds: 30 };

/** A body that is about to be received. */
export interface Body {
  /** Bytes without the framing. */
  bytes: number;
  /** The bytes as they arrive. The end throws a Fault where they are not what the client signed or declared. */
  pieces: AsyncGenerator<Uint8Array>;
  /** Of the checksum that the client declared; null if it declared none. */
  declared: ChecksumAlgorithm | null;
  /** That checksum. To be called after the end. */
  checksum: () => { algorithm: ChecksumAlgorithm; value: string } | null;
}

/** A header, or a parameter of the query in its place, as links have it. */
export function headerOf({ request, address }: S3Exchange, name: string): string | null {
  const sent = request.headers[name];
  return typeof sent === 'string' ? sent : parameter(address, name);
}

/** Checks that a text is a checksum in base64. @param place of the text @throws Fault */
export function checksumValue(algorithm: ChecksumAlgorithm, text: string, place = 'header'): void {
  if (!isChecksum(algorithm, text))
    throw new Fault('InvalidRequest', {
      message: `Value for x-amz-checksum-${algorithm.toLowerCase()} ${place} is invalid.`,
    });
}

/** The pieces of a body, of which a checksum is taken as they pass. */
export async function* measured(
  pieces: AsyncIterable<Uint8Array>,
  running: RunningChecksum,
): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    running.update(piece);
    yield piece;
  }
}

/** The MD5 that a request declares, in hex; null if none is. @throws Fault `InvalidDigest` */
function declaredMd5({ request }: S3Exchange): string | null {
  const sent = request.headers['content-md5'];
  if (sent === undefined) return null;
  const bytes = Buffer.from(String(sent), 'base64');
  if (bytes.length !== 16 || bytes.toString('base64') !== sent)
    throw new Fault('InvalidDigest', { elements: { 'Content-MD5': String(sent) } });
  return bytes.toString('hex');
}

/** Headers about checksums. */
const checksumHeaders: ReadonlySet<string> = new Set(
  [...checksumAlgorithms, 'algorithm', 'mode', 'type'].map((name) => `x-amz-checksum-${name.toLowerCase()}`),
);

/** A checksum that is expected: its value, or null where it comes in the trailer. */
interface Expected {
  algorithm: ChecksumAlgorithm;
  value: string | null;
}

function headerName(algorithm: ChecksumAlgorithm): string {
  return `x-amz-checksum-${algorithm.toLowerCase()}`;
}

/** The algorithm of the checksum that the trailer is to bring; null without one. @throws Fault `InvalidRequest` */
function announcedAlgorithm({ request }: S3Exchange, hasTrailer: boolean): ChecksumAlgorithm | null {
  const sent = request.headers['x-amz-trailer'];
  if (typeof sent !== 'string') return null;
  const name = sent.trim().toLowerCase();
  const algorithm = hasTrailer ? algorithmNamed(name.replace(/^x-amz-checksum-/, '')) : null;
  if (algorithm === null)
    throw new Fault('InvalidRequest', { message: 'The value specified in the x-amz-trailer header is not supported' });
  return algorithm;
}

/** A checksum that a client declares, in base64. */
export interface DeclaredChecksum {
  algorithm: ChecksumAlgorithm;
  value: string;
}

/** The checksums that a request declares, checked for nothing. @param valueOf a header; null where it is not there */
export function declaredChecksums(valueOf: (name: string) => string | null): DeclaredChecksum[] {
  return checksumAlgorithms.flatMap((algorithm) => {
    const value = valueOf(headerName(algorithm));
    return value === null ? [] : [{ algorithm, value }];
  });
}

/** The fault of a request that declares several checksums. */
export function severalChecksums(): Fault {
  return new Fault('InvalidRequest', {
    message: 'Expecting a single x-amz-checksum- header. Multiple checksum Types are not allowed.',
  });
}

/** Refuses names of checksums that there are not. @throws Fault `InvalidRequest` */
export function requireKnownChecksums(names: readonly string[]): void {
  if (names.some((name) => name.startsWith('x-amz-checksum-') && !checksumHeaders.has(name)))
    throw new Fault('InvalidRequest', {
      message: 'The algorithm type you specified in x-amz-checksum- header is invalid.',
    });
}

/** @throws Fault `InvalidRequest` */
function declaredChecksum(exchange: S3Exchange, bytes: number, hasTrailer: boolean): Expected | null {
  const { headers } = exchange.request;
  requireKnownChecksums(Object.keys(headers));
  const declared = declaredChecksums((name) => headerOf(exchange, name)).filter(
    // Links that are made without a body declare the checksum of none.
    ({ algorithm, value }) =>
      headers[headerName(algorithm)] !== undefined ||
      bytes === 0 ||
      newChecksum(algorithm).digest().toString('base64') !== value,
  );
  const announced = announcedAlgorithm(exchange, hasTrailer);
  if (declared.length + (announced === null ? 0 : 1) > 1) throw severalChecksums();
  const [first] = announced === null ? declared : [{ algorithm: announced, value: null }];
  if (typeof first?.value === 'string') checksumValue(first.algorithm, first.value);
  const asked = headers['x-amz-sdk-checksum-algorithm'];
  if (typeof asked !== 'string') return first ?? null;
  const algorithm = algorithmNamed(asked);
  if (algorithm === null || (first !== undefined && first.algorithm !== algorithm))
    throw new Fault('InvalidRequest', { message: 'Value for x-amz-sdk-checksum-algorithm header is invalid.' });
  return first ?? null;
}

function lengthOf({ request: { headers } }: S3Exchange, isFramed: boolean): number {
  const sent = isFramed ? headers['x-amz-decoded-content-length'] : headers['content-length'];
  if (typeof sent !== 'string') throw new Fault('MissingContentLength');
  if (!/^\d{1,15}$/.test(sent)) throw new Fault('MissingContentLength');
  return Number(sent);
}

/**
 * Opens the body of a request. Nothing is read, and the client not asked for it, before the first piece is taken.
 * @param computed a checksum that is computed even where the client declared none
 * @param isObject false where checksums of the head are not those of the body
 * @throws Fault
 */
export function openBody(
  exchange: S3Exchange,
  computed: ChecksumAlgorithm | null = null,
  isObject: boolean = true,
): Body {
  const { request, response, access } = exchange;
  const { payload, signing } = access;
  const isFramed = payload.startsWith('STREAMING-');
  const hasTrailer = payload.endsWith('-TRAILER');
  const bytes = lengthOf(exchange, isFramed);
  const md5 = declaredMd5(exchange);
  const expected = isObject ? declaredChecksum(exchange, bytes, hasTrailer) : null;
  if (isFramed && request.headers['content-length'] === undefined && request.headers['transfer-encoding'] === undefined)
    throw new Fault('MissingContentLength');
  // A trailer without a checksum asks for the default one.
  const algorithm = expected?.algorithm ?? computed ?? (isObject && hasTrailer ? 'CRC64NVME' : null);
  const running = algorithm === null ? null : newChecksum(algorithm);
  let value: string | null = null;

  async function* pieces(): AsyncGenerator<Uint8Array> {
    const sha256 = /^[0-9a-f]{64}$/.test(payload) ? createHash('sha256') : null;
    const hash = md5 === null ? null : createHash('md5');
    const raw = readPacedBody(request, response, pace);
    const isSigned = payload.startsWith('STREAMING-AWS4');
    const announced = expected?.value === null ? headerName(expected.algorithm) : null;
    let trailing = '';
    const framing = { signing: isSigned ? signing : null, hasTrailer, announced, bytes };
    const source = isFramed ? readChunks(raw, framing, (sent) => (trailing = sent)) : raw;
    let received = 0;
    for await (const piece of source) {
      received += piece.byteLength;
      if (received > bytes) throw new Fault('IncompleteBody');
      sha256?.update(piece);
      hash?.update(piece);
      running?.update(piece);
      yield piece;
    }
    if (received !== bytes) throw new Fault('IncompleteBody');
    const computed = sha256?.digest('hex') ?? payload;
    if (computed !== payload) throw otherPayload(payload, computed);
    const calculated = hash?.digest() ?? null;
    if (calculated !== null && calculated.toString('hex') !== md5)
      throw new Fault('BadDigest', {
        elements: { CalculatedDigest: calculated.toString('base64'), ExpectedDigest: md5 ?? '' },
      });
    value = running?.digest().toString('base64') ?? null;
    if (expected === null) return;
    const declared = expected.value ?? trailing;
    checksumValue(expected.algorithm, declared, expected.value === null ? 'trailing header' : 'header');
    if (declared !== value)
      throw new Fault('BadDigest', {
        message: `The ${expected.algorithm} you specified did not match the calculated checksum.`,
      });
  }

  return {
    bytes,
    declared: expected?.algorithm ?? null,
    pieces: pieces(),
    checksum: () => (algorithm === null || value === null ? null : { algorithm, value }),
  };
}

/** Most bytes of a body that is read whole. */
const maxWholeBytes = 2 * 2 ** 20;

/**
 * Reads a small body whole, such as a list of keys.
 * @param isObject false where checksums of the head are not those of the body
 * @throws Fault
 */
export async function readWhole(exchange: S3Exchange, isObject: boolean = true): Promise<Buffer> {
  const { headers } = exchange.request;
  if (headers['content-length'] === '0' || (headers['content-length'] ?? headers['transfer-encoding']) === undefined)
    return Buffer.alloc(0);
  const { bytes, pieces } = openBody(exchange, null, isObject);
  if (bytes > maxWholeBytes) throw new Fault('MaxMessageLengthExceeded');
  return Buffer.concat(await Array.fromAsync(pieces, (piece) => Buffer.from(piece)));
}

/** A checksum as objects have it. */
export function wholeChecksum(body: Pick<Body, 'checksum'>): { checksum?: ObjectChecksum } {
  const checksum = body.checksum();
  return checksum === null ? {} : { checksum: { ...checksum, type: 'FULL_OBJECT' } };
}
