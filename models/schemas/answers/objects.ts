import type { ObjectMetadata } from '../../storage-object.ts';
import {
  annotated,
  answer,
  count,
  described,
  id,
  listOf,
  literals,
  optionalAnswer,
  ordinal,
  orNull,
  text,
  time,
} from './answer.ts';

const object = {
  id,
  bucketId: id,
  key: text,
  size: count,
  contentType: text,
  sha256: orNull(text),
  checksumState: literals('verified', 'unverified', 'pending', 'mismatch', 'not_requested'),
  etag: text,
  state: literals('stored', 'disabled'),
  metadata: described<ObjectMetadata>({ type: 'object' }),
  url: optionalAnswer(annotated(text, { description: 'Where it can be read without a signed link.' })),
  createdAt: time,
  updatedAt: time,
  createdVia: literals('plycdn', 's3', 'azure'),
};

/** An object. */
export const objectAnswer = answer('StoredObject', object);

/** The object that an upload was completed to. */
export const completedAnswer = answer('CompletedUpload', {
  ...object,
  videoId: optionalAnswer(annotated(id, { description: 'The video whose source it is.' })),
});

/** A page of objects. */
export const objectsAnswer = answer('StoredObjects', { items: listOf(objectAnswer), nextCursor: orNull(text) });

const upload = {
  id,
  bucketId: id,
  key: text,
  size: count,
  contentType: text,
  partSize: count,
  partCount: ordinal,
  state: literals('open', 'completed', 'aborted', 'expired'),
  expiresAt: time,
  ticketExpiresAt: time,
};

/** The fields of an upload that was started or renewed. */
export const freshUploadFields = {
  ...upload,
  ticketTtlSeconds: count,
  parts: listOf(answer('UploadPart', { number: ordinal, size: count, url: text })),
  objectId: orNull(id),
};

const videoId = optionalAnswer(
  annotated(orNull(id), { description: 'On uploads to a library: the video, null before there is one.' }),
);

/** An upload that was started or renewed. */
export const freshUploadAnswer = answer('FreshUpload', { ...freshUploadFields, videoId });

/** An upload, with the parts that have arrived. */
export const uploadAnswer = answer('Upload', {
  ...upload,
  received: listOf(answer('ReceivedPart', { number: ordinal, size: count, etag: text })),
  objectId: orNull(id),
  videoId,
  object: optionalAnswer(objectAnswer),
});
