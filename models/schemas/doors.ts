import type { ObjectChecksum, ObjectHeaders, ObjectTags, PartSizes } from '../storage-object.ts';
import { anyText } from './internal.ts';
import { objectMetadata } from './objects.ts';
import { list, nullable, object, optional, required, schemaOf, type Infer, type Schema } from './schema.ts';
import { decimal, integer, oneOf } from './values.ts';

/*
 * Parameters of actions that doors call, which have checked them already: what clients of other protocols sent, in terms
 * of the one engine of objects.
 */

const count = integer(0);
const content = object({ id: required(anyText), form: required(anyText) });
const headers: Schema<ObjectHeaders> = object({
  cacheControl: optional(anyText),
  contentDisposition: optional(anyText),
  contentEncoding: optional(anyText),
  contentLanguage: optional(anyText),
  expires: optional(anyText),
  redirectLocation: optional(anyText),
});
const checksum: Schema<ObjectChecksum> = object({
  algorithm: required(anyText),
  value: required(anyText),
  type: required(oneOf('FULL_OBJECT', 'COMPOSITE')),
  parts: optional(anyText),
});
/** Made by a door of the parts that it read. */
const partSizes: Schema<PartSizes> = schemaOf({}, { type: 'any' });
/** Checked by the door. */
const tags: Schema<ObjectTags> = schemaOf({}, { type: 'any' });

/** The version of an object that a door has seen, by which it judged the client's conditions. */
const seen = object({ contentId: required(anyText), updatedAt: required(decimal({})) });
/** Null: there was no object. */
export const seenVersion = nullable(seen);
/** What a door has seen under a key; null where there was no object. */
export type SeenVersion = Infer<typeof seenVersion>;

/** Where an object is. */
export const doorKey = { organizationId: required(anyText), bucketId: required(anyText), key: required(anyText) };

const keyRemoval = object({ key: required(anyText), seen: optional(seenVersion) });
/** A key whose object is to be deleted; with `seen` only if it is the one that the door has seen. */
export type DoorKeyRemoval = Infer<typeof keyRemoval>;
/** Most keys of which the objects are deleted by one call: as few as one transaction, and one message, takes. */
export const maxKeyRemovals = 500;
/** The keys whose objects are deleted together. */
export const doorKeyRemovals = list(keyRemoval, maxKeyRemovals, 1);

/** What an object is stored with besides its bytes. */
export const doorDetails = {
  contentType: required(anyText),
  metadata: required(objectMetadata),
  headers: optional(headers),
  tags: optional(tags),
};

/** What is stored. */
export const doorObject = object({
  ...doorKey,
  ...doorDetails,
  size: required(count),
  etag: required(anyText),
  content: required(content),
  createdVia: required(oneOf('s3', 'azure')),
  checksum: optional(checksum),
  partSizes: optional(partSizes),
});
/** An object as a door stores it. Its bytes are in the store of objects already. */
export type DoorObject = Infer<typeof doorObject>;

/** A part of an upload in parts, as a door has stored it. */
export const doorPart = object({
  // Parts of S3 clients count from 1; blocks have numbers made from their ids.
  number: required(integer(0, 2 ** 48)),
  name: required(anyText),
  bytes: required(count),
  md5: required(anyText),
  checksum: optional(anyText),
});
/** A part as a door has stored it. */
export type DoorPart = Infer<typeof doorPart>;

/** The parts of which an object is made, in their order. */
export const doorParts = list(doorPart, 50_000, 1);
/** What an object of parts is to have besides them, where that is known only in the end. */
export const doorMade = object({
  ...doorDetails,
  checksum: optional(checksum),
  createdVia: required(oneOf('s3', 'azure')),
});
/** A checksum that an object or an upload has. */
export const objectChecksum = checksum;
/** Tags of an object. */
export const objectTags = tags;
/** Sizes of parts. */
export const objectPartSizes = partSizes;
