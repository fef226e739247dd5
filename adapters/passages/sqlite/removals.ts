import { numberOf, type Connection } from './connection.ts';
import type { PendingWords } from './pending-words.ts';
import { countUpTo, removeRows, revisionsOf, type RevisionRow, type Steps } from './rows.ts';

/** A file of an organization. */
interface FileKeys {
  organizationId: string;
  assetId: string;
}

/** Removes a revision of a file, and what is left of those whose removal was interrupted. */
export function* discard(connection: Connection, write: FileKeys & { revision: number }, words: PendingWords): Steps {
  const file = knownFile(connection, write);
  if (file === undefined) return;
  for (const revision of revisionsOf(connection, file.number))
    if (revision.revision === write.revision || revision.revision < 0)
      yield* removeRevision(connection, file.organization, revision, words);
}

/** Removes a file. */
export function* removeFile(connection: Connection, write: FileKeys, words: PendingWords): Steps {
  const file = knownFile(connection, write);
  if (file === undefined) return;
  // Hidden immediately; its words are subtracted afterwards.
  connection.run('update live set present = 0 where file = ?', file.number);
  yield;
  for (const revision of revisionsOf(connection, file.number))
    yield* removeRevision(connection, file.organization, revision, words);
  connection.run('delete from marks where file = ?', file.number);
  connection.run('delete from files where number = ?', file.number);
}

/**
 * Removes a revision's rows. If it is interrupted, the row of the revision stays under a negative revision until the next
 * removal of the file: its postings are left behind, so that its number must not be written to again.
 */
function* removeRevision(
  connection: Connection,
  organization: number,
  revision: RevisionRow,
  words: PendingWords,
): Steps {
  // Hidden immediately; its words are subtracted afterwards.
  if (revision.published)
    connection.run('delete from live where organization = ? and number = ?', organization, revision.number);
  connection.run(
    'update revisions set published = 0, revision = ? where number = ?',
    -revision.number,
    revision.number,
  );
  yield* countUpTo(connection, organization, revision, 0, words, true);
  yield* removeRows(connection, revision.number, 0);
  connection.run('delete from other_models where number = ?', revision.number);
  connection.run('delete from overwritten where number = ?', revision.number);
  connection.run('delete from revisions where number = ?', revision.number);
}

function knownFile(connection: Connection, write: FileKeys): { number: number; organization: number } | undefined {
  const row = connection.get(
    'select f.number as number, f.organization as organization from organizations o join files f on f.organization = o.number and f.asset_id = ? where o.id = ?',
    write.assetId,
    write.organizationId,
  );
  return row === undefined
    ? undefined
    : { number: numberOf(row['number']), organization: numberOf(row['organization']) };
}
