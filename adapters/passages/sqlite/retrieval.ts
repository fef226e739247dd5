import type { Retrieval } from '../port.ts';
import { documentFrequency, type WordsMet } from '../wording.ts';
import { numberOf, ordinalSpan } from './connection.ts';
import type { Connection } from './connection.ts';
import { KnownPassages } from './known.ts';
import type { KnownPassage } from './known.ts';
import { KnownStatistics } from './known-statistics.ts';
import { MeaningScan } from './meaning.ts';
import { packedWidth } from './messages.ts';
import type { PackedRetrieval } from './messages.ts';
import { PermittedLists, type Permitted } from './permitted.ts';
import { distanceSql, meaningLeg, wordLeg } from './statements.ts';
import { WordScan } from './word-scan.ts';

/** Memory for postings, at most: 3 million of them. */
const postingBytes = 24 * 2 ** 20;

/** What a retrieval can do before the query's vector is there. */
interface ByWords {
  /** The file's version that it was done from. */
  version: number;
  organization: number;
  statistics: Pick<PackedRetrieval, 'passages' | 'averageLength' | 'documentFrequencies'>;
  /** The terms without the stems that no passage of the organization holds. */
  terms: Retrieval['terms'];
  found: Map<number, Found>;
  /** What the meaning leg may look at; null where its SQL statement finds that out. */
  permitted: Permitted | null;
}

interface Found {
  passage: KnownPassage;
  /** Where the terms stand in it. */
  places: WordsMet['places'];
  /** Cosine with the query's vector; NaN as long as there is none. */
  cosine: number;
}

/**
 * The retrievals of one reading thread. The part of one that needs no vector may be done ahead, while the vector is
 * still being computed; it counts only as long as the file is the same, so that both legs see one snapshot.
 */
export class Retrievals {
  readonly #connection: Connection;
  readonly #known: KnownPassages;
  readonly #statistics: KnownStatistics;
  readonly #lists: PermittedLists;
  readonly #words: WordScan;
  readonly #scan: MeaningScan;
  readonly #begun = new Map<number, ByWords>();

  /** @param vectorBytes memory for vectors, at most */
  constructor(connection: Connection, vectorBytes: number) {
    this.#connection = connection;
    this.#known = new KnownPassages(connection);
    this.#statistics = new KnownStatistics(connection);
    this.#lists = new PermittedLists(connection);
    this.#words = new WordScan(connection, postingBytes);
    this.#scan = new MeaningScan(connection, vectorBytes);
  }

  /** Does the part of a retrieval that needs no vector and keeps it under a number, until it is asked for. */
  begin(begun: number, organizationId: string, retrieval: Retrieval): void {
    this.#begun.set(begun, this.#byWords(organizationId, retrieval));
  }

