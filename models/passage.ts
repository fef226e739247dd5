import type { AclMode, Kind, Metadata } from './asset.ts';
import type { Location } from './block.ts';
import type { Infer } from './schemas/schema.ts';
import type { wholeFilter } from './schemas/search.ts';

/** A searchable part of a file: up to about 200 words of consecutive blocks. */
export interface Passage {
  /** 0, 1, 2, ... in the file's order. */
  ordinal: number;
  text: string;
  /** The analysed words of `text` in order, then those that only its titles have, as `passage-words.ts` stores them. */
  stems: string;
  /** Number of words in `stems`. */
  length: number;
  location: Location;
  /** Reported to clients; null for documents and where unknown. */
  language: string | null;
  speaker: string | null;
  /** Language whose stemmer was used (`en`, `de`, ...; `und` for none). */
  analysedAs: string;
  /**
   * For speech: when the text is said, as alternating values: a UTF-16 offset into `text`, then hundredths of a second
   * since `location.startSeconds`. Both ascend; times between two pairs are interpolated linearly.
   */
  timings?: number[];
}

/** A passage with its vector; null if it is only searched by words. */
export interface IndexedPassage extends Passage {
  vector: Float32Array | null;
}

/** The attributes of a file by which the passage index restricts and filters: a copy from the asset's document. */
export interface FileAttributes {
  assetId: string;
  /** The index ignores copies with a lower version than its own. */
  attributesVersion: number;
  aclMode: AclMode;
  principals: string[];
  kind: Kind;
  externalId: string;
  metadata: Metadata;
  collections: string[];
  createdAt: number;
  /** False while the source is missing: the file is not found. */
  present: boolean;
}

/** Filter of a search. All parts are joined by AND; empty arrays match nothing. */
export type SearchFilter = Infer<typeof wholeFilter>;

/** What an id of a passage names. */
export interface PassageAddress {
  assetId: string;
  revision: number;
  ordinal: number;
}

/** The id of a passage: `<asset>.<revision>.<ordinal>`. It is valid until the file has another revision. */
export function passageIdOf({ assetId, revision, ordinal }: PassageAddress): string {
  return `${assetId}.${revision}.${ordinal}`;
}

/** What an id of `passageIdForm` names. */
export function passageAddressOf(passageId: string): PassageAddress {
  const [assetId = '', revision, ordinal] = passageId.split('.');
  return { assetId: assetId.toLowerCase(), revision: Number(revision), ordinal: Number(ordinal) };
}

/** Up to `max` of the ordinals below `count`, in order and evenly spaced. */
export function evenlySpaced(count: number, max: number): number[] {
  const length = Math.min(count, max);
  return Array.from({ length }, (_, index) => Math.floor((index * count) / length));
}
