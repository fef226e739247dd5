import { call } from '../../../mixins/actions/call.ts';
import type { ByteRange } from '../../../mixins/http/api/conditions.ts';
import type { DoorReply } from '../../../mixins/storage/door-http.ts';
import { requireContainer } from '../auth/authorize.ts';
import { presentBlob, type BlobExchange, type Door } from '../door.ts';
import { badHeader, Fault } from '../protocol/faults.ts';
import { versionHeaders } from '../protocol/properties.ts';
import { hasMetadata, sentCrc64, sentHeaders, sentMd5, sentMetadata, sentType } from '../protocol/sent.ts';
import { maxBlockBytes, openBlock, storeChecked } from './blocks.ts';
import { openSource, type Source } from './copy-source.ts';
import { requireBlockBlob, storeBlob, writtenHeaders } from './put-blob.ts';
import { openTarget, type Details } from './write.ts';

const MiB = 2 ** 20;
/** Largest blob that is copied, in bytes. */
const maxCopiedBytes = 190.7 * 2 ** 40;
/** Largest source of Copy Blob From URL and Put Blob From URL with one request to another server, in bytes. */
const maxFetchedBytes = 5000 * MiB;

/**
 * Copies a blob: Copy Blob, Copy Blob From URL, and Put Blob From URL, which the headers tell apart. The copy is complete
 * with the answer. @throws Fault
 */
export async function copyBlob(door: Door, exchange: BlobExchange): Promise<DoorReply> {
  const { headers } = exchange.request;
  const isPut = headers['x-ms-blob-type'] !== undefined;
  if (isPut) requireBlockBlob(headers['x-ms-blob-type']);
  const isSync = isPut || headers['x-ms-requires-sync'] === 'true';
  const md5 = sentMd5(headers, 'x-ms-source-content-md5');
  const target = await openTarget(door, exchange);
  const source = await openSource(door, exchange, null, isSync ? maxFetchedBytes : maxCopiedBytes);
  const details = isPut ? putDetailsOf(exchange, source) : copiedDetails(exchange, source);
  const { size, body } = source;
  await call(door.actions, 'storage.admitObject', { ...target.at, size, contentType: details.contentType });
  const object = await storeBlob(door, exchange, target, { details, size, body, md5 });
  if (isPut) return { status: 201, headers: writtenHeaders(object) };
  return {
    status: 202,
    headers: {
      ...versionHeaders(object),
      ...(md5 === null ? {} : { 'Content-MD5': md5 }),
      'x-ms-copy-id': door.app.runtime.uuid(),
      'x-ms-copy-status': 'success',
    },
  };
}

/** What a copy has of its source. Metadata that is sent replaces all of the source's. */
function copiedDetails({ request: { headers } }: BlobExchange, source: Source): Details {
  return {
    contentType: typeOf(source),
    metadata: hasMetadata(headers) ? sentMetadata(headers) : source.metadata,
    ...(source.headers === undefined ? {} : { headers: source.headers }),
  };
}

/** What Put Blob From URL stores: headers of the request go before those of the source. */
function putDetailsOf(exchange: BlobExchange, source: Source): Details {
  const { headers } = exchange.request;
  const isWithProperties = headers['x-ms-copy-source-blob-properties'] !== 'false';
  const copied = copiedDetails(exchange, isWithProperties ? source : { ...source, contentType: null, headers: {} });
  const kept = { ...copied.headers, ...sentHeaders(headers, false) };
  const named = headers['x-ms-blob-content-type'];
  return {
    contentType: named === undefined ? copied.contentType : sentType(headers, 'x-ms-blob-content-type'),
    metadata: copied.metadata,
    ...(Object.keys(kept).length === 0 ? {} : { headers: kept }),
  };
}

/** The type of a source; that of unknown bytes where another server names none that can be stored. */
function typeOf({ contentType }: Source): string {
  try {
    return sentType({ 'content-type': contentType ?? '' }, 'content-type');
  } catch {
    return 'application/octet-stream';
  }
}

/** Answers that no copy of a blob is pending. @throws Fault */
export async function abortCopy(door: Door, exchange: BlobExchange): Promise<DoorReply> {
  const bucket = requireContainer(exchange, 'write');
  await presentBlob(door, bucket, exchange.address.blob ?? '');
  throw new Fault('NoPendingCopyOperation');
}

/** Writes a block whose bytes are those of a source, or of a range of it. @throws Fault */
export async function putBlockFromUrl(door: Door, exchange: BlobExchange): Promise<DoorReply> {
  const { headers } = exchange.request;
  const range = sourceRange(headers['x-ms-source-range']);
  const expected = sentMd5(headers, 'x-ms-source-content-md5');
  const crc64 = sentCrc64(headers, 'source');
  const target = openBlock(exchange);
  const { size, body } = await openSource(door, exchange, range, maxBlockBytes);
  if (size === 0) throw new Fault('InvalidInput');
  return storeChecked(door, exchange, target, { bytes: size, body, md5: expected, crc64 });
}

/** The range of a source; null for all of it. @throws Fault `InvalidHeaderValue` */
function sourceRange(sent: string | string[] | undefined): ByteRange | null {
  if (sent === undefined || sent === '') return null;
  const [, from, to] = /^bytes=(\d{1,15})-(\d{0,15})$/.exec(String(sent)) ?? [];
  if (from === undefined || (to !== undefined && to !== '' && Number(to) < Number(from)))
    throw badHeader('x-ms-source-range', String(sent));
  return { from: Number(from), to: to === undefined || to === '' ? Infinity : Number(to) };
}
