import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { readPacedBody, type Pace } from '../../../mixins/http/paced-body.ts';
import { invalid, Refusal } from '../../../models/errors.ts';
import { bytesOfPart, partId, type Upload, type UploadPart } from '../../../models/upload.ts';
import type { StorageContext } from '../tools.ts';
import { mayHaveObject } from './fence.ts';
import { partsOf, requireOpen, uploadsOf } from './tools.ts';

/** Clients that send less are refused, so that nobody holds connections for nothing. */
const pace: Pace = { minBytes: 30 * 4096, seconds: 30 };

/** What the sender of a part is answered. */
export interface PartReceipt {
  part: number;
  etag: string;
}

/** Number of a part as an address has it. @throws Refusal `part_out_of_range` */
function partNumber(sent: string, { partCount }: Upload): number {
  const number = /^[1-9]\d{0,4}$/.test(sent) ? Number(sent) : 0;
  if (number < 1 || number > partCount)
    throw new Refusal('part_out_of_range', { detail: `The upload has the parts 1 to ${partCount}.` });
  return number;
}

/** @throws Refusal `invalid_content_length`, `part_size_mismatch` */
function requireLength({ headers }: IncomingMessage, bytes: number): void {
  const length = headers['content-length'];
  if (headers['transfer-encoding'] !== undefined || length === undefined || !/^\d{1,15}$/.test(length))
    throw new Refusal('invalid_content_length');
  if (Number(length) !== bytes)
    throw new Refusal('part_size_mismatch', { detail: `The part has ${bytes} bytes, and the body ${length}.` });
}

/** The declared MD5 in hex; null if none is. @throws Refusal `validation_error` */
function declaredMd5({ headers }: IncomingMessage): string | null {
  const sent = headers['content-md5'];
  if (sent === undefined) return null;
  const name = 'Content-MD5';
  if (typeof sent !== 'string' || !/^[A-Za-z0-9+/]{21}[AQgw]==$/.test(sent))
    throw invalid(['header', name], `header.${name} must be an MD5 as base64 of 16 bytes.`);
  return Buffer.from(sent, 'base64').toString('hex');
}

/**
 * Stores a part of an open upload as it arrives: all of its bytes, or none. Sending it again replaces it.
 * @throws Refusal `part_out_of_range`, `invalid_content_length`, `part_size_mismatch`, `validation_error`,
 *   `checksum_mismatch`, `upload_too_slow`, `upload_not_open`, `upload_expired`
 */
export async function receivePart(
  app: StorageContext,
  upload: Upload,
  sentNumber: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<PartReceipt> {
  requireOpen(app, upload);
  const number = partNumber(sentNumber, upload);
  const bytes = bytesOfPart(upload, number);
  requireLength(request, bytes);
  const md5 = declaredMd5(request);
  return storePart(app, upload, { number, bytes, md5 }, readPacedBody(request, response, pace));
}

/**
 * Stores a part of an upload and makes it the one that counts.
 * @param part its `md5` is the declared one, null if none was
 * @throws Refusal `checksum_mismatch`, `upload_not_open`, `upload_expired`; what the body throws
 */
export async function storePart(
  app: StorageContext,
  upload: Upload,
  { number, bytes, md5: expected }: { number: number; bytes: number; md5: string | null },
  body: AsyncIterable<Uint8Array>,
): Promise<PartReceipt> {
  const hash = createHash('md5');
  let md5 = '';
  async function* hashed(): AsyncGenerator<Uint8Array> {
    for await (const piece of body) {
      hash.update(piece);
      yield piece;
    }
    md5 = hash.digest('hex');
    // Thrown here, the store keeps nothing of the part.
    if (expected !== null && md5 !== expected) throw new Refusal('checksum_mismatch', { retryable: true });
  }
  const name = `${number}-${app.runtime.uuid()}`;
  await app.objects.writePart(upload.contentId, { name, bytes }, hashed());
  await recordPart(app, upload, { number, name, bytes, md5 });
  return { part: number, etag: `"${md5}"` };
}

/**
 * Makes a stored part the one that counts. The bytes that it replaces are removed only if the upload is still open
 * afterwards: then whoever completes it later reads this record. Where a completion has begun whose end is not known, an
 * object may have them; if none does, the sweep finds them when the upload has ended.
 */
export async function recordPart(
  app: StorageContext,
  upload: Upload,
  part: Omit<UploadPart, '_id' | 'organizationId' | 'uploadId'>,
): Promise<void> {
  const { _id: uploadId, organizationId, contentId } = upload;
  const parts = partsOf(app, organizationId);
  const id = partId(uploadId, part.number);
  const before = await parts.get(id);
  await parts.put({ _id: id, organizationId, uploadId, ...part });
  const now = await uploadsOf(app, organizationId).get(uploadId);
  if (now === null) {
    await parts.remove(id);
    throw new Refusal('upload_not_found');
  }
  requireOpen(app, now);
  if (before !== null && before.name !== part.name && !mayHaveObject(now))
    await app.objects.removePart(contentId, before.name);
}
