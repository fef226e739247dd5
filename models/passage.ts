import type { AclMode, Kind, Metadata } from './asset.ts';
import type { Location } from './block.ts';

/** A piece of a file as it is searched: up to about 200 words of consecutive blocks. */
export interface Passage {
  /** 0, 1, 2, ... in the file's order. */
  ordinal: number;
  text: string;
  /** The analysed words of `text` in order, then those of its titles that it lacks, separated by single spaces. */
  stems: string;
  /** Number of words in `stems`. */
  length: number;
  location: Location;
  /** Told to clients; null for documents and where unknown. */
  language: string | null;
  speaker: string | null;
  /** Language whose stemmer was used (`en`, `de`, ...; `und` for none). */
  analysedAs: string;
  /**
   * Speech alone: when its text is said, as pairs one after the other of a UTF-16 offset into `text` and hundredths of a
   * second since `location.startSeconds`. Both rise; between two pairs time runs evenly with the offset.
   */
  timings?: number[];
}

/** A passage with its vector; null where it is searched by words alone. */
export interface IndexedPassage extends Passage {
  vector: Float32Array | null;
}

/** What the passage index knows of a file to restrict and filter by. It mirrors the asset's document. */
export interface FileAttributes {
  assetId: string;
  /** Mirrors of a lower version than the index has are ignored. */
  attributesVersion: number;
  aclMode: AclMode;
  principals: string[];
  kind: Kind;
  externalId: string;
  metadata: Metadata;
  collections: string[];
  createdAt: number;
  /** False while the source is missing: nothing of the file is retrieved. */
  present: boolean;
}

/** What a search may be narrowed by. All parts are joined by AND; empty arrays mean that nothing matches. */
export interface SearchFilter {
  kind?: Kind;
  collections?: string[];
  metadata?: Metadata;
  externalIds?: string[];
  assetIds?: string[];
  createdAfter?: number;
  createdBefore?: number;
  speaker?: string;
  language?: string;
}
