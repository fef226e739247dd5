import { wordsMet } from '../wording.ts';
import { numberOf, revisionNumberOf, textOf, textOrNull } from './connection.ts';
import type { Connection } from './connection.ts';
import { StemNumbers } from './stem-numbers.ts';
import { candidateSql } from './statements.ts';

/** Bytes of the passages of one generation; two are held. */
const generationBytes = 16 * 2 ** 20;
/** Bytes that a passage takes beside its words, about. */
const bytesBeside = 200;
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
  /** Its stems by their numbers; as the file has them where there are too many stems. */
  words: string | Uint16Array | Uint32Array;
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
  #bytes = 0;
  /** Numbers of stems, and for each number whether it is marked: 1 where the query at hand asks for it. */
  readonly #stems = new StemNumbers(mostStems);
  #marks = new Uint8Array(1024);

  /** Passages of at most twice `capacity` bytes are held. */
  constructor(connection: Connection, capacity = generationBytes) {
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
      return passage;
    });
    if (unknown.length === 0) return found;
    const read = this.#read(unknown);
    return found.map((passage, place) => passage ?? read.get(ids[place] ?? 0));
  }

  /** Where the terms stand in each passage, as in `Candidate.places`. */
  met(passages: readonly KnownPassage[], terms: readonly (readonly string[])[]): (readonly number[])[] {
    const targets = this.#mark(terms);
    const marks = this.#marks;
    const met = passages.map(({ words }) => (typeof words === 'string' ? wordsMet(words, terms).places : placesOf(words, marks, targets)));
    for (const number of targets.keys()) marks[number] = 0;
    return met;
  }

  /** Marks the numbers of the terms' stems. Answers for each of them the terms that count the stem. */
  #mark(terms: readonly (readonly string[])[]): Map<number, number[]> {
    if (this.#marks.length < this.#stems.size) this.#marks = new Uint8Array(2 * this.#stems.size);
    const targets = new Map<number, number[]>();
    terms.forEach((stems, term) => {
      for (const stem of new Set(stems)) {
        const number = this.#stems.numberOf(stem);
        if (number === undefined) continue;
        const known = targets.get(number);
        if (known === undefined) targets.set(number, [term]);
        else known.push(term);
        this.#marks[number] = 1;
      }
    });
    return targets;
  }

  #read(ids: readonly number[]): Map<number, KnownPassage> {
    const found = new Map<number, KnownPassage>();
    const revisions = new Map<number, KnownRevision>();
    for (const row of this.#connection.lists(candidateSql, JSON.stringify(ids))) {
      const id = numberOf(row[0]);
      const number = revisionNumberOf(id);
      const of = revisions.get(number) ?? { assetId: textOf(row[1]), revision: numberOf(row[2]), attributesVersion: numberOf(row[3]), model: textOrNull(row[7]) };
      revisions.set(number, of);
      const stems = textOf(row[6]);
      const passage = { of, length: numberOf(row[4]), analysedAs: textOf(row[5]), words: this.#stems.numbersOf(stems) ?? stems };
      this.#hold(id, passage);
      found.set(id, passage);
    }
    return found;
  }

  #forget(): void {
    this.#young = new Map();
    this.#old = new Map();
    this.#bytes = 0;
  }

  #hold(id: number, passage: KnownPassage): void {
    const { words } = passage;
    const bytes = bytesBeside + (typeof words === 'string' ? words.length * 2 : words.byteLength);
    if (this.#bytes + bytes > this.#capacity) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#bytes = 0;
    }
    this.#bytes += bytes;
    this.#young.set(id, passage);
  }
}

const nowhere: readonly number[] = [];

/** Where the marked words of a passage stand, each with the terms that count it. A search runs over every word of hundreds of passages: plain loops over typed arrays. */
export function placesOf(words: Uint16Array | Uint32Array, marks: Uint8Array, targets: ReadonlyMap<number, readonly number[]>): readonly number[] {
  let places: number[] | null = null;
  for (let place = nextMarked(words, marks, 0); place < words.length; place = nextMarked(words, marks, place + 1)) {
    places ??= [];
    for (const term of targets.get(words[place] ?? 0) ?? []) places.push(place, term);
  }
  return places ?? nowhere;
}

/** The first place from `from` on whose word is marked; the number of words for none. Four words are looked at together, for hardly any is marked. */
function nextMarked(words: Uint16Array | Uint32Array, marks: Uint8Array, from: number): number {
  let place = from;
  const marked = (at: number): number => marks[words[at] ?? 0] ?? 0;
  while (place + 3 < words.length && (marked(place) | marked(place + 1) | marked(place + 2) | marked(place + 3)) === 0) place += 4;
  while (place < words.length && marked(place) === 0) place += 1;
  return place;
}
