import { setTimeout as pause } from 'node:timers/promises';
import { isDuplicate } from '../../../adapters/records/port.ts';
import { Refusal } from '../../../models/errors.ts';
import { listKeyOf } from '../../../models/storage-key.ts';
import type { ObjectEntry, StoredObject } from '../../../models/storage-object.ts';
import { writeAttempts, type Storage } from '../tools.ts';
import { countEntry, releaseEntry, verifyEntry } from './entries.ts';
import { objectOutbox, outboxDelayMs } from './outbox.ts';
import { settleInBackground, settleObject } from './settle.ts';
import { objectBusy, objectsOf, objectWithKey } from './tools.ts';
import { drainOutbox } from '../../../mixins/work/outbox.ts';

/** Longest pause after another write was first, in milliseconds. */
const maxPauseMs = 20;

/** An object as a door writes it: its content is stored already, and of no other object. */
export type NewObject = Pick<
  StoredObject,
  | 'organizationId'
  | 'bucketId'
  | 'key'
  | 'size'
  | 'contentType'
  | 'sha256'
  | 'etag'
  | 'metadata'
  | 'content'
  | 'createdVia'
  | 'headers'
  | 'checksum'
  | 'partSizes'
  | 'tags'
> & { videoId?: string };

/** Conditions of a write, and what else follows from it. */
export interface WriteOptions {
  /** Whether an object that has the key may be replaced. */
  allowOverwrite: boolean;
  /** Id of the object, where the key has none yet: that of the content by default. */
  objectId?: string;
  /** The upload that ends with this write. */
  uploadId?: string;
  /** What the upload brings is the source of a video; `isNew`: the video is made of it. */
  isNewVideo?: boolean;
  /** Whether the write is over before what follows from it is delivered. */
  settlesLater?: boolean;
  /** Runs before each attempt, with the object that has the key. @throws what ends the write */
  guard?: (present: StoredObject | null) => void | Promise<void>;
}

/**
 * Writes an object under its key, as one conditional write: a new one, or the content, type and metadata of the one that
 * has the key, which keeps its id and createdAt and becomes `stored`. The later of two writes wins whole. What follows
 * (totals, release of the replaced content, checksum, end of the upload) is in the same write.
 * @returns the object with this content, also where an earlier attempt had written it
 * @throws Refusal `object_exists`, `object_busy`
 */
export async function writeObject(storage: Storage, next: NewObject, options: WriteOptions): Promise<StoredObject> {
  const { app } = storage;
  const objects = objectsOf(app, next.organizationId);
  for (let attempt = 0; attempt < writeAttempts;) {
    const present = await objectWithKey(app, next);
    if (present?.contentId === next.content.id) return settleObject(storage, present);
    await options.guard?.(present);
    if (present !== null && !options.allowOverwrite) throw new Refusal('object_exists');
    if (present !== null && isEndOfUpload(present)) {
      // An upload is known to be completed before its object changes again: it is never completed twice.
      await drainOutbox(app, objectOutbox(storage), objects, present);
      continue;
    }
    const written =
      present === null ? await insert(storage, next, options) : await replace(storage, present, next, options);
    if (written !== null)
      return options.settlesLater === true ? settleInBackground(storage, written) : settleObject(storage, written);
    // Another write was first: of many at once, each has its turn.
    attempt += 1;
    await pause(app.runtime.random() * maxPauseMs);
  }
  throw objectBusy();
}

/** Whether the outbox has yet to say that the upload of the object's content was completed. */
export function isEndOfUpload({ outbox }: Pick<StoredObject, 'outbox'>): boolean {
  return outbox.some(({ kind }) => kind === 'upload');
}

/** Null if another request was first. */
async function insert({ app }: Storage, next: NewObject, options: WriteOptions): Promise<StoredObject | null> {
  const { objectId = next.content.id } = options;
  const now = app.runtime.now();
  const place = { _id: objectId, organizationId: next.organizationId, bucketId: next.bucketId };
  const object: StoredObject = {
    ...next,
    ...place,
    liveKey: next.key,
    listKey: listKeyOf(next.key),
    contentId: next.content.id,
    state: 'stored',
    checksumState: next.sha256 === null ? 'not_requested' : 'unverified',
    createdAt: now,
    updatedAt: now,
    version: 1,
    outbox: [countEntry(app, place, 1, { objects: 1, bytes: next.size }), ...followUps(app, place, next, options)],
    outboxDue: app.records.time() + outboxDelayMs,
  };
  try {
    await objectsOf(app, next.organizationId).insert(object);
    return object;
  } catch (error) {
    if (isDuplicate(error)) return null;
    throw error;
  }
}

/** Fields that not every object has. */
const optionalFields = ['headers', 'checksum', 'partSizes', 'tags'] as const;

/** Those of the fields that an object has. */
function given(next: NewObject): { [field: string]: object } {
  return Object.fromEntries(
    optionalFields.flatMap((field) => {
      const value = next[field];
      return value === undefined ? [] : [[field, value]];
    }),
  );
}

/** Null if another request was first. */
function replace(
  { app }: Storage,
  present: StoredObject,
  next: NewObject,
  options: WriteOptions,
): Promise<StoredObject | null> {
  const entries: ObjectEntry[] = [
    countEntry(app, present, present.version + 1, { objects: 0, bytes: next.size - present.size }),
    releaseEntry(app, present.organizationId, present.content),
    ...followUps(app, present, next, options),
  ];
  return objectsOf(app, present.organizationId).update(
    present._id,
    { version: present.version },
    {
      set: {
        size: next.size,
        contentType: next.contentType,
        sha256: next.sha256,
        checksumState: next.sha256 === null ? 'not_requested' : 'unverified',
        etag: next.etag,
        state: 'stored',
        metadata: next.metadata,
        content: next.content,
        contentId: next.content.id,
        createdVia: next.createdVia,
        ...given(next),
        updatedAt: Math.max(app.runtime.now(), present.updatedAt),
        outboxDue: Math.min(present.outboxDue ?? Infinity, app.records.time() + outboxDelayMs),
      },
      unset: optionalFields.filter((field) => next[field] === undefined),
      increment: { version: 1 },
      push: { outbox: entries },
    },
  );
}

function followUps(
  app: Storage['app'],
  object: Pick<StoredObject, '_id' | 'organizationId' | 'bucketId'>,
  { content, size, sha256, videoId }: NewObject,
  { uploadId, isNewVideo }: WriteOptions,
): ObjectEntry[] {
  const isSource = videoId !== undefined && uploadId !== undefined && isNewVideo !== undefined;
  return [
    ...(size === 0
      ? []
      : [
          {
            id: `written:${content.id}`,
            kind: 'written' as const,
            notBefore: 0,
            contentId: content.id,
            bytes: size,
            at: app.runtime.now(),
          },
        ]),
    ...(sha256 === null ? [] : [verifyEntry(app, object, { content, size, sha256 })]),
    ...(uploadId === undefined ? [] : [{ id: `upload:${uploadId}`, kind: 'upload' as const, notBefore: 0, uploadId }]),
    ...(isSource
      ? [{ id: `video:${videoId}`, kind: 'video' as const, notBefore: 0, videoId, uploadId, isNew: isNewVideo }]
      : []),
  ];
}
