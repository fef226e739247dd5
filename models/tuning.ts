import type { Kind, Metadata } from './asset.ts';
import { defineCollection } from './collection.ts';

/** A search for `term` also finds passages with one of the expansions, but not the reverse. */
export interface SynonymRule {
  term: string;
  expansions: string[];
}

/** Moves matching files up (factor above 1) or down (below 1) in the results of a search. */
export interface BoostRule {
  name: string;
  match: { metadata?: Metadata; kind?: Kind };
  factor: number;
}

/** Files that come first, in this order, if a search for `query` finds them. */
export interface PinRule {
  /** Trimmed and in lower case. */
  query: string;
  assetIds: string[];
}

/** Maximum number of rules of each sort for an organization. */
export const maxRules = { synonyms: 500, boosts: 100, pins: 1000 } as const;

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
