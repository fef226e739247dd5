import { call } from '../../../mixins/actions/call.ts';
import { xmlReply, type DoorReply } from '../../../mixins/storage/door-http.ts';
import type { ObjectTags } from '../../../models/storage-object.ts';
import { requireBucket, type Door, type S3Exchange } from '../door.ts';
import { readWhole } from '../payload/body.ts';
import { versionOf } from '../protocol/conditions.ts';
import { Fault } from '../protocol/faults.ts';
import { readTagging, tagging } from '../protocol/tags.ts';
import { callerOf } from './buckets.ts';
import { named, readable } from './get-object.ts';

/** Attempts at a change of tags before the client is asked to try again. */
const maxAttempts = 10;

/** GetObjectTagging. @throws Fault */
export async function getObjectTagging(door: Door, exchange: S3Exchange): Promise<DoorReply> {
  const { object } = await readable(door, exchange);
  return xmlReply(tagging(object.tags ?? []));
}

/** @throws Fault, Refusal */
async function change(door: Door, exchange: S3Exchange, tags: ObjectTags): Promise<void> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
    const { bucket, object } = await named(door, exchange, 'write');
    const { organizationId, _id: bucketId } = bucket;
    const { outcome } = await call(door.actions, 'storage.changeTags', {
      ...{ organizationId, bucketId, key: object.key, tags },
      seen: versionOf(object),
    });
    if (outcome === 'stored') return;
  }
  throw new Fault('ConditionalRequestConflict');
}

/** PutObjectTagging. @throws Fault, Refusal */
export async function putObjectTagging(door: Door, exchange: S3Exchange): Promise<DoorReply> {
  await requireBucket(door, exchange, exchange.address.bucket, 'write');
  await change(door, exchange, readTagging(await readWhole(exchange)));
  return { status: 200 };
}

/** DeleteObjectTagging. @throws Fault, Refusal */
export async function deleteObjectTagging(door: Door, exchange: S3Exchange): Promise<DoorReply> {
  await change(door, exchange, []);
  return { status: 204 };
}

/** GetBucketTagging. @throws Fault `NoSuchTagSet` where it has none */
export async function getBucketTagging(door: Door, exchange: S3Exchange): Promise<DoorReply> {
  const { tags = [] } = await requireBucket(door, exchange, exchange.address.bucket, 'reach');
  if (tags.length === 0) throw new Fault('NoSuchTagSet');
  return xmlReply(tagging(tags));
}

async function changeBucket(door: Door, exchange: S3Exchange, tags: ObjectTags): Promise<DoorReply> {
  const { _id: bucketId } = await requireBucket(door, exchange, exchange.address.bucket, 'manage');
  const caller = callerOf(exchange, door.app.runtime.uuid());
  await call(door.actions, 'storage.changeBucketTags', { caller, bucketId, tags });
  return { status: 204 };
}

/** PutBucketTagging, with `manage`. @throws Fault, Refusal */
export async function putBucketTagging(door: Door, exchange: S3Exchange): Promise<DoorReply> {
  await requireBucket(door, exchange, exchange.address.bucket, 'manage');
  return changeBucket(door, exchange, readTagging(await readWhole(exchange), 'Bucket'));
}

/** DeleteBucketTagging, with `manage`. @throws Fault, Refusal */
export function deleteBucketTagging(door: Door, exchange: S3Exchange): Promise<DoorReply> {
  return changeBucket(door, exchange, []);
}
