import type { Passage } from '../../../models/passage.ts';
import { partsOfStem } from '../../../models/analyser/spelling.ts';
import { indexText, primaryLanguage } from '../tokens.ts';
import { countWords, noWords } from '../wording.ts';
import type { WordCounts } from '../wording.ts';
import { countOn, counterOf, numberOf, ordinalSpan, revisionRun, rowId, textOf, textOrNull } from './connection.ts';
import type { Connection } from './connection.ts';
import type { PackedRows } from './messages.ts';

/** Rows that one step of a long change touches before other writes have their turn. */
export const portion = 500;

/** Rows that are counted before it is seen whether their words are as many as may be held. */
const countedTogether = 50;
/** Stems whose counts are held, about: rows of prose share theirs, those of a table have a thousand each. */
const mostStems = 5000;

/** A place for a bound limit: of a bare `?` SQLite looks at the value when it plans, and plans the statement anew whenever one is bound. */
const boundLimit = '?+0';

/** Stems that are counted by one statement: a small file has fewer, and each statement costs more than counting one. */
const stemsTogether = 500;

/** Adds a number to the counts of stems. Tells those that are new or gone, and nothing of most: they were there before and still are. */
const countedSql = 'insert into stem_counts select ?1, value, ?2 from json_each(?3) where true on conflict do update set passages = passages + ?2 returning iif(passages = ?2 or passages <= 0, stem, null), passages';

/** A revision as the index keeps it. */
export interface RevisionRow {
  number: number;
  file: number;
  revision: number;
  model: string | null;
  published: boolean;
  /** Rows with an ordinal below it are in the word statistics: all that are retrievable, and more while a change is under way. */
  count: number;
}

/** The organization's number, which it is given at its first write. */
export function organizationNumber(connection: Connection, organizationId: string): number {
  const known = connection.get('select number from organizations where id = ?', organizationId);
  return numberOf((known ?? connection.get('insert into organizations (id) values (?) returning number', organizationId))?.['number']);
}

/** The file's number, which it is given at its first write. */
export function fileNumber(connection: Connection, organization: number, assetId: string): number {
  const known = connection.get('select number from files where organization = ? and asset_id = ?', organization, assetId);
  return numberOf((known ?? connection.get('insert into files (organization, asset_id) values (?, ?) returning number', organization, assetId))?.['number']);
}

/** A revision of a file, or undefined. */
export function findRevision(connection: Connection, file: number, revision: number): RevisionRow | undefined {
  return revisionsOf(connection, file).find((each) => each.revision === revision);
}

/** All revisions of a file that the index knows. */
export function revisionsOf(connection: Connection, file: number): RevisionRow[] {
  return connection.all('select number, revision, model, published, count from revisions where file = ?', file).map((row) => ({
    number: numberOf(row['number']),
    file,
    revision: numberOf(row['revision']),
    model: textOrNull(row['model']),
    published: row['published'] === 1,
    count: numberOf(row['count']),
  }));
}

/** A number for a revision of the organization. Numbers are given in runs, so that an organization's rows lie together. */
export function newRevisionNumber(connection: Connection, organization: number): number {
  const given = connection.get('update organizations set next_revision = next_revision + 1 where number = ? and next_revision < revision_end returning next_revision - 1 as number', organization);
  if (given !== undefined) return numberOf(given['number']);
  const first = counterOf(connection, 'revision_runs') * revisionRun;
  countOn(connection, 'revision_runs');
  connection.run('update organizations set next_revision = ?, revision_end = ? where number = ?', first + 1, first + revisionRun, organization);
  return first;
}

/** The revision's row, made where it is not there. */
export function ensureRevision(connection: Connection, organization: number, file: number, revision: number): RevisionRow {
  const known = findRevision(connection, file, revision);
  if (known !== undefined) return known;
  const number = newRevisionNumber(connection, organization);
  connection.run('insert into revisions (number, organization, file, revision) values (?, ?, ?, ?)', number, organization, file, revision);
  return { number, file, revision, model: null, published: false, count: 0 };
}

/** Adds counts to the organization's word statistics; counts may be negative. */
export function applyWords(connection: Connection, organization: number, counts: WordCounts): void {
  connection.run('update organizations set passages = passages + ?, words = words + ? where number = ?', counts.passages, counts.words, organization);
  const changed = [...counts.stems].filter(([, change]) => change !== 0);
  for (let first = 0; first < changed.length; first += stemsTogether) applyStems(connection, organization, new Map(changed.slice(first, first + stemsTogether)));
  for (const [language, change] of counts.languages) {
    if (change === 0) continue;
    connection.run('insert into language_counts values (?, ?, ?) on conflict do update set passages = passages + excluded.passages', organization, language, change);
    if (change < 0) connection.run('delete from language_counts where organization = ? and language = ? and passages <= 0', organization, language);
  }
}

/** Stems that change alike go together: a list of words is written and read far sooner than as many names with a number each. */
function applyStems(connection: Connection, organization: number, changes: ReadonlyMap<string, number>): void {
  const alike = new Map<number, string[]>();
  for (const [stem, change] of changes) {
    const stems = alike.get(change);
    if (stems === undefined) alike.set(change, [stem]);
    else stems.push(stem);
  }
  for (const [change, stems] of alike) {
    for (const row of connection.lists(countedSql, organization, change, JSON.stringify(stems))) {
      const stem = textOrNull(row[0]);
      if (stem === null) continue;
      const now = numberOf(row[1]);
      if (now === change) for (const part of partsOfStem(stem)) connection.run('insert or ignore into stem_parts values (?, ?, ?)', organization, part, stem);
      if (now > 0) continue;
      connection.run('delete from stem_counts where organization = ? and stem = ?', organization, stem);
      for (const part of partsOfStem(stem)) connection.run('delete from stem_parts where organization = ? and part = ? and stem = ?', organization, part, stem);
    }
  }
}

