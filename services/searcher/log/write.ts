import type { Change, Collection, Records } from '../../../adapters/records/port.ts';
import { loggedQueries, searchDays, type Batches, type LoggedQuery } from '../../../models/search-log.ts';
import { scopeOf } from '../../../models/scope.ts';
import type { DayAddition, QueryAddition } from './entry.ts';
import { additionChange, followUp, newLoggedQuery, queryId } from './logged-query.ts';

/** A writer's batch. It is sent until it succeeds, before the next one. */
export interface Batch {
  /** Letters and digits; unique for each process. */
  writer: string;
  /** Increases with each batch. */
  number: number;
}

/** Maximum attempts of a write after conflicts with concurrent writes. */
const attempts = 50;
/** Maximum documents that are written concurrently. */
const together = 64;

interface Counted {
  _id: string;
  by: Batches;
}

/** Adds a batch to a document or creates the document. Idempotent. Returns the resulting document. */
async function addOnce<T extends Counted>(
  collection: Collection<T>,
  { writer, number }: Batch,
  change: Required<Pick<Change, 'set' | 'increment'>>,
  fresh: T,
): Promise<T> {
  const path = `by.${writer}`;
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const updated = await collection.update(
      fresh._id,
      { [path]: { $ne: number } },
      { ...change, set: { ...change.set, [path]: number } },
    );
    if (updated !== null) return updated;
    if ((await collection.insertNew([fresh])).length > 0) return fresh;
    // The document exists: it contains this batch already, or another writer created it meanwhile.
    const there = await collection.get(fresh._id);
    if (there?.by[writer] === number) return there;
  }
  throw new Error(`${fresh._id} of the search log has too many concurrent writes`);
}

async function addQuery(queries: Collection<LoggedQuery>, batch: Batch, addition: QueryAddition): Promise<void> {
  const fresh = newLoggedQuery(addition, { [batch.writer]: batch.number });
  let stored: LoggedQuery | null = await addOnce(queries, batch, additionChange(addition), fresh);
  for (let attempt = 0; attempt < attempts && stored !== null; attempt += 1) {
    const change = followUp(stored, addition);
    if (change === null || (await queries.update(stored._id, { version: stored.version }, change)) !== null) return;
    stored = await queries.get(queryId(addition.organizationId, addition.query));
  }
}

async function addDay(records: Records, batch: Batch, addition: DayAddition): Promise<void> {
  const { organizationId, day, latency, ...sums } = addition;
  const increment = {
    ...sums,
    ...Object.fromEntries(Object.entries(latency).map(([bucket, count]) => [`latency.${bucket}`, count])),
  };
  const fresh = { _id: `${organizationId}:${day}`, ...addition, by: { [batch.writer]: batch.number } };
  await addOnce(records.collection(searchDays, scopeOf(organizationId)), batch, { set: {}, increment }, fresh);
}

/**
 * Adds the sums of a batch to the documents of days and queries. Idempotent, so a partly written batch is sent again.
 * @throws StoreUnavailable
 */
export async function writeBatch(
  records: Records,
  batch: Batch,
  { days, queries }: { days: readonly DayAddition[]; queries: readonly QueryAddition[] },
): Promise<void> {
  const writes = [
    ...days.map((addition) => () => addDay(records, batch, addition)),
    ...queries.map(
      (addition) => () =>
        addQuery(records.collection(loggedQueries, scopeOf(addition.organizationId)), batch, addition),
    ),
  ];
  for (let start = 0; start < writes.length; start += together)
    await Promise.all(writes.slice(start, start + together).map((write) => write()));
}
