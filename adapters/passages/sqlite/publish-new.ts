import type { FileAttributes } from '../../../models/passage.ts';
import { descriptionMarks, principalMark } from '../tokens.ts';
import { numberOf, rowId } from './connection.ts';
import type { Connection } from './connection.ts';
import type { PackedRows, Write } from './messages.ts';
import type { PendingWords } from './pending-words.ts';
import { writePassage, newRevisionNumber, organizationNumber, withVectors } from './rows.ts';
import { writeVector } from './stored-vectors.ts';

/** Maximum passages of a file that is written in one step. */
const maxRows = 16;

/** Whether the rows are the complete revision, and few. */
function isWhole({ rows }: PackedRows, count: number): boolean {
  return rows.length === count && count <= maxRows && rows.every(({ ordinal }, index) => ordinal === index);
}

/**
 * Writes and publishes a small file that is new to the index, as most files are. There are no
 * rows of an earlier revision to look for, and each row is written once. Its words are pending until the next flush.
 * @returns false, without effect, if the file is not new or not complete
 */
export function publishNew(
  connection: Connection,
  write: Extract<Write, { kind: 'publish' }>,
  words: PendingWords,
): boolean {
  const { count, last, attributes } = write;
  if (last === undefined || !isWhole(last, count)) return false;
  const organization = organizationNumber(connection, write.organizationId);
  const file = addFile(connection, organization, attributes);
  if (file === null) return false;
  const number = newRevisionNumber(connection, organization);
  connection.run(
    'insert into revisions (number, organization, file, revision, model, published, count, passages) values (?, ?, ?, ?, ?, 1, ?, ?)',
    number,
    organization,
    file,
    write.revision,
    last.embeddingModel,
    count,
    count,
  );
  for (const { row, vector } of withVectors(last)) {
    const id = rowId(number, row.ordinal);
    writePassage(connection, id, row);
    if (vector !== null && last.embeddingModel !== null) writeVector(connection, id, vector, null);
    words.add({ organization, id, stems: row.stems, length: row.length, analysedAs: row.analysedAs });
  }
  connection.run(
    'insert into live (organization, number, file, count, open, present, kind, created_at, model, asset_id, revision) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    organization,
    number,
    file,
    count,
    openOf(attributes),
    presentOf(attributes),
    attributes.kind,
    attributes.createdAt,
    last.embeddingModel,
    attributes.assetId,
    write.revision,
  );
  return true;
}

/** Inserts a file with its attributes. Returns its number, or null if it exists. */
function addFile(connection: Connection, organization: number, attributes: FileAttributes): number | null {
  const { assetId, attributesVersion, kind, externalId, createdAt } = attributes;
  const added = connection.get(
    'insert into files (organization, asset_id, attributes_version, open, present, kind, external_id, created_at) values (?, ?, ?, ?, ?, ?, ?, ?) on conflict do nothing returning number',
    organization,
    assetId,
    attributesVersion,
    openOf(attributes),
    presentOf(attributes),
    kind,
    externalId,
    createdAt,
  );
  if (added === undefined) return null;
  const file = numberOf(added['number']);
  for (const mark of marksOf(attributes))
    connection.run('insert into marks values (?, unhex(?), ?)', organization, mark, file);
  return file;
}

/** The marks of a file that searches filter by, in hexadecimal. */
export function marksOf(attributes: FileAttributes): Set<string> {
  return new Set([...attributes.principals.map(principalMark), ...descriptionMarks(attributes)]);
}

/** Whether the file is open to everybody, as stored. */
export function openOf({ aclMode }: FileAttributes): number {
  return aclMode === 'open' ? 1 : 0;
}

/** Whether the file's source is present, as stored. */
export function presentOf({ present }: FileAttributes): number {
  return present ? 1 : 0;
}
