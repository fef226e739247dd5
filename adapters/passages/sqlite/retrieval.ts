import type { Retrieval } from '../port.ts';
import { documentFrequency } from '../wording.ts';
import { numberOf, ordinalOf, revisionNumberOf } from './connection.ts';
import type { Connection } from './connection.ts';
import { KnownPassages } from './known.ts';
import type { KnownPassage } from './known.ts';
import { KnownStatistics } from './known-statistics.ts';
import { MeaningScan, type Nearest } from './meaning.ts';
import { packedWidth } from './messages.ts';
import type { PackedRetrieval } from './messages.ts';
import { PermittedLists, type Permitted } from './permitted.ts';
import { distanceSql, meaningLeg, wordLeg } from './statements.ts';
import { Versions } from './versions.ts';
import { WordScan } from './word-scan.ts';

/** Memory for postings, at most: 3 million of them. */
const postingBytes = 24 * 2 ** 20;

/** A retrieval as a reader is asked for it. */
export interface Asked {
  organizationId: string;
  retrieval: Retrieval;
  /** What was begun of it, where that was told. */
  begun: number | null;
}

/** Where a retrieval looks. */
interface Place {
  /** The version of what is retrievable that this was found from. */
  version: number;
  organization: number;
  /** What the meaning leg may look at; null where its SQL statement finds that out. */
  permitted: Permitted | null;
}

/** What a retrieval can do before the query's vector is there. */
interface ByWords extends Place {
  statistics: Pick<PackedRetrieval, 'passages' | 'averageLength' | 'documentFrequencies'>;
  /** The terms without the stems that no passage of the organization holds. */
  terms: Retrieval['terms'];
  found: Found;
  /** For each permitted passage whether it holds any of the words; null where the SQL statement found them. */
  met: Uint8Array | null;
}

/** Passages that were found, in columns: hundreds for each search. */
interface Found {
  ids: number[];
  passages: KnownPassage[];
  /** Where the terms stand in each. */
  places: (readonly number[])[];
}

/**
 * The retrievals of one reading thread. The part of one that needs no vector may be done ahead, while the vector is
 * still being computed; it counts only as long as the same is retrievable, so that both legs find from the same passages.
 */
export class Retrievals {
  readonly #connection: Connection;
  readonly #versions: Versions;
  readonly #known: KnownPassages;
  readonly #statistics: KnownStatistics;
  readonly #lists: PermittedLists;
  readonly #words: WordScan;
  readonly #scan: MeaningScan;
  readonly #begun = new Map<number, ByWords>();

  /** @param vectorBytes memory for vectors, at most */
  constructor(connection: Connection, vectorBytes: number) {
    this.#connection = connection;
    this.#versions = new Versions(connection);
    this.#known = new KnownPassages(connection);
    this.#statistics = new KnownStatistics(connection);
    this.#lists = new PermittedLists(connection);
    this.#words = new WordScan(connection, postingBytes);
    this.#scan = new MeaningScan(connection, vectorBytes);
  }

  /** Does the part of a retrieval that needs no vector and keeps it under a number, until it is asked for. */
  begin(begun: number, organizationId: string, retrieval: Retrieval): void {
    this.#begun.set(begun, this.#byWords(organizationId, retrieval, this.#placeOf(organizationId, retrieval)));
  }

