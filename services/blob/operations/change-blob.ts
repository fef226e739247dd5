import { call } from '../../../mixins/actions/call.ts';
import type { DoorReply } from '../../../mixins/storage/door-http.ts';
import { objectNamed } from '../../../mixins/storage/door-lookup.ts';
import { requireContainer, type Need } from '../auth/authorize.ts';
import type { BlobExchange, BlobRequest, Door } from '../door.ts';
import { checkChange, readConditions } from '../protocol/conditions.ts';
import { busy } from '../protocol/failures.ts';
import { Fault, notOffered } from '../protocol/faults.ts';
import { md5Algorithm, md5Of, versionHeaders } from '../protocol/properties.ts';
import { sentHeaders, sentMd5, sentMetadata, sentType } from '../protocol/sent.ts';
import { openTarget, seenOf, writeJudged, type Details } from './write.ts';

/** What a deletion needs. */
export const deletingNeed: Need = { type: 'o', letters: 'd', permission: 'delete', ofService: true };

/** Attempts of a deletion after which the client is asked to try again. */
const attempts = 20;

/** Replaces the metadata of a blob. @throws Fault */
export function setMetadata(door: Door, exchange: BlobExchange): Promise<DoorReply> {
  const metadata = sentMetadata(exchange.request.headers);
  return change(door, exchange, (present) => ({ ...present, metadata }));
}

/** Replaces type and headers of a blob: those that are not sent are gone. @throws Fault */
export function setProperties(door: Door, exchange: BlobExchange): Promise<DoorReply> {
  const { headers } = exchange.request;
  const contentType = sentType(headers, 'x-ms-blob-content-type');
  const kept = sentHeaders(headers, false);
  const md5 = sentMd5(headers, 'x-ms-blob-content-md5');
  const next = ({ metadata }: Details): Details => ({
    contentType,
    metadata,
    ...(kept === undefined ? {} : { headers: kept }),
  });
  return change(door, exchange, next, md5);
}

/** @param md5 that the client declares for the blob; null where that stays */
async function change(
  door: Door,
  exchange: BlobExchange,
  next: (present: Details) => Details,
  md5: string | null = null,
): Promise<DoorReply> {
  const target = await openTarget(door, exchange);
  const object = await writeJudged(door, exchange, target, (seen, present) => {
    if (present === null) throw new Fault('BlobNotFound');
    const { contentType, metadata, headers } = next(present);
    return call(door.actions, 'storage.changeDetails', {
      ...target.at,
      ...{ contentType, metadata },
      ...(headers === undefined ? {} : { headers }),
      ...(md5 === null || md5 === md5Of(present)
        ? {}
        : { checksum: { algorithm: md5Algorithm, type: 'FULL_OBJECT', value: md5 } }),
      ...{ createdVia: 'azure', seen },
    });
  });
  return { status: 200, headers: { ...versionHeaders(object), 'x-ms-request-server-encrypted': 'false' } };
}

/** Deletes a blob. @throws Fault */
export async function deleteBlob(door: Door, exchange: BlobRequest): Promise<DoorReply> {
  const { address, access, request } = exchange;
  if (request.headers['x-ms-delete-snapshots'] === 'only') throw notOffered('Snapshots');
  const bucket = requireContainer(exchange, 'delete');
  const key = address.blob ?? '';
  const conditions = readConditions(request);
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const present = await objectNamed(door.app, bucket, key);
    if (present === null) throw new Fault('BlobNotFound');
    checkChange(conditions, present);
    const { outcome } = await call(door.actions, 'storage.removeKey', {
      ...{ organizationId: bucket.organizationId, bucketId: bucket._id, key },
      userId: access.credential.createdBy.replace(/^user:/, ''),
      seen: seenOf(present),
    });
    if (outcome === 'removed') return { status: 202, headers: { 'x-ms-delete-type-permanent': 'true' } };
  }
  throw busy(1);
}
