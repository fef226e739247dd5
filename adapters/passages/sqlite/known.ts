import { wordsMet } from '../wording.ts';
import { numberOf, ordinalSpan, textOf, textOrNull } from './connection.ts';
import type { Connection } from './connection.ts';
import { candidateSql } from './statements.ts';

/** Words of the passages of one generation; two are held, at up to about 8 bytes for each word. */
const generationWords = 2_000_000;
/** Stems that are given numbers, at most. */
const mostStems = 300_000;

/** What grading needs of a revision. */
export interface KnownRevision {
  assetId: string;
  revision: number;
  attributesVersion: number;
  /** Model of its vectors; null for none. */
  model: string | null;
}

/** What grading needs of a passage. */
export interface KnownPassage {
  of: KnownRevision;
  length: number;
  analysedAs: string;
  /** Its stems: as the file has them where it was met once, as numbers where it was met again. */
  words: string | Int32Array;
}

/**
 * A reader's bounded memory of the passages that it found: searches meet the same ones again and again, and reading and
 * scanning their stems takes longer than finding them. What it holds was read while searches could find what they can find
 * now; at the first change of that all is forgotten. Passages are held in two generations: when the young one is
 * full it becomes the old one, and the one before is forgotten.
 */
export class KnownPassages {
  readonly #connection: Connection;
  readonly #capacity: number;
  #version = -1;
  #young = new Map<number, KnownPassage>();
  #old = new Map<number, KnownPassage>();
  #words = 0;
  /** Numbers of stems, and for each number the place among `targets` of the query at hand, plus 1. */
  readonly #stems = new Map<string, number>();
  #marks = new Uint16Array(1024);

  /** Passages of at most twice `capacity` words are held. */
  constructor(connection: Connection, capacity = generationWords) {
    this.#connection = connection;
    this.#capacity = capacity;
  }

  /** Retrievable passages by their ids, in that order, as they are at this version; undefined for those that are not there. */
  of(ids: readonly number[], version: number): (KnownPassage | undefined)[] {
    if (version !== this.#version) this.#forget();
    this.#version = version;
    const unknown: number[] = [];
    const found = ids.map((id) => {
      const young = this.#young.get(id);
      const passage = young ?? this.#old.get(id);
      if (passage === undefined) {
        unknown.push(id);
        return undefined;
      }
      if (young === undefined) this.#hold(id, passage);
      if (typeof passage.words === 'string') passage.words = this.#numbersOf(passage.words);
      return passage;
    });
    if (unknown.length === 0) return found;
    const read = this.#read(unknown);
    return found.map((passage, place) => passage ?? read.get(ids[place] ?? 0));
  }

  /** Where the terms stand in each passage, as in `Candidate.places`. */
  met(passages: readonly KnownPassage[], terms: readonly (readonly string[])[]): (readonly number[])[] {
    const { targets, marked } = this.#mark(terms);
    const marks = this.#marks;
    const met = passages.map(({ words }) => (typeof words === 'string' ? wordsMet(words, terms).places : placesOf(words, marks, targets)));
    for (const number of marked) marks[number] = 0;
    return met;
  }

  /** Marks the numbers of the terms' stems: a mark leads to the terms that count the stem. */
  #mark(terms: readonly (readonly string[])[]): { targets: number[][]; marked: number[] } {
    const targets: number[][] = [];
    const marked: number[] = [];
    terms.forEach((stems, term) => {
      for (const stem of new Set(stems)) {
        const number = this.#stems.get(stem);
        if (number === undefined) continue;
        const mark = this.#marks[number] ?? 0;
        if (mark > 0) {
          targets[mark - 1]?.push(term);
        } else {
          this.#marks[number] = targets.push([term]);
          marked.push(number);
        }
      }
    });
    return { targets, marked };
  }

  #read(ids: readonly number[]): Map<number, KnownPassage> {
    const found = new Map<number, KnownPassage>();
    const revisions = new Map<number, KnownRevision>();
    for (const row of this.#connection.lists(candidateSql, JSON.stringify(ids))) {
      const id = numberOf(row[0]);
      const number = Math.floor(id / ordinalSpan);
      const of = revisions.get(number) ?? { assetId: textOf(row[1]), revision: numberOf(row[2]), attributesVersion: numberOf(row[3]), model: textOrNull(row[7]) };
      revisions.set(number, of);
      const passage = { of, length: numberOf(row[4]), analysedAs: textOf(row[5]), words: textOf(row[6]) };
      this.#hold(id, passage);
      found.set(id, passage);
    }
    return found;
  }

  #forget(): void {
    this.#young = new Map();
    this.#old = new Map();
    this.#words = 0;
  }

  #hold(id: number, passage: KnownPassage): void {
    if (this.#words + passage.length > this.#capacity) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#words = 0;
    }
    this.#words += passage.length;
    this.#young.set(id, passage);
  }

  #numbersOf(stems: string): Int32Array | string {
    if (stems === '') return new Int32Array();
    const words = stems.split(' ');
    const numbers = new Int32Array(words.length);
    for (const [place, stem] of words.entries()) {
      let number = this.#stems.get(stem);
      if (number === undefined) {
        // With so many stems the passage stays as it is: it is counted all the same.
        if (this.#stems.size >= mostStems) return stems;
        number = this.#stems.size;
        // The copy lets go of the text that the stem is a slice of.
        this.#stems.set(Buffer.from(stem, 'utf16le').toString('utf16le'), number);
        if (number >= this.#marks.length) this.#marks = new Uint16Array(2 * this.#marks.length);
      }
      numbers[place] = number;
    }
    return numbers;
  }
}

const nowhere: readonly number[] = [];

/** Runs over every word of every found passage: a plain loop over two typed arrays. */
function placesOf(words: Int32Array, marks: Uint16Array, targets: readonly (readonly number[])[]): readonly number[] {
  let places: number[] | null = null;
  for (let place = 0; place < words.length; place += 1) {
    const mark = marks[words[place] ?? 0] ?? 0;
    if (mark === 0) continue;
    places ??= [];
    for (const term of targets[mark - 1] ?? []) places.push(place, term);
  }
  return places ?? nowhere;
}
