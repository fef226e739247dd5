import { defineCollection } from './collection.ts';

/** A blob of text that is small enough to stand in the records. Its id is the blob's key. */
export interface SmallBlob {
  _id: string;
  text: string;
}

/** Small blobs, where a single process keeps both records and blobs. */
export const smallBlobs = defineCollection<SmallBlob>({ name: 'blobs', owner: 'deployment', indexes: [] });