  /** Both legs from the snapshot of the present transaction. */
  retrieve(organizationId: string, retrieval: Retrieval, begun: number | null): PackedRetrieval {
    const ahead = begun === null ? undefined : this.#begun.get(begun);
    if (begun !== null) this.#begun.delete(begun);
    const words = ahead !== undefined && ahead.version === this.#known.version() ? ahead : this.#byWords(organizationId, retrieval);
    const { found, statistics } = words;
    const cosines = this.#cosines(words, retrieval);
    const byMeaningAlone = [...cosines.keys()].filter((id) => !found.has(id));
    for (const [id, each] of this.#withWords(byMeaningAlone, words.terms)) found.set(id, each);
    for (const [id, cosine] of cosines) {
      const each = found.get(id);
      if (each !== undefined) each.cosine = cosine;
    }
    return { ...statistics, ...packed(found) };
  }

  /** Cosines of the nearest passages, and of those that words found. */
  #cosines({ found, organization, permitted }: ByWords, retrieval: Retrieval): Map<number, number> {
    const cosines = new Map<number, number>();
    const { vector, embeddingModel, limit } = retrieval;
    if (vector === null || embeddingModel === null) return cosines;
    const nearest = permitted === null ? null : this.#scan.nearest(permitted, vector, limit);
    if (nearest !== null) {
      for (const id of nearest.ids) cosines.set(id, nearest.cosineOf(id));
      for (const id of found.keys()) if (!Number.isNaN(nearest.cosineOf(id))) cosines.set(id, nearest.cosineOf(id));
      return cosines;
    }
    const meaning = meaningLeg(organization, retrieval);
    for (const row of meaning === null ? [] : this.#connection.lists(meaning.sql, ...meaning.values)) cosines.set(numberOf(row[0]), 1 - numberOf(row[1]));
    const byWordsAlone: number[] = [];
    for (const [id, { passage }] of found) if (!cosines.has(id) && passage.of.model === embeddingModel) byWordsAlone.push(id);
    const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
    for (const row of this.#connection.lists(distanceSql, bytes, JSON.stringify(byWordsAlone), bytes.length)) cosines.set(numberOf(row[0]), 1 - numberOf(row[1]));
    return cosines;
  }

  #byWords(organizationId: string, retrieval: Retrieval): ByWords {
    const version = this.#known.version();
    const stems = retrieval.terms.flat();
    const { number: organization, passages, words, counts } = this.#statistics.of(organizationId, stems, version);
    const countOf = (stem: string): number => counts.get(stem) ?? 0;
    const terms = retrieval.terms.map((each) => each.filter((stem) => countOf(stem) > 0));
    const permitted = this.#lists.of(organization, retrieval, version);
    const sought = [...new Set(terms.flat())].map((stem) => ({ stem, passages: countOf(stem) }));
    const ids = (permitted === null ? null : this.#words.best(organization, permitted, sought, version, retrieval.limit)) ?? this.#idsByStatement(organization, { ...retrieval, terms });
    return {
      version,
      organization,
      terms,
      statistics: {
        passages,
        averageLength: passages === 0 ? 0 : words / passages,
        documentFrequencies: retrieval.terms.map((term) => documentFrequency(countOf, term, passages)),
      },
      found: this.#withWords(ids, terms),
      permitted: permitted === null || retrieval.embeddingModel === null ? null : this.#scan.prepare(permitted),
    };
  }

  #idsByStatement(organization: number, retrieval: Retrieval): number[] {
    const leg = wordLeg(organization, retrieval);
    return leg === null ? [] : this.#connection.lists(leg.sql, ...leg.values).map((found) => numberOf(found[0]));
  }

  #withWords(ids: readonly number[], terms: Retrieval['terms']): Map<number, Found> {
    const passages = this.#known.of(ids);
    const met = this.#known.met(passages.values(), terms);
    const found = new Map<number, Found>();
    let place = 0;
    for (const [id, passage] of passages) found.set(id, { passage, places: met[place++]?.places ?? [], cosine: Number.NaN });
    return found;
  }
}

/** Candidates in columns, as they travel to the asking thread. */
function packed(found: ReadonlyMap<number, Found>): Pick<PackedRetrieval, 'assetIds' | 'languages' | 'numbers' | 'places'> {
  const assetIds = new Names();
  const languages = new Names();
  const numbers = new Float64Array(found.size * packedWidth);
  const places = new Int32Array(found.values().reduce((sum, each) => sum + each.places.length, 0));
  let [at, taken] = [0, 0];
  for (const [id, { passage, places: own, cosine }] of found) {
    numbers[at] = passage.of.revision;
    numbers[at + 1] = id % ordinalSpan;
    numbers[at + 2] = passage.of.attributesVersion;
    numbers[at + 3] = passage.length;
    numbers[at + 4] = cosine;
    numbers[at + 5] = assetIds.placeOf(passage.of.assetId);
    numbers[at + 6] = languages.placeOf(passage.analysedAs);
    numbers[at + 7] = own.length;
    places.set(own, taken);
    taken += own.length;
    at += packedWidth;
  }
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
