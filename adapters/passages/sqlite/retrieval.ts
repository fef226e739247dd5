import { isOfContents } from '../../../models/passage-words.ts';
import type { QueryVector, Retrieval } from '../port.ts';
import { matchTerms, type TermMatches } from '../term-matches.ts';
import { documentFrequency } from '../word-counts.ts';
import { numberOf, ordinalOf } from './connection.ts';
import type { Connection } from './connection.ts';
import { packedWidth } from './messages.ts';
import type { FoundWords, Nearest, PackedRetrieval } from './messages.ts';
import { PassageCache } from './passage-cache.ts';
import type { CachedPassage } from './passage-cache.ts';
import { PermittedCache, type Permitted } from './permitted.ts';
import { distanceSql, meaningLeg, restrictsPassages } from './statements.ts';
import { StatisticsCache, type OrganizationStatistics } from './statistics-cache.ts';
import { VectorScan, type VectorScanOptions } from './vector-scan.ts';
import { Versions, type Version } from './versions.ts';
import { WordSearch, type FoundByWords } from './word-search.ts';

/** Retrieved passages, in columns. */
interface Found {
  ids: number[];
  passages: CachedPassage[];
  /** As in `Candidate.positions`. */
  positions: (readonly number[])[];
  /** As in `Candidate.forms`. */
  forms: (readonly (readonly string[])[] | null)[];
}

/** What both legs of a retrieval need of an organization. */
interface Library {
  statistics: OrganizationStatistics;
  /** Retrievable passages that contain a stem. */
  countOf: (stem: string) => number;
  permitted: Permitted;
  /** The terms' stems that are indexed. */
  terms: Retrieval['terms'];
  /** The version of what can be retrieved. */
  version: number;
}

/** A passage's cosine with the query's vector of its model, and that vector's index. */
interface Cosine {
  cosine: number;
  model: number;
}

const noMatches: Pick<TermMatches, 'positions' | 'forms'> = { positions: [], forms: null };
const noCosine: Cosine = { cosine: Number.NaN, model: 0 };

/** Executes the retrievals of one reader thread. */
export class Retrievals {
  readonly #connection: Connection;
  readonly #versions: Versions;
  readonly #passages: PassageCache;
  readonly #statistics: StatisticsCache;
  readonly #permitted: PermittedCache;
  readonly #wordSearch: WordSearch;
  readonly #vectorScan: VectorScan;

  constructor(connection: Connection, vectors: VectorScanOptions) {
    this.#connection = connection;
    this.#versions = new Versions(connection);
    this.#passages = new PassageCache(connection);
    this.#statistics = new StatisticsCache(connection);
    this.#permitted = new PermittedCache(connection);
    this.#wordSearch = new WordSearch(connection);
    this.#vectorScan = new VectorScan(connection, vectors);
  }

  /** The passages nearest to a vector; null where the SQL statement must find them. */
  nearest(organizationId: string, retrieval: Retrieval, query: QueryVector): Nearest | null {
    if (restrictsPassages(retrieval)) return null;
    const now = this.#versions.now();
    const organization = this.#statistics.get(organizationId, [], now.file).number;
    const permitted = this.#permitted.get(organization, retrieval, query.model, now.retrievable);
    return this.#vectorScan.nearest(permitted, { organization, query, limit: retrieval.limit });
  }

  /** Reads vectors that a search waits for, for some milliseconds. Returns whether there are more. */
  readOn(milliseconds: number): boolean {
    this.#connection.run('begin');
    try {
      return this.#vectorScan.readOn(milliseconds);
    } finally {
      this.#connection.run('commit');
    }
  }

  /** Forgets what is kept of organizations that were removed. */
  forget(): void {
    this.#vectorScan.forget();
  }

  /** Keeps for the next start what this one made. */
  close(): void {
    this.#vectorScan.close();
  }

