import type { Retrieval } from '../port.ts';
import { CommonWords } from './common-words.ts';
import { numberOf, type Connection } from './connection.ts';
import { PassageSums } from './passage-sums.ts';
import type { Permitted } from './permitted.ts';
import { PostingList } from './posting-list.ts';
import { permittedPassages, postingsSql, unboundedSql } from './statements.ts';

/** The saturation of repeated words and the normalisation by length of Okapi BM25, as in `Relevance`. */
const [saturation, normalisation] = [1.2, 0.75];
/** The weight of a word that more than half of all passages contain. */
const minWeight = 1e-6;
/**
 * Passages that contain a common word, and their share of all, at least. Nearly every block of a rarer word has one of the
 * best 200 passages, so that adding all of its postings takes less time than choosing among them.
 */
const usualCommon = { passages: 4096, share: 0.3 };
/** Passages that are looked up for each wanted one at first, if a filter restricts passages. */
const lookedUpPerWanted = 4;

/** A stem of the organization with the number of retrievable passages that contain it. */
export interface CountedStem {
  stem: string;
  passages: number;
}

/** A library: the organization's number in the file, its passages, and their words. */
interface Library {
  organization: number;
  passages: number;
  words: number;
}

/** The result of the word leg. */
export interface FoundByWords {
  /** Ids of the best passages, best first. */
  ids: number[];
  /** False for a permitted passage that certainly contains none of the stems. */
  mayContain: (id: number) => boolean;
}

/**
 * The word leg: the permitted passages with the highest BM25, by the statistics of the library. All postings of rarer
 * words are added, the rarest first; of common ones only the blocks that may hold one of the best passages
 * (`CommonWords`). So the result is exact.
 */
export class WordSearch {
  readonly #connection: Connection;
  readonly #block = new PostingList();
  readonly #sums = new PassageSums();
  readonly #common: typeof usualCommon;

  /** @param common what a common word is; tests change it */
  constructor(connection: Connection, common = usualCommon) {
    this.#connection = connection;
    this.#common = common;
  }

  /** The best permitted passages that contain any of the stems, which are distinct. */
  best(
    { organization, passages, words }: Library,
    permitted: Permitted,
    retrieval: Pick<Retrieval, 'filter' | 'limit'>,
    stems: readonly CountedStem[],
  ): FoundByWords {
    if (stems.length === 0 || permitted.passages === 0) return { ids: [], mayContain: () => false };
    const weighed = stems
      .map((each) => ({ ...each, weight: weightOf(each.passages, passages) * (saturation + 1) }))
      .sort((one, other) => other.weight - one.weight);
    const norm = {
      fixed: saturation * (1 - normalisation),
      perWord: (saturation * normalisation * passages) / Math.max(1, words),
    };
    const sums = this.#sums;
    sums.begin(permitted);
    const add = (bytes: unknown, weight: number): void => {
      if (!(bytes instanceof Uint8Array)) return;
      this.#block.clear();
      this.#block.decode(bytes);
      sums.add(this.#block, weight, norm);
    };
    // How many of the best passages a filter by speaker or language leaves is not known before all are.
    const isRestricted = permittedPassages(retrieval, []) !== null;
    const common = new CommonWords(this.#connection, sums, norm, add);
    for (const { stem, weight, passages: containing } of weighed) {
      const isCommon =
        !isRestricted && containing >= this.#common.passages && containing >= passages * this.#common.share;
      for (const row of this.#connection.lists(isCommon ? unboundedSql : postingsSql, stem, organization))
        add(row[0], weight);
      if (isCommon) common.take(organization, stem, weight);
    }
    const isComplete = common.add(retrieval.limit);
    return {
      ids: isRestricted ? this.#restricted(retrieval) : sums.best(retrieval.limit),
      mayContain: (id) => !isComplete || sums.of(id) > 0,
    };
  }

  /** The best passages that the filter permits, looked up from the best downwards. */
  #restricted(retrieval: Pick<Retrieval, 'filter' | 'limit'>): number[] {
    const { limit } = retrieval;
    for (let taken = limit * lookedUpPerWanted; ; taken *= lookedUpPerWanted) {
      const ids = this.#sums.best(taken);
      const statement = permittedPassages(retrieval, ids);
      if (statement === null) return ids.slice(0, limit);
      const found = this.#connection.lists(statement.sql, ...statement.values).map((row) => numberOf(row[0]));
      if (found.length >= limit || ids.length < taken) return found.slice(0, limit);
    }
  }
}

/** The weight (idf) of a stem that so many of all passages contain. */
function weightOf(containing: number, passages: number): number {
  return Math.max(minWeight, Math.log((passages - containing + 0.5) / (containing + 0.5)));
}
