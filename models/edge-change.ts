import { defineCollection } from './collection.ts';

/**
 * A change that edges must know of, because they keep copies: they drop what it names, and read it again when it is
 * next asked for. Applying a change twice does no harm.
 */
export type EdgeChange =
  /** Settings, visibility, suspension, signing key or state of a bucket; what an edge knows of it is read again. */
  | { kind: 'bucket'; organizationId: string; bucketId: string; name: string; settingsVersion: number }
  /** An object was deleted, disabled or reinstated. Writing a key again is no change: copies live until their TTL. */
  | { kind: 'object'; bucketId: string; key: string }
  /** A custom domain became active, or is active no more. */
  | { kind: 'domain'; hostname: string }
  /** Copies are dropped: of these canonical paths (without leading slash), of these prefixes, or all of the bucket. */
  | { kind: 'purge'; bucketId: string; scope: PurgeScope; targets: string[] };

/** What a purge is about. */
export type PurgeScope = 'urls' | 'prefixes' | 'all';

/**
 * Changes that were written together. Batches are numbered without gaps: a batch is inserted behind the last one, and
 * its id, the padded number, is unique. So a reader that has seen a batch has seen all before it.
 */
export interface EdgeChangeBatch {
  /** The position, padded with zeros. */
  _id: string;
  position: number;
  /** Store time. */
  at: number;
  changes: EdgeChange[];
  /** Equal to `at` until every live edge has acknowledged the batch. */
  openSince?: number;
  /** When it was found that an edge did not acknowledge it in time. */
  lateAt?: number;
}

/** The changes of all buckets, in their order. Old ones are removed. */
export const edgeChangeBatches = defineCollection<EdgeChangeBatch>({
  name: 'edge_changes',
  owner: 'deployment',
  indexes: [{ name: 'open', fields: ['openSince'], sparse: true }],
});

/** An edge that serves, or did a moment ago. */
export interface LiveEdge {
  /** Node id of the process. */
  _id: string;
  /** All batches up to this one are applied. */
  position: number;
  startedAt: number;
  /** Store time until which it counts as live; it is renewed. */
  liveUntil: number;
}

/** The edges of the deployment: a few documents. */
export const liveEdges = defineCollection<LiveEdge>({
  name: 'live_edges',
  owner: 'deployment',
  indexes: [],
});

const positionDigits = 16;

/** The id of the batch at a position: ids sort as positions do. */
export function batchId(position: number): string {
  return String(position).padStart(positionDigits, '0');
}