  /** The word leg alone, for searches that run the legs at the same time. */
  words(organizationId: string, retrieval: Retrieval): FoundWords {
    const library = this.#library(organizationId, retrieval, this.#versions.now());
    return { ids: this.#wordLeg(library, retrieval).ids, version: library.version };
  }

  /** What both legs need, in the current transaction. */
  #library(organizationId: string, retrieval: Retrieval, { file, retrievable }: Version): Library {
    const statistics = this.#statistics.get(organizationId, retrieval.terms.flat(), file);
    const countOf = (stem: string): number => statistics.counts.get(stem) ?? 0;
    return {
      statistics,
      countOf,
      permitted: this.#permitted.get(statistics.number, retrieval, null, retrievable),
      // Stems that no passage of the organization contains cannot be found.
      terms: retrieval.terms.map((each) => each.filter((stem) => countOf(stem) > 0)),
      version: retrievable,
    };
  }

  #wordLeg({ statistics, permitted, terms, countOf }: Library, retrieval: Retrieval): FoundByWords {
    const { number: organization, passages, words } = statistics;
    const stems = [...new Set(terms.flat())].map((stem) => ({ stem, passages: countOf(stem) }));
    return this.#wordSearch.best({ organization, passages, words }, permitted, retrieval, stems);
  }

  /** Executes both legs of a retrieval against the snapshot of the current transaction. */
  whole(organizationId: string, retrieval: Retrieval): PackedRetrieval | null {
    const restriction = { ...retrieval, terms: [], vectors: [] };
    const near = retrieval.vectors.map((query) => this.nearest(organizationId, restriction, query));
    return this.retrieve(organizationId, retrieval, { near, byWords: null });
  }

  /**
   * Executes a retrieval against the snapshot of the current transaction. Null if one of the nearest passages may not be
   * read any more: another revision of its file may have taken its place.
   * @param legs for each vector the nearest passages, or null; and those that the word leg found, or null
   */
  retrieve(
    organizationId: string,
    retrieval: Retrieval,
    { near, byWords: found }: { near: readonly (Nearest | null)[]; byWords: FoundWords | null },
  ): PackedRetrieval | null {
    const { vectors } = retrieval;
    const library = this.#library(organizationId, retrieval, this.#versions.now());
    const { statistics, countOf, permitted, terms, version } = library;
    const { number: organization, passages, words } = statistics;
    if (near.some((nearest) => nearest?.ids.some((id) => !permitted.has(id)) === true)) return null;
    const matches =
      found?.version === version ? { ids: found.ids, mayContain: () => true } : this.#wordLeg(library, retrieval);
    const byWords = this.#withPositions(matches.ids, terms, version);
    const foundByWords = new Set(byWords.ids);
    const cosines = new Map<number, Cosine>();
    const byMeaning: Found[] = [];
    vectors.forEach((query, model) => {
      const { ids, cosines: found } = near[model] ?? this.#vectorStatement(organization, retrieval, query);
      ids.forEach((id, index) => cosines.set(id, { cosine: found[index] ?? Number.NaN, model }));
      for (const [id, cosine] of this.#cosinesOf(
        byWords.ids.filter((word) => !cosines.has(word)),
        query,
      ))
        cosines.set(id, { cosine, model });
      byMeaning.push(
        this.#withPositions(
          ids.filter((id) => !foundByWords.has(id)),
          terms,
          version,
          (id) => !matches.mayContain(id),
        ),
      );
    });
    const legs = [byWords, ...byMeaning];
    const all: Found = {
      ids: legs.flatMap(({ ids }) => ids),
      passages: legs.flatMap((leg) => leg.passages),
      positions: legs.flatMap(({ positions }) => positions),
      forms: legs.flatMap(({ forms }) => forms),
    };
    return {
      passages,
      averageLength: passages === 0 ? 0 : words / passages,
      documentFrequencies: retrieval.terms.map((term) => documentFrequency(countOf, term, passages)),
      ...packed(all, cosines),
    };
  }

  /** The nearest passages by the SQL statement. */
  #vectorStatement(organization: number, retrieval: Retrieval, query: QueryVector): Nearest {
    const leg = meaningLeg(organization, retrieval, query);
    const rows = this.#connection.lists(leg.sql, ...leg.values);
    return { ids: rows.map((row) => numberOf(row[0])), cosines: rows.map((row) => 1 - numberOf(row[1])) };
  }

  /** Cosines of passages that have a vector of the query's model. */
  #cosinesOf(ids: readonly number[], { vector, model }: QueryVector): (readonly [id: number, cosine: number])[] {
    const bytes = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
    return this.#connection
      .lists(distanceSql, bytes, JSON.stringify(ids), bytes.length, model)
      .map((row) => [numberOf(row[0]), 1 - numberOf(row[1])]);
  }

  /** Reads passages and finds the terms in them, except in those that certainly contain none. Drops missing ones. */
  #withPositions(
    ids: readonly number[],
    terms: Retrieval['terms'],
    version: number,
    isWithoutTerms: (id: number) => boolean = () => false,
  ): Found {
    const found: Found = { ids: [], passages: [], positions: [], forms: [] };
    for (const [index, passage] of this.#passages.get(ids, version).entries()) {
      if (passage === undefined) continue;
      const id = ids[index] ?? 0;
      found.ids.push(id);
      found.passages.push(passage);
      const { positions, forms } = isWithoutTerms(id) ? noMatches : matchTerms(passage.stems, terms);
      found.positions.push(positions);
      found.forms.push(forms);
    }
    return found;
  }
}

