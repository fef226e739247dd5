import type { Passage } from '../../../models/passage.ts';
import { primaryLanguage } from '../tokens.ts';
import { countWords, noWords, type WordCounts } from '../word-counts.ts';
import { increment, counterOf, numberOf, ordinalSpan, revisionRun, rowId, textOf, textOrNull } from './connection.ts';
import type { Connection } from './connection.ts';
import type { PackedRows } from './messages.ts';
import type { PendingWords } from './pending-words.ts';
import { recordModel, writeVector } from './stored-vectors.ts';
import { removePostings, type WordsOfPassage } from './word-runs.ts';
import { applyWords } from './word-statistics.ts';

/** A change in steps: each runs inside a transaction, between two of them other writes may be committed. */
export type Steps = Generator<undefined, void, undefined>;

/** Maximum rows that one step of a long change touches before other writes get a turn. */
export const portion = 500;

/** Rows that are counted between two checks of `maxStems`. */
const countedTogether = 50;
/**
 * Approximate maximum of stems in one batch of counts: rows of prose share stems, rows of a table have a thousand each.
 */
const maxStems = 5000;

/**
 * Placeholder for a bound limit. SQLite's planner reads the value of a bare `?` and prepares the statement again
 * whenever a value is bound; an expression avoids that.
 */
const boundLimit = '?+0';

/** A revision as the index stores it. */
export interface RevisionRow {
  number: number;
  file: number;
  revision: number;
  model: string | null;
  published: boolean;
  /**
   * Rows with a lower ordinal are in the word statistics: all retrievable rows, and more while a change is in progress.
   */
  count: number;
}

/** The organization's number; the first write assigns it. */
export function organizationNumber(connection: Connection, organizationId: string): number {
  const known = connection.get('select number from organizations where id = ?', organizationId);
  return numberOf(
    (known ?? connection.get('insert into organizations (id) values (?) returning number', organizationId))?.['number'],
  );
}

/** The file's number; the first write assigns it. */
export function fileNumber(connection: Connection, organization: number, assetId: string): number {
  const known = connection.get(
    'select number from files where organization = ? and asset_id = ?',
    organization,
    assetId,
  );
  return numberOf(
    (known ??
      connection.get(
        'insert into files (organization, asset_id) values (?, ?) returning number',
        organization,
        assetId,
      ))?.['number'],
  );
}

/** A revision of a file, or undefined. */
function findRevision(connection: Connection, file: number, revision: number): RevisionRow | undefined {
  return revisionsOf(connection, file).find((each) => each.revision === revision);
}

/** All indexed revisions of a file. */
export function revisionsOf(connection: Connection, file: number): RevisionRow[] {
  return connection
    .all('select number, revision, model, published, count from revisions where file = ?', file)
    .map((row) => ({
      number: numberOf(row['number']),
      file,
      revision: numberOf(row['revision']),
      model: textOrNull(row['model']),
      published: row['published'] === 1,
      count: numberOf(row['count']),
    }));
}

/**
 * Assigns a number to a new revision of the organization. Numbers are reserved in runs, so that an organization's rows
 * are adjacent.
 */
export function newRevisionNumber(connection: Connection, organization: number): number {
  const given = connection.get(
    'update organizations set next_revision = next_revision + 1 where number = ? and next_revision < revision_end returning next_revision - 1 as number',
    organization,
  );
  if (given !== undefined) return numberOf(given['number']);
  const first = counterOf(connection, 'revision_runs') * revisionRun;
  increment(connection, 'revision_runs');
  connection.run(
    'update organizations set next_revision = ?, revision_end = ? where number = ?',
    first + 1,
    first + revisionRun,
    organization,
  );
  return first;
}

/** The revision's row; it is inserted if it does not exist. */
export function ensureRevision(
  connection: Connection,
  organization: number,
  file: number,
  revision: number,
): RevisionRow {
  const known = findRevision(connection, file, revision);
  if (known !== undefined) return known;
  const number = newRevisionNumber(connection, organization);
  connection.run(
    'insert into revisions (number, organization, file, revision) values (?, ?, ?, ?)',
    number,
    organization,
    file,
    revision,
  );
  return { number, file, revision, model: null, published: false, count: 0 };
}

/**
 * Moves the bound below which a revision's rows are in the organization's word statistics, one portion at a time. Each
 * step adds or subtracts the rows that the bound passes and stores the bound in the same transaction. So memory is
 * limited to one portion for files of any length, and an interrupted change continues from its last bound.
 * @param words takes the words of counted rows, which the caller flushes before the transaction ends
 * @param isRemoved whether the revision is removed: then its postings are left to the merging of runs
 */
