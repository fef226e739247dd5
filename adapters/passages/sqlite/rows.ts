import { partsOfStem } from '../../../models/analyser/spelling.ts';
import { indexText, primaryLanguage } from '../tokens.ts';
import { countWords, noWords } from '../wording.ts';
import type { WordCounts } from '../wording.ts';
import { countOn, counterOf, numberOf, ordinalSpan, revisionRun, textOf, textOrNull } from './connection.ts';
import type { Connection } from './connection.ts';
import type { PackedRows } from './messages.ts';

/** Rows that one step of a long change touches before other writes have their turn. */
export const portion = 500;

/** Rows that are counted before it is seen whether their words are as many as may be held. */
const countedTogether = 50;
/** Stems whose counts are held, about: rows of prose share theirs, those of a table have a thousand each. */
const mostStems = 5000;

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
  connection.run('insert or ignore into organizations (id) values (?)', organizationId);
  return numberOf(connection.get('select number from organizations where id = ?', organizationId)?.['number']);
}

/** The file's number, which it is given at its first write. */
export function fileNumber(connection: Connection, organization: number, assetId: string): number {
  connection.run('insert or ignore into files (organization, asset_id) values (?, ?)', organization, assetId);
  return numberOf(connection.get('select number from files where organization = ? and asset_id = ?', organization, assetId)?.['number']);
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

/** The revision's row, made where it is not there. Numbers are given in runs, so that an organization's rows lie together. */
export function ensureRevision(connection: Connection, organization: number, file: number, revision: number): RevisionRow {
  const known = findRevision(connection, file, revision);
  if (known !== undefined) return known;
  const state = connection.get('select next_revision, revision_end from organizations where number = ?', organization);
  let next = numberOf(state?.['next_revision']);
  let end = numberOf(state?.['revision_end']);
  if (next >= end) {
    next = counterOf(connection, 'revision_runs') * revisionRun;
    end = next + revisionRun;
    countOn(connection, 'revision_runs');
  }
  connection.run('update organizations set next_revision = ?, revision_end = ? where number = ?', next + 1, end, organization);
  connection.run('insert into revisions (number, organization, file, revision) values (?, ?, ?, ?)', next, organization, file, revision);
  return { number: next, file, revision, model: null, published: false, count: 0 };
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
        ? connection.all(`${columns} limit ?`, base + at, base + count, countedTogether)
        : connection.all(`${columns} desc limit ?`, base + count, base + at, countedTogether);
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
  const first = number * ordinalSpan + from;
  const end = (number + 1) * ordinalSpan;
  for (let removed = 0; ;) {
    const ids = connection.all('select id from passages where id >= ? and id < ? order by id limit ?', first, end, portion);
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

/** Lays one batch of rows; what they change in the word statistics is answered. */
export function layRows(connection: Connection, organization: number, revision: RevisionRow, batch: PackedRows): WordCounts {
  const counts = noWords();
  const prefix = `${organization.toString(36)}_`;
  let vectorAt = 0;
  batch.rows.forEach((row, index) => {
    if (!Number.isInteger(row.ordinal) || row.ordinal < 0 || row.ordinal >= ordinalSpan) throw new RangeError(`ordinal ${row.ordinal} is not in 0..${ordinalSpan - 1}`);
    const id = revision.number * ordinalSpan + row.ordinal;
    const size = batch.vectorSizes[index] ?? 0;
    const vector = batch.vectors.subarray(vectorAt, vectorAt + size);
    vectorAt += size;
    const before = connection.get('select stems, length, analysed_as from passages where id = ?', id);
    const counted = row.ordinal < revision.count;
    if (before !== undefined && counted) countWords(counts, { stems: textOf(before['stems']), length: numberOf(before['length']), analysedAs: textOf(before['analysed_as']) }, -1);
    if (counted) countWords(counts, row, 1);
    connection.run('insert or replace into passages values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)', id, row.length, row.analysedAs,
      row.language === null ? null : primaryLanguage(row.language), row.speaker, row.stems, row.language, JSON.stringify(row.location), row.text,
      row.timings === undefined ? null : JSON.stringify(row.timings));
    if (before === undefined) connection.run('insert into words (rowid, stems) values (?, ?)', id, indexText(row.stems, prefix));
    else if (textOf(before['stems']) !== row.stems) connection.run('insert or replace into words (rowid, stems) values (?, ?)', id, indexText(row.stems, prefix));
    if (size > 0 && vector.some((value) => value !== 0)) connection.run('insert or replace into vectors values (?, ?)', id, new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength));
    else connection.run('delete from vectors where id = ?', id);
  });
  return counts;
}
