import type { Records } from '../../../adapters/records/port.ts';
import { isYounger } from '../../../models/age.ts';
import type { OrganizationScope } from '../../../models/scope.ts';
import { tuningId, tuningRecords, type TuningRecord, type TuningRules } from '../../../models/tuning.ts';
import { boostsOf, type BoostedFile } from './boosts.ts';
import { Dictionary } from './compiled.ts';
import { pinnedQuery } from './rules.ts';

/** How long an organization's tuning is believed, in milliseconds. A process that is told of a change asks at once. */
const believedFor = 1000;
/** Organizations remembered at most. */
const remembered = 1000;
/** Sets of languages that one dictionary is kept compiled for. */
const mostCompiled = 3;

/** An organization's rules, ready for searches. */
export interface Tuning {
  /** The dictionary for the languages of a library; null without synonyms. */
  dictionary(languages: readonly string[]): Promise<Dictionary | null>;
  /** What the scores of a file's passages are multiplied by. */
  boostOf(file: BoostedFile): number;
  /** Files that stand first where this query finds them. */
  pinsOf(query: string): readonly string[];
}

interface Loaded {
  tuning: Tuning | null;
  /** Versions of the rules, by which a change is told. */
  versions: string;
  /** When they were read; -Infinity where they are to be read again. */
  at: number;
}

/** Rules of each sort as they lie in the records. */
type Rules = { [S in keyof TuningRules]: TuningRules[S] };

function tuningOf({ synonyms, boosts, pins }: Rules): Tuning | null {
  if (synonyms.length === 0 && boosts.length === 0 && pins.length === 0) return null;
  const dictionaries = new Map<string, Promise<Dictionary>>();
  const pinned = new Map(pins.map(({ query, assetIds }) => [query, assetIds]));
  return {
    dictionary: async (languages) => {
      if (synonyms.length === 0) return null;
      const key = languages.join(' ');
      const known = dictionaries.get(key);
      if (known !== undefined) return known;
      const [oldest] = dictionaries.keys();
      if (dictionaries.size >= mostCompiled && oldest !== undefined) dictionaries.delete(oldest);
      const compiled = Dictionary.compile(synonyms, languages);
      dictionaries.set(key, compiled);
      (await compiled).analyseAhead();
      return compiled;
    },
    boostOf: boostsOf(boosts),
    pinsOf: (query) => (pinned.size === 0 ? [] : (pinned.get(pinnedQuery(query)) ?? [])),
  };
}

/**
 * The rules of organizations, each read once a second at most and compiled once a change. A search never waits for more
 * than one reading of three documents.
 */
export class Tunings {
  readonly #records: Pick<Records, 'collection'>;
  readonly #now: () => number;
  readonly #known = new Map<string, Loaded>();
  readonly #loading = new Map<string, Promise<Tuning | null>>();

  constructor(records: Pick<Records, 'collection'>, now: () => number) {
    this.#records = records;
    this.#now = now;
  }

  /** An organization's tuning; null where it has none. */
  async of(scope: OrganizationScope): Promise<Tuning | null> {
    const { organizationId } = scope;
    const known = this.#known.get(organizationId);
    if (known !== undefined && isYounger(known.at, this.#now(), believedFor)) return known.tuning;
    const under = this.#loading.get(organizationId);
    if (under !== undefined) return under;
    const loading = this.#load(scope, known).then((loaded) => {
      // Another reading in its place began after a change: what this one saw is of no use to later searches.
      if (this.#loading.get(organizationId) === loading) this.#keep(organizationId, loaded);
      return loaded.tuning;
    }).finally(() => {
      if (this.#loading.get(organizationId) === loading) this.#loading.delete(organizationId);
    });
    this.#loading.set(organizationId, loading);
    return loading;
  }

  /** The rules of an organization were changed: the next search reads them. */
  forget(organizationId: string): void {
    const known = this.#known.get(organizationId);
    if (known !== undefined) known.at = -Infinity;
    this.#loading.delete(organizationId);
  }

  async #load(scope: OrganizationScope, known: Loaded | undefined): Promise<Loaded> {
    const sorts = ['synonyms', 'boosts', 'pins'] as const;
    const found = await this.#records.collection(tuningRecords, scope).getMany(sorts.map((sort) => tuningId(scope.organizationId, sort)));
    const versions = found.map(({ _id, version }) => `${_id} ${version}`).join(' ');
    const at = this.#now();
    if (known?.versions === versions) return { ...known, at };
    // A document's id names the sort of its rules.
    const rulesOf = <S extends keyof TuningRules>(sort: S): TuningRules[S] => ((found.find(({ _id }) => _id === tuningId(scope.organizationId, sort)) as TuningRecord<S> | undefined)?.rules ?? ([] as TuningRules[S]));
    return { tuning: tuningOf({ synonyms: rulesOf('synonyms'), boosts: rulesOf('boosts'), pins: rulesOf('pins') }), versions, at };
  }

  #keep(organizationId: string, loaded: Loaded): void {
    this.#known.delete(organizationId);
    const [oldest] = this.#known.keys();
    if (this.#known.size >= remembered && oldest !== undefined) this.#known.delete(oldest);
    this.#known.set(organizationId, loaded);
  }
}
