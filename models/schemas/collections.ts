import { answer, count, id, listOf, metadata, orNull, text as anyText, time } from './answers/answer.ts';
import { assetMetadata } from './metadata.ts';
import { withDefault, list, object, required } from './schema.ts';
import { text, uuid } from './values.ts';

const unreserved = { source: '^[A-Za-z0-9_.~-]+$', expected: 'letters, digits and _ . ~ - alone' };

/** The name of a collection as a path segment of up to `max` characters. */
export function pathName(max: number) {
  return text(1, max, unreserved);
}

const name = text(1, 512);

/** Body of POST /collections. */
export const newCollection = object({ name: required(name), documents: required(list(uuid, 1000, 1)) });

/** Body of PUT /collections/{externalId}. */
export const collectionChange = object({
  externalId: withDefault(text(1, 512), null),
  name: required(name),
  metadata: withDefault(assetMetadata, null),
});

/** Body of PUT /collections/{externalId}/assets. */
export const collectionAssets = object({
  add: withDefault(list(uuid, 1000), null),
  remove: withDefault(list(uuid, 1000), null),
});

const collection = {
  externalId: anyText,
  name: anyText,
  metadata,
  /** Assets in it that were not deleted. */
  assetCount: count,
  createdAt: time,
  updatedAt: time,
};

/** A collection. */
export const collectionAnswer = answer('Collection', collection);

/** A new collection, with the files that could not be added. */
export const createdCollectionAnswer = answer('CreatedCollection', {
  ...collection,
  unavailable: listOf(answer('UnavailableFile', { assetId: id, code: anyText })),
});

/** A page of collections. */
export const collectionsAnswer = answer('Collections', { items: listOf(collectionAnswer) });

/** The number of files in a collection. */
export const collectionCountAnswer = answer('CollectionCount', { externalId: anyText, assetCount: count });

/** A page of collections as a reader sees them; `nextOffset` is null after the last. */
export const readableCollectionsAnswer = answer('ReadableCollections', {
  items: listOf(answer('ReadableCollection', { externalId: anyText, name: anyText, metadata })),
  nextOffset: orNull(count),
});
