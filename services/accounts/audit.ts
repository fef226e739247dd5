import type { Change, Collection } from '../../adapters/records/port.ts';
import type { AuditView } from '../../models/api.ts';
import { isoTime } from '../../models/ambient.ts';
import type { AuditActor, AuditFact, Audited, AuditRow } from '../../models/organization.ts';
import { isDuplicate, type AccountsHouse, type Books } from './tools.ts';

type AuditedDocument = Audited & { _id: string };

/** The service itself, as an actor of the audit. */
export const theService: AuditActor = { kind: 'plycdn', id: null, label: null, prefix: null };
/** Whoever operates the deployment by its command line: nobody of the account, so the service too. */
export const theOperator: AuditActor = { kind: 'plycdn', id: null, label: 'command line', prefix: null };

const attempts = 200;
/** Appends of this process go one after another; those of other processes meet in the unique index. */
const queues = new WeakMap<Books['audit'], Promise<unknown>>();

/** The change that adds facts to a document's pending ones, to be written together with what they tell of. */
export function withAudit(change: Change, facts: readonly AuditFact[], uuid: () => string): Change {
  const pending = facts.map((fact) => ({ ...fact, id: uuid() }));
  const mark = pending.at(-1)?.id;
  if (mark === undefined) return change;
  return { ...change, set: { ...change.set, pendingAuditMark: mark }, push: { ...change.push, pendingAudit: pending } };
}

/** The fields of a new document that tell of its creation. */
export function createdWith(fact: AuditFact, id: string): Required<Audited> {
  return { pendingAudit: [{ ...fact, id }], pendingAuditMark: id };
}

/**
 * Carries a document's pending facts to the audit. Safe to repeat and to run in several processes: each row has
 * the id of its fact. What fails here stays pending and is carried later, so the change itself stands.
 */
export async function settle<T extends AuditedDocument>(house: Pick<AccountsHouse, 'log'>, books: Pick<Books, 'audit'>, collection: Collection<T>, document: T): Promise<void> {
  try {
    await carry(books, collection, document);
  } catch (error) {
    house.log.warn({ err: error, id: document._id }, 'an audit row waits for the store');
  }
}

/** Carries everything that is pending in organizations and keys. @throws what the store throws. */
export async function settleAll(books: Books): Promise<void> {
  await settleCollection(books, books.organizations);
  await settleCollection(books, books.keys);
}

async function settleCollection<T extends AuditedDocument>(books: Books, collection: Collection<T>): Promise<void> {
  for (;;) {
    const waiting = await collection.find({ filter: { pendingAuditMark: { $exists: true } }, limit: 100 });
    for (const document of waiting) await carry(books, collection, document);
    if (waiting.length < 100) return;
  }
}

async function carry<T extends AuditedDocument>({ audit }: Pick<Books, 'audit'>, collection: Collection<T>, document: T): Promise<void> {
  let current: T | null = document;
  while (current?.pendingAuditMark !== undefined) {
    const facts: (AuditFact & { id: string })[] = current.pendingAudit ?? [];
    for (const fact of facts) await append(audit, fact);
    // A change that came meanwhile set another mark: then its facts are carried as well.
    const settled: T | null = await collection.update(current._id, { pendingAuditMark: current.pendingAuditMark }, { unset: ['pendingAuditMark'], pullById: { pendingAudit: facts.map(({ id }) => id) } });
    current = settled ?? (await collection.get(current._id));
  }
}

/** Writes a row at once, for what may be done only when its row stands. Repeating it with the same id writes none. @throws what the store throws */
export async function record({ audit }: Pick<Books, 'audit'>, fact: AuditFact, id: string): Promise<void> {
  await append(audit, { ...fact, id });
}

function append(audit: Collection<AuditRow>, fact: AuditFact & { id: string }): Promise<void> {
  const appended = (queues.get(audit) ?? Promise.resolve()).then(() => appendOne(audit, fact));
  // The caller hears of a failure; the next one in the queue does not stumble over it.
  queues.set(audit, appended.catch(() => undefined));
  return appended;
}

/** Takes the next number of the account. The unique index lets one of several takers have it; the others try the next. */
async function appendOne(audit: Collection<AuditRow>, { id, ...fact }: AuditFact & { id: string }): Promise<void> {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    const [last] = await audit.find({ filter: { accountId: fact.accountId }, sort: [['sequence', -1]], limit: 1 });
    try {
      await audit.insert({ _id: id, sequence: (last?.sequence ?? 0) + 1, ...fact });
      return;
    } catch (error) {
      if (isDuplicate(error, '_id')) return;
      if (!isDuplicate(error)) throw error;
      if ((await audit.get(id)) !== null) return;
    }
  }
  throw new Error('the account audit is written by too many at once');
}

/** A page of the account's audit, newest first. `before` is the `next` of the page before. */
export async function readAudit(books: Books, accountId: string, limit: number, before: string | null): Promise<{ items: AuditView[]; next: string | null }> {
  // Whoever saw a change answered sees its row, also when a process died between the two.
  await settleAll(books);
  const rows = await books.audit.find({
    filter: before === null ? { accountId } : { accountId, sequence: { $lt: Number(before) } },
    sort: [['sequence', -1]],
    limit: limit + 1,
  });
  const items = rows.slice(0, limit).map(viewOf);
  return { items, next: rows.length > limit ? (items.at(-1)?.id ?? null) : null };
}

function viewOf(row: AuditRow): AuditView {
  const { sequence, at, actor, action, resourceKind, resourceId, detail } = row;
  return { id: String(sequence), at: isoTime(at), actor, action, resourceKind, resourceId, detail };
}
