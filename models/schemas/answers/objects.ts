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

/** An object. */
export const objectAnswer = answer('StoredObject', {
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

/** An upload that was started or renewed. */
export const freshUploadAnswer = answer('FreshUpload', {
  ...upload,
  ticketTtlSeconds: count,
  parts: listOf(answer('UploadPart', { number: ordinal, size: count, url: text })),
  objectId: orNull(id),
});

/** An upload, with the parts that have arrived. */
export const uploadAnswer = answer('Upload', {
  ...upload,
  received: listOf(answer('ReceivedPart', { number: ordinal, size: count, etag: text })),
  objectId: orNull(id),
  object: optionalAnswer(objectAnswer),
});
