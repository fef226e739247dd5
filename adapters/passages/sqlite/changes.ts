import type { FileAttributes } from '../../../models/passage.ts';
import { increment, numberOf } from './connection.ts';
import type { Connection } from './connection.ts';
import type { PackedRows, Write } from './messages.ts';
import { PendingWords } from './pending-words.ts';
import { marksOf, openOf, presentOf, publishNew } from './publish-new.ts';
import { removeOrganization } from './remove-organization.ts';
import { discard, removeFile } from './removals.ts';
import { countUpTo, ensureRevision, fileNumber, organizationNumber, removeRows, writeRows } from './rows.ts';
import type { RevisionRow, Steps } from './rows.ts';
import { applyWords } from './word-statistics.ts';

/**
 * The steps of a write. Changes of one file must run in sequence.
 * @param later collects words until the end of the transaction, where the caller flushes them; without it the steps
 * flush their words themselves
 */
export function stepsOf(connection: Connection, write: Write, later?: PendingWords): Steps {
  const words = later ?? new PendingWords();
  const steps =
    write.kind === 'publish'
      ? publish(connection, write, words)
      : counted(connection, words, otherSteps(connection, write, words));
  return later === undefined ? thenFlushed(connection, words, steps) : steps;
}

/** Steps that each are a transaction. */
function* thenFlushed(connection: Connection, words: PendingWords, steps: Steps): Steps {
  for (;;) {
    const { done } = steps.next();
    words.flush(connection);
    if (done === true) return;
    yield;
  }
}

/** Steps that change word counts. Counts pending words before each step, so that the step sees complete counts. */
function* counted(connection: Connection, words: PendingWords, steps: Steps): Steps {
  for (;;) {
    words.count(connection);
    if (steps.next().done === true) return;
    yield;
  }
}

function otherSteps(connection: Connection, write: Exclude<Write, { kind: 'publish' }>, words: PendingWords): Steps {
  switch (write.kind) {
    case 'write':
      return writeRowsOf(connection, write, words);
    case 'setAttributes':
      return setAttributes(connection, write);
    case 'discard':
      return discard(connection, write, words);
    case 'removeFile':
      return removeFile(connection, write, words);
    case 'removeOrganization':
      return removeOrganization(connection, write.organizationId, words);
  }
}

/** A file's revision, with the numbers that the index assigned. */
interface RevisionKeys {
  organization: number;
  file: number;
  revision: RevisionRow;
}

function revisionKeysOf(
  connection: Connection,
  write: { organizationId: string; assetId: string; revision: number },
): RevisionKeys {
  const organization = organizationNumber(connection, write.organizationId);
  const file = fileNumber(connection, organization, write.assetId);
  return { organization, file, revision: ensureRevision(connection, organization, file, write.revision) };
}

function* writeRowsOf(connection: Connection, write: Extract<Write, { kind: 'write' }>, words: PendingWords): Steps {
  writeRowsAt(connection, revisionKeysOf(connection, write), write, words);
}

function writeRowsAt(
  connection: Connection,
  { organization, revision }: RevisionKeys,
  packed: PackedRows,
  words: PendingWords,
): void {
  // Readers cache retrievable rows: they must drop the rows that are replaced.
  if (revision.published) {
    increment(connection, 'relaid', 'published', 'retrievable');
    // They may have vectors of a further model.
    connection.run('insert into changed (organization, number) values (?, ?)', organization, revision.number);
    connection.run(
      "insert or replace into overwritten select ?, value from counters where name = 'relaid'",
      revision.number,
    );
  }
  const changed = writeRows(connection, organization, revision, packed, words);
  if (revision.count > 0) {
    applyWords(connection, organization, changed);
    connection.run('update revisions set passages = passages + ? where number = ?', changed.passages, revision.number);
  }
}

function* publish(connection: Connection, write: Extract<Write, { kind: 'publish' }>, words: PendingWords): Steps {
  if (!publishNew(connection, write, words)) yield* counted(connection, words, publishKnown(connection, write, words));
}

function* publishKnown(connection: Connection, write: Extract<Write, { kind: 'publish' }>, words: PendingWords): Steps {
  const keys = revisionKeysOf(connection, write);
  const { organization, file, revision } = keys;
  const { count } = write;
  // In the same step as the publication: readers do not need a state between the two.
  if (write.last !== undefined) writeRowsAt(connection, keys, write.last, words);
  // The word statistics always include all retrievable rows: a smaller count is published before rows are subtracted.
  if (revision.published && count < revision.count)
    connection.run(
      'update live set count = ? where organization = ? and number = ?',
      count,
      organization,
      revision.number,
    );
  yield* countUpTo(connection, organization, revision, count, words);
  // This step makes the revision retrievable, with its attributes and rows together.
  applyAttributes(connection, organization, file, write.attributes);
  connection.run('update revisions set published = 1 where number = ?', revision.number);
  connection.run(
    `insert or replace into live select r.organization, r.number, r.file, r.count, f.open, f.present, f.kind, f.created_at, r.model, f.asset_id, r.revision
     from revisions r join files f on f.number = r.file where r.number = ?`,
    revision.number,
  );
  yield* removeRows(connection, revision.number, count);
}

function* setAttributes(connection: Connection, write: Extract<Write, { kind: 'setAttributes' }>): Steps {
  const organization = organizationNumber(connection, write.organizationId);
  applyAttributes(connection, organization, fileNumber(connection, organization, write.assetId), write.attributes);
}

function applyAttributes(connection: Connection, organization: number, file: number, attributes: FileAttributes): void {
  const known = numberOf(
    connection.get('select attributes_version from files where number = ?', file)?.['attributes_version'],
  );
  if (attributes.attributesVersion < known) return;
  const [open, present] = [openOf(attributes), presentOf(attributes)];
  connection.run(
    'update files set attributes_version = ?, open = ?, present = ?, kind = ?, external_id = ?, created_at = ? where number = ?',
    attributes.attributesVersion,
    open,
    present,
    attributes.kind,
    attributes.externalId,
    attributes.createdAt,
    file,
  );
  connection.run(
    'update live set open = ?, present = ?, kind = ?, created_at = ? where file = ?',
    open,
    present,
    attributes.kind,
    attributes.createdAt,
    file,
  );
  const wanted = marksOf(attributes);
  for (const row of connection.all('select lower(hex(mark)) as mark from marks where file = ?', file)) {
    if (!wanted.delete(String(row['mark'])))
      connection.run(
        'delete from marks where organization = ? and mark = unhex(?) and file = ?',
        organization,
        String(row['mark']),
        file,
      );
  }
  for (const mark of wanted) connection.run('insert into marks values (?, unhex(?), ?)', organization, mark, file);
}
