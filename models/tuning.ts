import type { Kind, Metadata } from './asset.ts';
import { defineCollection } from './collection.ts';

/** What a search for `term` finds besides: passages that hold one of the expansions. It holds one way alone. */
export interface SynonymRule {
  term: string;
  expansions: string[];
}

/** Files that match are moved up (factor above 1) or down (below 1) among what a search found. */
export interface BoostRule {
  name: string;
  match: { metadata?: Metadata; kind?: Kind };
  factor: number;
}

/** Files that stand first, in this order, where a search for `query` finds them. */
export interface PinRule {
  /** Trimmed and in lower case. */
  query: string;
  assetIds: string[];
}

/** Most rules of each sort that an organization may have. */
export const mostRules = { synonyms: 500, boosts: 100, pins: 1000 } as const;

/** The rules of each sort. */
export interface TuningRules {
  synonyms: SynonymRule[];
  boosts: BoostRule[];
  pins: PinRule[];
}

/** All rules of one sort that an organization has. */
export interface TuningRecord<S extends keyof TuningRules = keyof TuningRules> {
  /** `<organization>/<sort>`. */
  _id: string;
  organizationId: string;
  rules: TuningRules[S];
  /** Grows with every write. */
  version: number;
}

/** Tuning of all organizations: a document for each organization and sort of rule. */
export const tuningRecords = defineCollection<TuningRecord>({ name: 'tuning', owner: 'organization', indexes: [] });

/** Id of the document with an organization's rules of one sort. */
export function tuningId(organizationId: string, sort: keyof TuningRules): string {
  return `${organizationId}/${sort}`;
}
