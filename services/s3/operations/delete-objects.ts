import { call } from '../../../mixins/actions/call.ts';
import type { Bucket } from '../../../models/bucket.ts';
import { xmlReply, type DoorReply } from '../../../mixins/storage/door-http.ts';
import type { StoredObject } from '../../../models/storage-object.ts';
import { objectNamed } from '../../../mixins/storage/door-lookup.ts';
import { requireBucket, userOf, type Door, type S3Exchange } from '../door.ts';
import { readWhole } from '../payload/body.ts';
import { parameter } from '../protocol/address.ts';
import { isConditional, requireWrite, versionOf } from '../protocol/conditions.ts';
import { faultOf } from '../protocol/failures.ts';
import { Fault } from '../protocol/faults.ts';
import { element } from '../../../mixins/storage/door-xml.ts';
import { childText, readXml, xmlDocument } from '../protocol/xml.ts';
import { requireNullVersion } from './get-object.ts';

const maxKeys = 1000;
const maxAttempts = 10;
/** Keys that are deleted at the same time. */
const atOnce = 16;

/** Conditions that deletions have besides those of other writes. */
const deleteConditions = ['x-amz-if-match-size', 'x-amz-if-match-last-modified-time'] as const;

/** @throws Fault `PreconditionFailed` */
function requireDelete(
  headers: S3Exchange['request']['headers'],
  { size, updatedAt }: Pick<StoredObject, 'size' | 'updatedAt'>,
): void {
  const [wantedSize, wantedTime] = deleteConditions.map((name) => headers[name]);
  const isOther =
    (wantedSize !== undefined && String(size) !== wantedSize) ||
    (wantedTime !== undefined && Math.floor(updatedAt / 1000) !== Math.floor(Date.parse(String(wantedTime)) / 1000));
  if (isOther) throw new Fault('PreconditionFailed');
}

async function remove(
  door: Door,
  exchange: S3Exchange,
  { organizationId, _id: bucketId }: Bucket,
  key: string,
  headers: S3Exchange['request']['headers'],
): Promise<void> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const conditional = isConditional({ headers }) || deleteConditions.some((name) => headers[name] !== undefined);
    const present = conditional ? await objectNamed(door.app, { organizationId, _id: bucketId }, key) : null;
    if (conditional) requireWrite({ headers }, present);
    if (present !== null) requireDelete(headers, present);
    const { outcome } = await call(door.actions, 'storage.removeKey', {
      organizationId,
      bucketId,
      key,
      userId: userOf(exchange),
      ...(conditional ? { seen: versionOf(present) } : {}),
    });
    if (outcome !== 'changed') return;
  }
  throw new Fault('ConditionalRequestConflict');
}

/** DeleteObject: also where there is none. @throws Fault, Refusal */
export async function deleteObject(door: Door, exchange: S3Exchange): Promise<DoorReply> {
  const { address, request } = exchange;
  const bucket = await requireBucket(door, exchange, address.bucket, 'delete');
  requireNullVersion(parameter(address, 'versionId'));
  await remove(door, exchange, bucket, address.key ?? '', request.headers);
  return { status: 204 };
}

/** DeleteObjects. @throws Fault */
export async function deleteObjects(door: Door, exchange: S3Exchange): Promise<DoorReply> {
  const bucket = await requireBucket(door, exchange, exchange.address.bucket, 'delete');
  const root = readXml(await readWhole(exchange));
  const wanted = root.children.filter(({ name }) => name === 'Object');
  const keys = wanted.map((node) => childText(node, 'Key') ?? '');
  if (root.name !== 'Delete' || wanted.length === 0 || wanted.length > maxKeys || keys.includes(''))
    throw new Fault('MalformedXML');
  const isQuiet = childText(root, 'Quiet')?.trim() === 'true';
  const results: string[] = [];
  const one = async (at: number): Promise<void> => {
    const [node, key] = [wanted[at], keys[at]];
    if (node === undefined || key === undefined) throw new RangeError('no such object of the list');
    const versionId = childText(node, 'VersionId');
    try {
      requireNullVersion(versionId);
      const etag = childText(node, 'ETag');
      await remove(door, exchange, bucket, key, etag === null ? {} : { 'if-match': etag });
      const version = versionId === null ? '' : element('VersionId', versionId);
      results[at] = isQuiet ? '' : `<Deleted>${element('Key', key)}${version}</Deleted>`;
    } catch (error) {
      const fault = faultOf(error);
      if (fault === null) throw error;
      results[at] =
        `<Error>${element('Key', key)}${element('VersionId', versionId)}${element('Code', fault.code)}${element('Message', fault.message)}</Error>`;
    }
  };
  for (let from = 0; from < wanted.length; from += atOnce)
    await Promise.all(Array.from({ length: Math.min(atOnce, wanted.length - from) }, (_, at) => one(from + at)));
  return xmlReply(xmlDocument('DeleteResult', results.join('')));
}