/** Candidates in columns, as they are sent to the main thread. */
function packed(
  { ids, passages, positions: positionsOf, forms: formsOf }: Found,
  cosines: ReadonlyMap<number, Cosine>,
): Pick<PackedRetrieval, 'assetIds' | 'languages' | 'numbers' | 'positions' | 'forms' | 'formsOfTerms'> {
  const [assetIds, languages, forms] = [new NameTable(), new NameTable(), new NameTable()];
  const formsOfTerms: number[] = [];
  const numbers = new Float64Array(ids.length * packedWidth);
  const positions = new Int32Array(positionsOf.reduce((sum, own) => sum + own.length, 0));
  let copied = 0;
  passages.forEach(({ of, length, analysedAs, stems }, index) => {
    const [id, own] = [ids[index] ?? 0, positionsOf[index] ?? noMatches.positions];
    const before = formsOfTerms.length;
    formsOf[index]?.forEach((written, term) => {
      if (written.length > 0) formsOfTerms.push(term, forms.indexOf(written.join(' ')));
    });
    const { cosine, model } = cosines.get(id) ?? noCosine;
    let at = index * packedWidth;
    numbers[at++] = of.revision;
    numbers[at++] = ordinalOf(id);
    numbers[at++] = of.attributesVersion;
    numbers[at++] = length;
    numbers[at++] = cosine;
    numbers[at++] = assetIds.indexOf(of.assetId);
    numbers[at++] = languages.indexOf(analysedAs);
    numbers[at++] = own.length;
    numbers[at++] = model;
    numbers[at++] = formsOfTerms.length - before;
    numbers[at++] = isOfContents(stems) ? 1 : 0;
    positions.set(own, copied);
    copied += own.length;
  });
  return {
    assetIds: assetIds.names,
    languages: languages.names,
    numbers,
    positions,
    forms: forms.names.join('\n'),
    formsOfTerms: Int32Array.from(formsOfTerms),
  };
}

/** Distinct names with their indexes. */
class NameTable {
  readonly #indexes = new Map<string, number>();

  get names(): string[] {
    return [...this.#indexes.keys()];
  }

  indexOf(name: string): number {
    const known = this.#indexes.get(name);
    if (known !== undefined) return known;
    this.#indexes.set(name, this.#indexes.size);
    return this.#indexes.size - 1;
  }
}
