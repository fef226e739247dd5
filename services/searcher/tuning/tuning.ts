import { LRUCache } from 'lru-cache';
import type { Records } from '../../../adapters/records/port.ts';
import type { Asset } from '../../../models/asset.ts';
import type { OrganizationScope } from '../../../models/scope.ts';
import {
  tuningId,
  tuningRecords,
  type BoostRule,
  type PinRule,
  type SynonymRule,
  type TuningRecord,
  type TuningRules,
} from '../../../models/tuning.ts';
import { Dictionary } from './dictionary.ts';
import { pinnedQuery } from './rule-store.ts';

/** Organizations whose compiled rules are cached. */
const maxOrganizations = 1000;
/** Maximum compiled dictionaries of an organization, one for each set of languages. */
const maxDictionaries = 3;

/** The part of a file that boosts match. */
export type BoostedFile = Pick<Asset, 'kind' | 'metadata'>;

/** An organization's tuning rules, ready for searches. */
export interface Tuning {
  /** The dictionary for the languages of a library; null without synonyms. */
  dictionary(languages: readonly string[]): Promise<Dictionary | null>;
  /** The factor on the scores of a file's passages; null without boosts. */
  boostOf: ((file: BoostedFile) => number) | null;
  /** Files that are moved to the front if this query finds them. */
  pinsOf(query: string): readonly string[];
}

/** The tuning of an organization without rules. */
export const noTuning: Tuning = { dictionary: () => Promise.resolve(null), boostOf: null, pinsOf: () => [] };

interface LoadedTuning {
  tuning: Tuning;
  /** Versions of the rules: equal ones need not be read and compiled again. */
  versions: string;
}

/**
 * Reads the tuning of organizations. Rules are compiled once for each version. Their versions are read for each search,
 * so that a change holds in every process as soon as it is answered.
 */
export function tuningReader(records: Pick<Records, 'collection'>): (scope: OrganizationScope) => Promise<Tuning> {
  const compiled = new LRUCache<string, LoadedTuning>({ max: maxOrganizations });
  return async (scope) => {
    const known = compiled.get(scope.organizationId);
    const versions = await versionsOf(records, scope);
    if (known?.versions === versions) return known.tuning;
    const loaded = await loadTuning(records, scope);
    compiled.set(scope.organizationId, loaded);
    return loaded.tuning;
  };
}

function idsOf({ organizationId }: OrganizationScope): string[] {
  return (['boosts', 'pins', 'synonyms'] as const).map((kind) => tuningId(organizationId, kind));
}

function versionText(rows: readonly (readonly [id: unknown, version: unknown])[]): string {
  return rows
    .map((row) => row.join(' '))
    .sort()
    .join(' ');
}

async function versionsOf(records: Pick<Records, 'collection'>, scope: OrganizationScope): Promise<string> {
  const ids = idsOf(scope);
  const found = await records.collection(tuningRecords, scope).getParts(ids, ['_id', 'version']);
  return versionText(found.map(({ _id, version }) => [_id, version]));
}

async function loadTuning(records: Pick<Records, 'collection'>, scope: OrganizationScope): Promise<LoadedTuning> {
  const found = await records.collection(tuningRecords, scope).getMany(idsOf(scope));
  // The id of a document names the kind of its rules.
  const rulesOf = <K extends keyof TuningRules>(kind: K): TuningRules[K] =>
    (found.find(({ _id }) => _id === tuningId(scope.organizationId, kind)) as TuningRecord<K> | undefined)?.rules ??
    ([] as TuningRules[K]);
  return {
    tuning: compile(rulesOf('synonyms'), rulesOf('boosts'), rulesOf('pins')),
    versions: versionText(found.map(({ _id, version }) => [_id, version])),
  };
}

function compile(synonyms: readonly SynonymRule[], boosts: readonly BoostRule[], pins: readonly PinRule[]): Tuning {
  if (synonyms.length === 0 && boosts.length === 0 && pins.length === 0) return noTuning;
  const dictionaries = new Map<string, Promise<Dictionary>>();
  const pinned = new Map(pins.map(({ query, assetIds }) => [query, assetIds]));
  return {
    dictionary: async (languages) => {
      if (synonyms.length === 0) return null;
      const key = languages.join(' ');
      const known = dictionaries.get(key);
      if (known !== undefined) return known;
      const [oldest] = dictionaries.keys();
      if (dictionaries.size >= maxDictionaries && oldest !== undefined) dictionaries.delete(oldest);
      const compiled = Dictionary.compile(synonyms, languages);
      dictionaries.set(key, compiled);
      return compiled;
    },
    boostOf: boosts.length === 0 ? null : boostsOf(boosts),
    pinsOf: (query) => (pinned.size === 0 ? [] : (pinned.get(pinnedQuery(query)) ?? [])),
  };
}

/**
 * The product of the factors of all boosts that match a file, 1 if none does. All conditions of a match must be met.
 * Metadata is compared like a search filter: a value equals the file's value or a member of its list; a list of values
 * matches if any of them does.
 */
export function boostsOf(rules: readonly BoostRule[]): (file: BoostedFile) => number {
  const boosts = rules.map(({ match, factor }) => ({
    kind: match.kind,
    factor,
    metadata: Object.entries(match.metadata ?? {}).map(([key, wanted]) => ({
      key,
      wanted: new Set<string | number | boolean>(Array.isArray(wanted) ? wanted : [wanted]),
    })),
  }));
  // A file's document is the same object for all of its passages.
  const products = new WeakMap<BoostedFile, number>();
  const productOf = ({ kind, metadata }: BoostedFile): number => {
    let product = 1;
    for (const boost of boosts) {
      if (boost.kind !== undefined && boost.kind !== kind) continue;
      const matches = boost.metadata.every(({ key, wanted }) => {
        const value = Object.hasOwn(metadata, key) ? metadata[key] : undefined;
        return Array.isArray(value) ? value.some((each) => wanted.has(each)) : value !== undefined && wanted.has(value);
      });
      if (matches) product *= boost.factor;
    }
    return product;
  };
  return (file) => {
    const known = products.get(file);
    if (known !== undefined) return known;
    const product = productOf(file);
    products.set(file, product);
    return product;
  };
}
