import type { CollectionView, CreatedCollectionView } from '../library-collection.ts';
import { answer, count, listOf, text as anyText } from './answers.ts';
import { assetMetadata } from './metadata.ts';
import { filled, list, object, required } from './schema.ts';
import { text, uuid } from './values.ts';

const unreserved = { source: '^[A-Za-z0-9_.~-]+$', expected: 'letters, digits and _ . ~ - alone' };

/** A name as it stands in a path: that of a collection, with up to `most` characters. */
export function pathName(most: number) {
  return text(1, most, unreserved);
}

const name = text(1, 512);

/** Body of POST /collections. */
export const newCollection = object({ name: required(name), documents: required(list(uuid, 1000, 1)) });

/** Body of PUT /collections/{externalId}. */
export const collectionChange = object({ externalId: filled(text(1, 512), null), name: required(name), metadata: filled(assetMetadata, null) });

/** Body of PUT /collections/{externalId}/assets. */
export const collectionAssets = object({ add: filled(list(uuid, 1000), null), remove: filled(list(uuid, 1000), null) });

const time = { type: 'string', format: 'date-time' };
const collection = { externalId: anyText, name: anyText, metadata: { type: 'object', description: 'Texts, numbers, booleans, or lists of them, by key.' }, assetCount: count, createdAt: time, updatedAt: time };

/** A collection. */
export const collectionAnswer = answer<CollectionView>('Collection', collection);

const unavailable = answer<CreatedCollectionView['unavailable'][number]>('UnavailableFile', { assetId: { type: 'string', format: 'uuid' }, code: anyText });

/** A new collection, with the files that could not be added. */
export const createdCollectionAnswer = answer<CreatedCollectionView>('CreatedCollection', { ...collection, unavailable: listOf(unavailable) });

/** A page of collections. */
export const collectionsAnswer = answer<{ items: CollectionView[] }>('Collections', { items: listOf(collectionAnswer) });

/** How many files a collection has. */
export const collectionCountAnswer = answer<{ externalId: string; assetCount: number }>('CollectionCount', { externalId: anyText, assetCount: count });
