import { stemsOnly } from '../../../models/passage-words.ts';
import { encodeBlocks } from './block-bounds.ts';
import { numberOf, ordinalOf, revisionNumberOf, type Connection } from './connection.ts';
import { blockPostings, PostingList } from './posting-list.ts';

/*
 * The word index is a log-structured merge tree (P. O'Neil, E. Cheng, D. Gawlick and E. O'Neil: The Log-Structured
 * Merge-Tree, 1996). A run has the postings of some counted passages, by stem and in blocks; it is written once, when
 * they are counted, and later merged with others into a larger one. Each counted passage is in exactly one run. Postings
 * of removed revisions stay until all runs are merged: nothing finds them, because the numbers of revisions are never
 * used again.
 */

/** States of a run. Only complete ones are searched; one that is made, or removed, is on its way. */
export const runStates = { complete: 0, made: 1, removed: 2 } as const;

/** The format of runs: those of an earlier one have no bounds, and are written again. */
export const runFormat = 1;
/** Blocks of a stem in a run from which on their bounds are stored: fewer are read with less work than chosen among. */
const minBounded = 4;
/** Passages of a run that may have a stem with bounds, at least. */
export const minBoundedPassages = minBounded * blockPostings;

/** A passage whose words are indexed. */
export interface WordsOfPassage {
  id: number;
  /** As in `Passage.stems`. */
  stems: string;
  length: number;
}

/** Writes the postings of a stem in a run, which has none of it yet. */
export function putPostings(connection: Connection, run: number, stem: string, list: PostingList): void {
  const blocks = list.blocks();
  for (const { first, last, bytes } of blocks)
    connection.run('insert into postings values (?, ?, ?, ?, ?)', run, stem, first, last, bytes);
  if (blocks.length >= minBounded)
    connection.run('insert into block_bounds values (?, ?, ?)', run, stem, encodeBlocks(blocks));
}

/** The stems of stored words, as often as they occur. */
function stemsOf(stored: string): string[] {
  return stemsOnly(stored)
    .split(' ')
    .filter((stem) => stem !== '');
}

/** Adds a run with the words of passages that no run has yet. */
export function addRun(connection: Connection, organization: number, passages: readonly WordsOfPassage[]): void {
  if (passages.length === 0) return;
  const ordered = passages.toSorted((one, other) => one.id - other.id);
  // For each stem the indexes of its passages, each with the number of its occurrences.
  const found = new Map<string, number[]>();
  for (const [index, { stems }] of ordered.entries()) {
    for (const stem of stemsOf(stems)) {
      const own = found.get(stem);
      if (own === undefined) found.set(stem, [index, 1]);
      else if (own[own.length - 2] === index) own[own.length - 1] = (own[own.length - 1] ?? 0) + 1;
      else own.push(index, 1);
    }
  }
  const run = numberOf(
    connection.get(
      'insert into runs (organization, passages, state, format) values (?, ?, ?, ?) returning number',
      organization,
      ordered.length,
      runStates.complete,
      runFormat,
    )?.['number'],
  );
  const list = new PostingList();
  for (const stem of [...found.keys()].sort()) {
    const own = found.get(stem) ?? [];
    list.clear();
    for (let at = 0; at < own.length; at += 2) {
      const passage = ordered[own[at] ?? 0];
      if (passage === undefined) continue;
      list.add(revisionNumberOf(passage.id), ordinalOf(passage.id), own[at + 1] ?? 0, passage.length);
    }
    putPostings(connection, run, stem, list);
  }
}

/**
 * Removes the postings of a passage from its run: its revision stays, and the passage will have other words or none. The
 * bounds of its blocks stay true.
 */
export function removePostings(
  connection: Connection,
  organization: number,
  { id, stems }: Pick<WordsOfPassage, 'id' | 'stems'>,
): void {
  for (const stem of new Set(stemsOf(stems))) {
    for (const row of connection.lists(
      `select p.run, p.first, p.block from runs r cross join postings p on p.run = r.number and p.stem = ? and p.first <= ?
       where r.organization = ? and r.state <> ? and p.last >= ?`,
      stem,
      id,
      organization,
      runStates.removed,
      id,
    )) {
      const [run, first, bytes] = [numberOf(row[0]), numberOf(row[1]), row[2]];
      if (!(bytes instanceof Uint8Array)) continue;
      const list = new PostingList();
      list.decode(bytes);
      const [number, ordinal] = [revisionNumberOf(id), ordinalOf(id)];
      const [left] = list.without((each, at) => each === number && at === ordinal).blocks();
      const key = [run, stem, first] as const;
      if (left === undefined) connection.run('delete from postings where run = ? and stem = ? and first = ?', ...key);
      else connection.run('update postings set block = ? where run = ? and stem = ? and first = ?', left.bytes, ...key);
    }
  }
}