export function* countUpTo(
  connection: Connection,
  organization: number,
  revision: RevisionRow,
  count: number,
  words: PendingWords,
  isRemoved = false,
): Steps {
  const sign = count > revision.count ? 1 : -1;
  const removesPostings = sign === -1 && !isRemoved;
  const base = revision.number * ordinalSpan;
  const columns = 'select id, stems, length, analysed_as from passages where id >= ? and id < ? order by id';
  let at = revision.count;
  while (at !== count) {
    const counts = noWords();
    const added: WordsOfPassage[] = [];
    if (removesPostings) words.flush(connection);
    for (let read = 0; at !== count && read < portion && counts.stems.size < maxStems; read += countedTogether) {
      const rows =
        sign === 1
          ? connection.all(`${columns} limit ${boundLimit}`, base + at, base + count, countedTogether)
          : connection.all(`${columns} desc limit ${boundLimit}`, base + count, base + at, countedTogether);
      for (const row of rows) {
        const passage = {
          id: numberOf(row['id']),
          stems: textOf(row['stems']),
          length: numberOf(row['length']),
          analysedAs: textOf(row['analysed_as']),
        };
        countWords(counts, passage, sign);
        if (sign === 1) added.push(passage);
        else if (removesPostings) removePostings(connection, organization, passage);
      }
      const last = numberOf(rows.at(-1)?.['id']) - base;
      at = rows.length < countedTogether ? count : last + (sign === 1 ? 1 : 0);
    }
    applyWords(connection, organization, counts);
    words.addCounted(organization, added);
    connection.run(
      'update revisions set count = ?, passages = passages + ? where number = ?',
      at,
      counts.passages,
      revision.number,
    );
    if (at !== count) yield;
  }
}

/**
 * Removes a revision's rows with ordinals from `from` on, one portion at a time. The last step increments the counters
 * of retrievable changes: word weights depend on how many passages contain a word, and readers that cached some of
 * these rows must read them again.
 */
export function* removeRows(connection: Connection, number: number, from: number): Steps {
  const first = rowId(number, from);
  const end = (number + 1) * ordinalSpan;
  for (let removed = 0; ;) {
    const ids = connection.all(
      `select id from passages where id >= ? and id < ? order by id limit ${boundLimit}`,
      first,
      end,
      portion,
    );
    for (const row of ids) {
      const id = numberOf(row['id']);
      connection.run('delete from vectors where id = ?', id);
      connection.run('delete from passages where id = ?', id);
    }
    removed += ids.length;
    if (ids.length < portion) {
      if (removed > 0) increment(connection, 'published', 'retrievable');
      return;
    }
    yield;
  }
}

/** Rows with their vectors, unpacked from one array; null for a row without a vector or with a zero vector. */
export function withVectors({
  rows,
  vectors,
  vectorSizes,
}: PackedRows): { row: Passage; vector: Float32Array | null }[] {
  let at = 0;
  return rows.map((row, index) => {
    const vector = vectors.subarray(at, (at += vectorSizes[index] ?? 0));
    return { row, vector: vector.some((value) => value !== 0) ? vector : null };
  });
}

/** Inserts or replaces a passage. It neither counts nor indexes the passage's words. */
export function writePassage(connection: Connection, id: number, row: Passage): void {
  connection.run(
    'insert or replace into passages values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    id,
    row.length,
    row.analysedAs,
    row.language === null ? null : primaryLanguage(row.language),
    row.speaker,
    row.stems,
    row.language,
    JSON.stringify(row.location),
    row.text,
    row.timings === undefined ? null : JSON.stringify(row.timings),
  );
}

/** Writes one batch of rows. Returns the resulting changes of the word statistics. */
export function writeRows(
  connection: Connection,
  organization: number,
  revision: RevisionRow,
  batch: PackedRows,
  words: PendingWords,
): WordCounts {
  const counts = noWords();
  if (revision.count > 0) words.flush(connection);
  const rows = withVectors(batch);
  const indexed = new Map<number, WordsOfPassage>();
  const { embeddingModel } = batch;
  const hasVectors = embeddingModel !== null && rows.some(({ vector }) => vector !== null);
  const model = hasVectors ? recordModel(connection, organization, revision, embeddingModel) : null;
  for (const { row, vector } of rows) {
    if (!Number.isInteger(row.ordinal) || row.ordinal < 0 || row.ordinal >= ordinalSpan)
      throw new RangeError(`ordinal ${row.ordinal} is not in 0..${ordinalSpan - 1}`);
    const id = rowId(revision.number, row.ordinal);
    const before = connection.get('select stems, length, analysed_as from passages where id = ?', id);
    const counted = row.ordinal < revision.count;
    if (counted) {
      const stems = textOrNull(before?.['stems']);
      const length = numberOf(before?.['length']);
      if (stems !== null) countWords(counts, { stems, length, analysedAs: textOf(before?.['analysed_as']) }, -1);
      countWords(counts, row, 1);
      if (stems !== row.stems || length !== row.length) {
        if (stems !== null) removePostings(connection, organization, { id, stems });
        indexed.set(id, { id, stems: row.stems, length: row.length });
      }
    }
    writePassage(connection, id, row);
    if (vector !== null && hasVectors) writeVector(connection, id, vector, model);
    else connection.run('delete from vectors where id = ?', id);
  }
  words.addCounted(organization, [...indexed.values()]);
  return counts;
}
