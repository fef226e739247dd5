import { numberOf, textOf, type Connection } from './connection.ts';
import { deleteRemoved } from './merge-runs.ts';
import type { PendingWords } from './pending-words.ts';
import { removeFile } from './removals.ts';
import type { Steps } from './rows.ts';
import { runStates } from './word-runs.ts';

/** Maximum rows that one step removes. */
const rowsAtOnce = 500;

/**
 * Removes an organization: its files with their passages, its counted words with their postings, its id. Its number is
 * not reused: readers cache by number, and a long change in progress may have added rows afterwards. So rows under the
 * numbers of removed organizations are removed as well.
 */
export function* removeOrganization(connection: Connection, organizationId: string, words: PendingWords): Steps {
  for (const row of connection.all(
    "select number, id from organizations where id = ? or id like 'forgotten %'",
    organizationId,
  )) {
    const organization = numberOf(row['number']);
    for (;;) {
      const [file] = connection.all('select asset_id from files where organization = ? limit 1', organization);
      if (file === undefined) break;
      yield* removeFile(connection, { organizationId: textOf(row['id']), assetId: textOf(file['asset_id']) }, words);
    }
    for (const [table, key] of [
      ['stem_counts', 'stem'],
      ['language_counts', 'language'],
    ] as const) {
      while (
        connection.run(
          `delete from ${table} where organization = ? and ${key} in (select ${key} from ${table} where organization = ? limit ${rowsAtOnce})`,
          organization,
          organization,
        ) === rowsAtOnce
      )
        yield;
    }
    words.flush(connection);
    connection.run('update runs set state = ? where organization = ?', runStates.removed, organization);
    while (
      connection.run(
        `delete from stem_parts where organization = ? and (part, stem) in (select part, stem from stem_parts where organization = ? limit ${rowsAtOnce})`,
        organization,
        organization,
      ) === rowsAtOnce
    )
      yield;
    connection.run(
      "update organizations set id = 'forgotten ' || number, passages = 0, words = 0 where number = ?",
      organization,
    );
  }
  yield* deleteRemoved(connection);
}
