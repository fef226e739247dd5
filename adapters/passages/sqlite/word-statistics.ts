import { partsOfStem } from '../../../models/analyser/spelling.ts';
import type { WordCounts } from '../word-counts.ts';
import { numberOf, textOrNull, type Connection } from './connection.ts';

/** Maximum stems counted by one statement. A small file has fewer, and a statement costs more than counting a stem. */
const stemsTogether = 500;

/**
 * Adds a number to the counts of stems. Returns the names of stems that are new or have no passages left; for all
 * others it returns null.
 */
const countedSql =
  'insert into stem_counts select ?1, value, ?2 from json_each(?3) where true on conflict do update set passages = passages + ?2 returning iif(passages = ?2 or passages <= 0, stem, null), passages';

/** Adds counts to the organization's word statistics; counts may be negative. */
export function applyWords(connection: Connection, organization: number, counts: WordCounts): void {
  connection.run(
    'update organizations set passages = passages + ?, words = words + ? where number = ?',
    counts.passages,
    counts.words,
    organization,
  );
  const changed = [...counts.stems].filter(([, change]) => change !== 0);
  for (let first = 0; first < changed.length; first += stemsTogether)
    applyStems(connection, organization, new Map(changed.slice(first, first + stemsTogether)));
  for (const [language, change] of counts.languages) {
    if (change === 0) continue;
    connection.run(
      'insert into language_counts values (?, ?, ?) on conflict do update set passages = passages + excluded.passages',
      organization,
      language,
      change,
    );
    if (change < 0)
      connection.run(
        'delete from language_counts where organization = ? and language = ? and passages <= 0',
        organization,
        language,
      );
  }
}

/**
 * Groups the stems by their change: SQLite reads a list of strings far faster than as many pairs of string and number.
 */
function applyStems(connection: Connection, organization: number, changes: ReadonlyMap<string, number>): void {
  const stemsByChange = new Map<number, string[]>();
  for (const [stem, change] of changes) {
    const stems = stemsByChange.get(change);
    if (stems === undefined) stemsByChange.set(change, [stem]);
    else stems.push(stem);
  }
  for (const [change, stems] of stemsByChange) {
    for (const row of connection.lists(countedSql, organization, change, JSON.stringify(stems))) {
      const stem = textOrNull(row[0]);
      if (stem === null) continue;
      const now = numberOf(row[1]);
      if (now === change)
        for (const part of partsOfStem(stem))
          connection.run('insert or ignore into stem_parts values (?, ?, ?)', organization, part, stem);
      if (now > 0) continue;
      connection.run('delete from stem_counts where organization = ? and stem = ?', organization, stem);
      for (const part of partsOfStem(stem))
        connection.run(
          'delete from stem_parts where organization = ? and part = ? and stem = ?',
          organization,
          part,
          stem,
        );
    }
  }
}
