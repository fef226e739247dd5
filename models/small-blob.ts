import { defineCollection } from './collection.ts';

/** A text blob that is small enough to be stored in the records. Its id is the blob's key. */
export interface SmallBlob {
  _id: string;
  text: string;
}

/** Small blobs, in deployments where a single process stores both records and blobs. */
export const smallBlobs = defineCollection<SmallBlob>({ name: 'blobs', owner: 'deployment', indexes: [] });
