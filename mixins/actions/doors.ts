import {
  doorDetails,
  doorKey,
  doorKeyRemovals,
  doorMade,
  doorObject,
  doorPart,
  doorParts,
  objectChecksum,
  objectPartSizes,
  objectTags,
  seenVersion,
} from '../../models/schemas/doors.ts';
import { anyText } from '../../models/schemas/internal.ts';
import { optional, required } from '../../models/schemas/schema.ts';
import { integer, oneOf } from '../../models/schemas/values.ts';
import type { StoredObject } from '../../models/storage-object.ts';
import { action, type } from './action.ts';

/**
 * What became of a conditional write: `changed` where the object is another one than the door had seen. The door then
 * judges the client's conditions again.
 */
export type DoorWrite = { outcome: 'stored'; object: StoredObject } | { outcome: 'changed' };

/** What became of a deletion: `absent` where there was nothing to delete. */
export interface DoorRemoval {
  outcome: 'removed' | 'absent' | 'changed';
}

const ofUpload = { organizationId: required(anyText), uploadId: required(anyText) };

/** Actions of the storage actor for the doors of other protocols, which have authenticated and authorized the client. */
export const doorActions = {
  // Whether the bucket takes an object of this size and type, before its bytes are asked for.
  admitObject: action({
    params: { ...doorKey, size: required(integer(0)), contentType: required(anyText) },
    result: type<null>(),
    repeatable: true,
  }),
  // Not repeated: the content may have been replaced, and released, since.
  storeObject: action({
    params: { object: required(doorObject), seen: optional(seenVersion) },
    result: type<DoorWrite>(),
    repeatable: false,
  }),
  // Replaces what an object is stored with besides its bytes.
  changeDetails: action({
    params: {
      ...doorKey,
      ...doorDetails,
      checksum: optional(objectChecksum),
      createdVia: required(oneOf('s3', 'azure')),
      seen: required(seenVersion),
    },
    result: type<DoorWrite>(),
    repeatable: true,
  }),
  changeTags: action({
    params: { ...doorKey, tags: required(objectTags), seen: required(seenVersion) },
    result: type<DoorWrite>(),
    repeatable: true,
  }),
  removeKey: action({
    params: { ...doorKey, userId: required(anyText), seen: optional(seenVersion) },
    result: type<DoorRemoval>(),
    repeatable: true,
  }),
  removeKeys: action({
    params: {
      organizationId: required(anyText),
      bucketId: required(anyText),
      removals: required(doorKeyRemovals),
      userId: required(anyText),
    },
    result: type<DoorRemoval[]>(),
    repeatable: true,
  }),
  // Each run starts an upload of its own.
  startParts: action({
    params: { ...doorKey, ...doorDetails, checksum: optional(objectChecksum) },
    result: type<{ uploadId: string; contentId: string }>(),
    repeatable: false,
  }),
  // The blocks of a blob that wait to be made an object of; they are begun where there are none.
  stageBlocks: action({
    params: doorKey,
    result: type<{ uploadId: string; contentId: string }>(),
    repeatable: true,
  }),
  recordPart: action({ params: { ...ofUpload, part: required(doorPart) }, result: type<null>(), repeatable: true }),
  completeParts: action({
    params: {
      ...ofUpload,
      parts: required(doorParts),
      etag: required(anyText),
      checksum: optional(objectChecksum),
      partSizes: optional(objectPartSizes),
      made: optional(doorMade),
      seen: optional(seenVersion),
    },
    result: type<DoorWrite>(),
    repeatable: true,
  }),
  abortParts: action({ params: ofUpload, result: type<null>(), repeatable: true }),
};
