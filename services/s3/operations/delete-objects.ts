import { call } from '../../../mixins/actions/call.ts';
import type { Bucket } from '../../../models/bucket.ts';
import { xmlReply, type DoorReply } from '../../../mixins/storage/door-http.ts';
import type { StoredObject } from '../../../models/storage-object.ts';
import { objectNamed } from '../../../mixins/storage/door-lookup.ts';
import { maxKeyRemovals } from '../../../models/schemas/doors.ts';
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
/** Keys with conditions of their own that are deleted at the same time. */
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

/** Elements of a list of deletions that are conditions, and the headers that say the same. */
const conditionElements = [
  ['ETag', 'if-match'],
  ['Size', 'x-amz-if-match-size'],
  ['LastModifiedTime', 'x-amz-if-match-last-modified-time'],
] as const;

/** An object that a list of deletions names. */
interface Named {
  key: string;
  versionId: string | null;
  /** Its conditions as headers of a deletion have them. */
  conditions: { [header: string]: string };
}

/** DeleteObjects. @throws Fault */
export async function deleteObjects(door: Door, exchange: S3Exchange): Promise<DoorReply> {
  const bucket = await requireBucket(door, exchange, exchange.address.bucket, 'delete');
  const root = readXml(await readWhole(exchange));
  const wanted = root.children
    .filter(({ name }) => name === 'Object')
    .map((node): Named => {
      const key = childText(node, 'Key');
      if (key === null || key === '') throw new Fault('MalformedXML');
      const conditions = Object.fromEntries(
        conditionElements.flatMap(([element, header]) => {
          const value = childText(node, element);
          return value === null ? [] : [[header, value]];
        }),
      );
      return { key, versionId: childText(node, 'VersionId'), conditions };
    });
  if (root.name !== 'Delete' || wanted.length === 0 || wanted.length > maxKeys) throw new Fault('MalformedXML');
  const isQuiet = childText(root, 'Quiet')?.trim() === 'true';
  const isPlain = ({ versionId, conditions }: Named): boolean =>
    Object.keys(conditions).length === 0 && (versionId === null || versionId === 'null');
  const removed = await removePlain(door, exchange, bucket, wanted.filter(isPlain));
  const results: string[] = [];
  const one = async (at: number, named: Named): Promise<void> => {
    const { key, versionId, conditions } = named;
    try {
      requireNullVersion(versionId);
      if (!isPlain(named) || !removed.has(key)) await remove(door, exchange, bucket, key, conditions);
      results[at] = isQuiet ? '' : `<Deleted>${element('Key', key)}${element('VersionId', versionId)}</Deleted>`;
    } catch (error) {
      const fault = faultOf(error);
      if (fault === null) throw error;
      results[at] =
        `<Error>${element('Key', key)}${element('VersionId', versionId)}${element('Code', fault.code)}${element('Message', fault.message)}</Error>`;
    }
  };
  for (let from = 0; from < wanted.length; from += atOnce)
    await Promise.all(wanted.slice(from, from + atOnce).map((named, at) => one(from + at, named)));
  return xmlReply(xmlDocument('DeleteResult', results.join('')));
}

/**
 * Deletes objects without conditions, together.
 * @returns keys that no object has any more; what became of the others is found out one by one
 */
async function removePlain(
  door: Door,
  exchange: S3Exchange,
  { organizationId, _id: bucketId }: Bucket,
  named: readonly Named[],
): Promise<Set<string>> {
  const keys = [...new Set(named.map(({ key }) => key))];
  const removed = new Set<string>();
  const calls: Promise<void>[] = [];
  for (let from = 0; from < keys.length; from += maxKeyRemovals) {
    const removals = keys.slice(from, from + maxKeyRemovals).map((key) => ({ key }));
    const removal = { organizationId, bucketId, removals, userId: userOf(exchange) };
    calls.push(
      call(door.actions, 'storage.removeKeys', removal).then((outcomes) => {
        for (const [at, { outcome }] of outcomes.entries())
          if (outcome !== 'changed') removed.add(removals[at]?.key ?? '');
      }),
    );
  }
  for (const each of await Promise.allSettled(calls))
    if (each.status === 'rejected' && faultOf(each.reason) === null) throw each.reason;
  return removed;
}