/**
 * Moves the bound below which a revision's rows are in the organization's word statistics, a portion at a time: the
 * rows that it passes are counted in or out and the bound is kept in the same transaction. So no more than a portion is
 * held in memory however long the file is, and a change that was broken off goes on where it stood.
 */
export function* countUpTo(connection: Connection, organization: number, revision: RevisionRow, count: number): Generator<undefined, void, undefined> {
  const sign = count > revision.count ? 1 : -1;
  const base = revision.number * ordinalSpan;
  const columns = 'select id, stems, length, analysed_as from passages where id >= ? and id < ? order by id';
  let at = revision.count;
  while (at !== count) {
    const counts = noWords();
    for (let read = 0; at !== count && read < portion && counts.stems.size < mostStems; read += countedTogether) {
      const rows = sign === 1
        ? connection.all(`${columns} limit ${boundLimit}`, base + at, base + count, countedTogether)
        : connection.all(`${columns} desc limit ${boundLimit}`, base + count, base + at, countedTogether);
      for (const row of rows) countWords(counts, { stems: textOf(row['stems']), length: numberOf(row['length']), analysedAs: textOf(row['analysed_as']) }, sign);
      const last = numberOf(rows.at(-1)?.['id']) - base;
      at = rows.length < countedTogether ? count : last + (sign === 1 ? 1 : 0);
    }
    applyWords(connection, organization, counts);
    connection.run('update revisions set count = ?, passages = passages + ? where number = ?', at, counts.passages, revision.number);
    if (at !== count) yield;
  }
}

/**
 * Removes a revision's rows with ordinals from `from` on, a portion at a time. The end is counted as a change of what is
 * found: words weigh by how many passages hold them, and readers that met some of these must not go on with that.
 */
export function* removeRows(connection: Connection, number: number, from: number): Generator<undefined, void, undefined> {
  const first = rowId(number, from);
  const end = (number + 1) * ordinalSpan;
  for (let removed = 0; ;) {
    const ids = connection.all(`select id from passages where id >= ? and id < ? order by id limit ${boundLimit}`, first, end, portion);
    for (const row of ids) {
      const id = numberOf(row['id']);
      connection.run('delete from words where rowid = ?', id);
      connection.run('delete from vectors where id = ?', id);
      connection.run('delete from passages where id = ?', id);
    }
    removed += ids.length;
    if (ids.length < portion) {
      if (removed > 0) countOn(connection, 'published', 'retrievable');
      return;
    }
    yield;
  }
}

/** Rows with their vectors, which came one after the other; null for a row without one, or whose vector says nothing. */
export function withVectors({ rows, vectors, vectorSizes }: PackedRows): { row: Passage; vector: Float32Array | null }[] {
  let at = 0;
  return rows.map((row, index) => {
    const vector = vectors.subarray(at, (at += vectorSizes[index] ?? 0));
    return { row, vector: vector.some((value) => value !== 0) ? vector : null };
  });
}

/** Lays a passage down, in the place of what stood there. Its words are not counted, nor in the word index. */
export function layPassage(connection: Connection, id: number, row: Passage): void {
  connection.run('insert or replace into passages values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)', id, row.length, row.analysedAs,
    row.language === null ? null : primaryLanguage(row.language), row.speaker, row.stems, row.language, JSON.stringify(row.location), row.text,
    row.timings === undefined ? null : JSON.stringify(row.timings));
}

/** Lays a passage's vector down. */
export function layVector(connection: Connection, id: number, vector: Float32Array): void {
  connection.run('insert or replace into vectors values (?, ?)', id, new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength));
}

/** The words of a passage as the word index holds them: those of each organization are others. */
export function indexedWords(organization: number, stems: string): string {
  return indexText(stems, `${organization.toString(36)}_`);
}

/** Lays one batch of rows; what they change in the word statistics is answered. */
export function layRows(connection: Connection, organization: number, revision: RevisionRow, batch: PackedRows): WordCounts {
  const counts = noWords();
  for (const { row, vector } of withVectors(batch)) {
    if (!Number.isInteger(row.ordinal) || row.ordinal < 0 || row.ordinal >= ordinalSpan) throw new RangeError(`ordinal ${row.ordinal} is not in 0..${ordinalSpan - 1}`);
    const id = rowId(revision.number, row.ordinal);
    const before = connection.get('select stems, length, analysed_as from passages where id = ?', id);
    const counted = row.ordinal < revision.count;
    if (before !== undefined && counted) countWords(counts, { stems: textOf(before['stems']), length: numberOf(before['length']), analysedAs: textOf(before['analysed_as']) }, -1);
    if (counted) countWords(counts, row, 1);
    layPassage(connection, id, row);
    const words = indexedWords(organization, row.stems);
    if (before === undefined) connection.run('insert into words (rowid, stems) values (?, ?)', id, words);
    else if (textOf(before['stems']) !== row.stems) connection.run('insert or replace into words (rowid, stems) values (?, ?)', id, words);
    if (vector !== null) layVector(connection, id, vector);
    else connection.run('delete from vectors where id = ?', id);
  }
  return counts;
}
