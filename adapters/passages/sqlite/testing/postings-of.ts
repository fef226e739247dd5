import { numberOf, rowId, type Connection } from '../connection.ts';
import { PostingList } from '../posting-list.ts';
import { postingsSql } from '../statements.ts';

/** The indexed postings of a stem by ascending id: for each passage its id, the occurrences and its words. */
export function postingsOf(connection: Connection, organization: number, stem: string): number[][] {
  const list = new PostingList();
  for (const row of connection.lists(postingsSql, stem, organization)) {
    const before = list.size;
    if (row[0] instanceof Uint8Array) list.decode(row[0]);
    const [first = 0, last = 0] = [before, list.size - 1].map((at) =>
      rowId(list.numbers[at] ?? 0, list.ordinals[at] ?? 0),
    );
    // A passage that got other words leaves the bounds as they are.
    if (first < numberOf(row[1]) || last > numberOf(row[2])) throw new Error('a block has other bounds');
  }
  return Array.from({ length: list.size }, (_, at) => [
    rowId(list.numbers[at] ?? 0, list.ordinals[at] ?? 0),
    list.occurrences[at] ?? 0,
    list.lengths[at] ?? 0,
  ]).sort(([one = 0], [other = 0]) => one - other);
}
