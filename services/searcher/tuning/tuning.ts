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
import { OrganizationCache, type OrganizationCacheOptions } from '../organization-cache.ts';
import { Dictionary } from './dictionary.ts';
import { pinnedQuery } from './rule-store.ts';

/** Maximum compiled dictionaries of an organization, one for each set of languages. */
const maxDictionaries = 3;

/** The part of a file that boosts match. */
export type BoostedFile = Pick<Asset, 'kind' | 'metadata'>;

/** An organization's tuning rules, ready for searches. */
export interface Tuning {
  /** The dictionary for the languages of a library; null without synonyms. */
  dictionary(languages: readonly string[]): Promise<Dictionary | null>;
  /** The factor on the scores of a file's passages. */
  boostOf(file: BoostedFile): number;
  /** Files that are moved to the front if this query finds them. */
  pinsOf(query: string): readonly string[];
}

/** The tuning of an organization without rules. */
export const noTuning: Tuning = { dictionary: () => Promise.resolve(null), boostOf: () => 1, pinsOf: () => [] };

interface LoadedTuning {
  tuning: Tuning;
  /** Versions of the rules: equal ones need not be compiled again. */
  versions: string;
}

/** The compiled rules of organizations. */
export interface TuningCache {
  get(scope: OrganizationScope): Promise<Tuning>;
  /** Drops the cached rules of an organization. */
  invalidate(organizationId: string): void;
}

/**
 * Loads the rules of organizations at most once a second each, and compiles them when they have changed.
 * @param clock milliseconds that never go back
 */
export function tuningCache(
  records: Pick<Records, 'collection'>,
  clock?: OrganizationCacheOptions<LoadedTuning>['clock'],
): TuningCache {
  const cache = new OrganizationCache<LoadedTuning>({
    load: (scope, previous) => loadTuning(records, scope, previous),
    ...(clock === undefined ? {} : { clock }),
  });
  return {
    get: async (scope) => (await cache.get(scope)).tuning,
    invalidate: (organizationId) => cache.invalidate(organizationId),
  };
}

async function loadTuning(
  records: Pick<Records, 'collection'>,
  scope: OrganizationScope,
  previous: LoadedTuning | undefined,
): Promise<LoadedTuning> {
  const idOf = (kind: keyof TuningRules): string => tuningId(scope.organizationId, kind);
  const found = await records
    .collection(tuningRecords, scope)
    .getMany([idOf('synonyms'), idOf('boosts'), idOf('pins')]);
  const versions = found.map(({ _id, version }) => `${_id} ${version}`).join(' ');
  if (previous?.versions === versions) return previous;
  // The id of a document names the kind of its rules.
  const rulesOf = <K extends keyof TuningRules>(kind: K): TuningRules[K] =>
    (found.find(({ _id }) => _id === idOf(kind)) as TuningRecord<K> | undefined)?.rules ?? ([] as TuningRules[K]);
  return { tuning: compile(rulesOf('synonyms'), rulesOf('boosts'), rulesOf('pins')), versions };
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
    boostOf: boostsOf(boosts),
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