  /**
   * Both legs of several retrievals, `mostTogether` at most, from the snapshot of the present transaction. Vectors are
   * compared with all of them in one pass; the rest is done one after the other, when the answers are asked for.
   */
  retrieve(asked: readonly Asked[]): (() => PackedRetrieval)[] {
    const placed = asked.map((each) => ({ each, place: this.#aheadOf(each) ?? this.#placeOf(each.organizationId, each.retrieval) }));
    const sought = placed.flatMap(({ each, place: { permitted } }) => {
      const { vector, embeddingModel, limit } = each.retrieval;
      return permitted === null || vector === null || embeddingModel === null ? [] : [{ each, aim: { permitted, vector, limit } }];
    });
    const nearest = new Map(this.#scan.nearest(sought.map(({ aim }) => aim)).map((found, at) => [sought[at]?.each, found]));
    return placed.map(({ each, place }) => () => this.#both(each, place, nearest.get(each) ?? null));
  }

  /** What was done ahead of a retrieval, where that still holds. */
  #aheadOf({ begun }: Asked): ByWords | undefined {
    if (begun === null) return undefined;
    const ahead = this.#begun.get(begun);
    this.#begun.delete(begun);
    return ahead?.version === this.#versions.now().retrievable ? ahead : undefined;
  }

  #placeOf(organizationId: string, retrieval: Retrieval): Place {
    const { file, retrievable } = this.#versions.now();
    const { number: organization } = this.#statistics.of(organizationId, [], file);
    const permitted = this.#lists.of(organization, retrieval, retrievable);
    if (permitted !== null && retrieval.embeddingModel !== null) this.#scan.prepare(permitted);
    return { version: retrievable, organization, permitted };
  }

  #both({ organizationId, retrieval }: Asked, place: Place | ByWords, nearest: Nearest | null): PackedRetrieval {
    const words = 'found' in place ? place : this.#byWords(organizationId, retrieval, place);
    const { found, statistics, terms, version } = words;
    const { ids, cosineOf } = nearest ?? this.#byStatement(words, retrieval);
    const foundByWords = new Set(found.ids);
    const byMeaning = this.#withWords(ids.filter((id) => !foundByWords.has(id)), terms, version, (id) => isWithoutWords(words, id));
    const all: Found = { ids: [...found.ids, ...byMeaning.ids], passages: [...found.passages, ...byMeaning.passages], places: [...found.places, ...byMeaning.places] };
    return { ...statistics, ...packed(all, cosineOf) };
  }

  /** The nearest passages, and the cosines of all that are found, where they were not found by the scan. */
  #byStatement({ found, organization }: ByWords, retrieval: Retrieval): Nearest {
    const { vector, embeddingModel } = retrieval;
    if (vector === null || embeddingModel === null) return { ids: [], cosineOf: () => Number.NaN };
    const meaning = meaningLeg(organization, retrieval);
    const cosines = new Map<number, number>();
    for (const row of meaning === null ? [] : this.#connection.lists(meaning.sql, ...meaning.values)) cosines.set(numberOf(row[0]), 1 - numberOf(row[1]));
    const ids = [...cosines.keys()];
    const byWordsAlone = found.ids.filter((id, at) => !cosines.has(id) && found.passages[at]?.of.model === embeddingModel);
    const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
    for (const row of this.#connection.lists(distanceSql, bytes, JSON.stringify(byWordsAlone), bytes.length)) cosines.set(numberOf(row[0]), 1 - numberOf(row[1]));
    return { ids, cosineOf: (id) => cosines.get(id) ?? Number.NaN };
  }

  #byWords(organizationId: string, retrieval: Retrieval, place: Place): ByWords {
    const { organization, permitted, version } = place;
    const now = this.#versions.now();
    const stems = retrieval.terms.flat();
    const { passages, words, counts } = this.#statistics.of(organizationId, stems, now.file);
    const countOf = (stem: string): number => counts.get(stem) ?? 0;
    const terms = retrieval.terms.map((each) => each.filter((stem) => countOf(stem) > 0));
    const sought = [...new Set(terms.flat())].map((stem) => ({ stem, passages: countOf(stem) }));
    const byScan = permitted === null ? null : this.#words.best(organization, permitted, sought, now, retrieval.limit);
    const ids = byScan?.ids ?? this.#idsByStatement(organization, { ...retrieval, terms });
    return {
      ...place,
      terms,
      statistics: {
        passages,
        averageLength: passages === 0 ? 0 : words / passages,
        documentFrequencies: retrieval.terms.map((term) => documentFrequency(countOf, term, passages)),
      },
      found: this.#withWords(ids, terms, version),
      met: byScan?.met ?? null,
    };
  }

  #idsByStatement(organization: number, retrieval: Retrieval): number[] {
    const leg = wordLeg(organization, retrieval);
    return leg === null ? [] : this.#connection.lists(leg.sql, ...leg.values).map((found) => numberOf(found[0]));
  }

  /** Passages with the places of the terms' words, those that are there; `lacks` may tell of one that it holds none of them. */
  #withWords(ids: readonly number[], terms: Retrieval['terms'], version: number, lacks: (id: number) => boolean = () => false): Found {
    const found: Found = { ids: [], passages: [], places: [] };
    const [read, readAt]: [KnownPassage[], number[]] = [[], []];
    const known = this.#known.of(ids, version);
    for (let at = 0; at < ids.length; at += 1) {
      const [id, passage] = [ids[at] ?? 0, known[at]];
      if (passage === undefined) continue;
      if (!lacks(id)) {
        read.push(passage);
        readAt.push(found.ids.length);
      }
      found.ids.push(id);
      found.passages.push(passage);
      found.places.push(nowhere);
    }
    this.#known.met(read, terms).forEach((places, at) => {
      found.places[readAt[at] ?? 0] = places;
    });
    return found;
  }
}

const nowhere: readonly number[] = [];

/** Whether what words found tells of a further passage that it holds none of them, so that its words need not be looked at. */
function isWithoutWords({ met, permitted }: ByWords, id: number): boolean {
  const revision = met === null ? undefined : permitted?.revisions.get(revisionNumberOf(id));
  return revision !== undefined && met?.[revision.place + ordinalOf(id)] === 0;
}

/** Candidates in columns, as they travel to the asking thread. */
function packed({ ids, passages, places: placesOf }: Found, cosineOf: (id: number) => number): Pick<PackedRetrieval, 'assetIds' | 'languages' | 'numbers' | 'places'> {
  const assetIds = new Names();
  const languages = new Names();
  const numbers = new Float64Array(ids.length * packedWidth);
  const places = new Int32Array(placesOf.reduce((sum, own) => sum + own.length, 0));
  let [at, taken] = [0, 0];
  passages.forEach(({ of, length, analysedAs }, place) => {
    const [id, own] = [ids[place] ?? 0, placesOf[place] ?? nowhere];
    numbers[at] = of.revision;
    numbers[at + 1] = ordinalOf(id);
    numbers[at + 2] = of.attributesVersion;
    numbers[at + 3] = length;
    numbers[at + 4] = cosineOf(id);
    numbers[at + 5] = assetIds.placeOf(of.assetId);
    numbers[at + 6] = languages.placeOf(analysedAs);
    numbers[at + 7] = own.length;
    for (const each of own) places[taken++] = each;
    at += packedWidth;
  });
  return { assetIds: assetIds.all, languages: languages.all, numbers, places };
}

/** Names that occur many times, each once, with its place. */
class Names {
  readonly all: string[] = [];
  readonly #places = new Map<string, number>();
  #last = '';
  #lastPlace = -1;

  placeOf(name: string): number {
    if (this.#lastPlace < 0 || name !== this.#last) {
      this.#lastPlace = this.#find(name);
      this.#last = name;
    }
    return this.#lastPlace;
  }

  #find(name: string): number {
    const known = this.#places.get(name);
    if (known !== undefined) return known;
    this.#places.set(name, this.all.length);
    return this.all.push(name) - 1;
  }
}
