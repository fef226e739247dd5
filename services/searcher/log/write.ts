import type { Change, Collection, Records } from '../../../adapters/records/port.ts';
import { loggedQueries, searchDays, type Batches, type LoggedQuery } from '../../../models/search-log.ts';
import { scopeOf } from '../../../models/scope.ts';
import type { DayAddition, QueryAddition } from './entry.ts';
import { additionChange, followUp, newLoggedQuery, queryId } from './logged-query.ts';

/** A writer's batch: sent until it was taken, and only then the next. */
export interface Batch {
  /** Letters and digits; another one in each process. */
  writer: string;
  /** Grows with each batch. */
  number: number;
}

/** Times that a write is tried anew because others wrote the document in between. */
const attempts = 50;
/** Documents that are written at a time. */
const together = 64;

interface Counted {
  _id: string;
  by: Batches;
}

/** Adds a batch to a document, or makes it: once, however often it is sent. Answers the document that holds it. */
async function addOnce<T extends Counted>(collection: Collection<T>, { writer, number }: Batch, change: Required<Pick<Change, 'set' | 'increment'>>, fresh: T): Promise<T> {
  const path = `by.${writer}`;
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const updated = await collection.update(fresh._id, { [path]: { $ne: number } }, { ...change, set: { ...change.set, [path]: number } });
    if (updated !== null) return updated;
    if ((await collection.insertNew([fresh])).length > 0) return fresh;
    // It is there: with this batch already, or made by another writer since it was looked for.
    const there = await collection.get(fresh._id);
    if (there?.by[writer] === number) return there;
  }
  throw new Error(`${fresh._id} of the search log is being made and removed by too many at once`);
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
  const increment = { ...sums, ...Object.fromEntries(Object.entries(latency).map(([bucket, count]) => [`latency.${bucket}`, count])) };
  const fresh = { _id: `${organizationId}:${day}`, ...addition, by: { [batch.writer]: batch.number } };
  await addOnce(records.collection(searchDays, scopeOf(organizationId)), batch, { set: {}, increment }, fresh);
}

/**
 * Adds the sums of a batch to the documents of days and queries. Doing it again with the same batch changes nothing, so
 * a batch of which only a part was written is sent again.
 * @throws StoreUnavailable
 */
export async function writeBatch(records: Records, batch: Batch, { days, queries }: { days: readonly DayAddition[]; queries: readonly QueryAddition[] }): Promise<void> {
  const writes = [
    ...days.map((addition) => () => addDay(records, batch, addition)),
    ...queries.map((addition) => () => addQuery(records.collection(loggedQueries, scopeOf(addition.organizationId)), batch, addition)),
  ];
  for (let start = 0; start < writes.length; start += together) await Promise.all(writes.slice(start, start + together).map((write) => write()));
}
