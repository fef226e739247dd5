import { isDuplicate, type Change, type Collection } from '../../adapters/records/port.ts';
import type { AppContext } from '../../mixins/app-context.ts';
import type { Intake } from '../../mixins/lifecycle.ts';
import { periodicIntake } from '../../mixins/periodic.ts';
import type { AuditView, Caller } from '../../models/api.ts';
import { Refusal } from '../../models/errors.ts';
import type { AuditActor, AuditFact, Audited, AuditRow } from '../../models/organization.ts';
import { isoTime } from '../../models/runtime.ts';
import { collectionsOf, type AccountCollections, type AccountsContext } from './collections.ts';

type AuditedDocument = Audited & { _id: string };
/** A fact that has the id of its audit row. */
type IdentifiedFact = AuditFact & { id: string };

/** Audit actor of changes that the service makes by itself. */
export const serviceActor: AuditActor = { kind: 'plycdn', id: null, label: null, prefix: null };
/** Audit actor of the deployment's operator, who belongs to no account. */
export const operatorActor: AuditActor = { kind: 'plycdn', id: null, label: 'command line', prefix: null };

/** The audit actor of a request. */
export function actorOf({ userId, keyId, keyLabel, keyPrefix }: Caller): AuditActor {
  return userId === undefined
    ? { kind: 'api_key', id: keyId, label: keyLabel, prefix: keyPrefix }
    : { kind: 'user', id: userId, label: keyLabel, prefix: null };
}

/** Attempts to append a row, each with the next number. Only other processes can take a number first. */
const maxAttempts = 200;
const flushIntervalMs = 30_000;
const flushPageSize = 100;
/** Principals that the audit row of a search lists at most. */
const maxNamedPrincipals = 20;

/**
 * The append under way in this process by account: appends of one account run one after another, so that they do not
 * compete for its next number. Appends of other processes are kept apart by the unique index.
 */
const lastAppends = new Map<string, Promise<void>>();

/** Adds pending facts to the change of a document, so that both are written together. */
export function withAudit(change: Change, facts: readonly AuditFact[], uuid: () => string): Change {
  const pending = facts.map((fact) => ({ ...fact, id: uuid() }));
  const mark = pending.at(-1)?.id;
  if (mark === undefined) return change;
  return { ...change, set: { ...change.set, pendingAuditMark: mark }, push: { ...change.push, pendingAudit: pending } };
}

/** The fields of a new document that hold the pending fact of its creation. */
export function createdWith(fact: AuditFact, id: string): Required<Audited> {
  return { pendingAudit: [{ ...fact, id }], pendingAuditMark: id };
}

/**
 * Moves a document's pending facts to the audit. Each row has the id of its fact, so repeating it, also in several
 * processes, adds no row. A failure is logged only: the facts stay pending, and `auditFlusher` tries again.
 */
export async function flushAudit<T extends AuditedDocument>(
  app: Pick<AccountsContext, 'log'>,
  collections: Pick<AccountCollections, 'audit'>,
  collection: Collection<T>,
  document: T,
): Promise<void> {
  try {
    await appendPending(collections, collection, document);
  } catch (error) {
    app.log.warn({ err: error, id: document._id }, 'writing an audit row failed, will retry');
  }
}

/** Moves all pending facts to the audit. @throws errors of the store */
export async function flushAllAudit(collections: AccountCollections): Promise<void> {
  await flushCollection(collections, collections.organizations);
  await flushCollection(collections, collections.keys);
  await flushCollection(collections, collections.users);
  await flushCollection(collections, collections.people);
  await flushCollection(collections, collections.adjustments);
}

async function flushCollection<T extends AuditedDocument>(
  collections: AccountCollections,
  collection: Collection<T>,
): Promise<void> {
  for (;;) {
    const pending = await collection.find({ filter: { pendingAuditMark: { $exists: true } }, limit: flushPageSize });
    for (const document of pending) await appendPending(collections, collection, document);
    if (pending.length < flushPageSize) return;
  }
}

async function appendPending<T extends AuditedDocument>(
  { audit }: Pick<AccountCollections, 'audit'>,
  collection: Collection<T>,
  document: T,
): Promise<void> {
  let current: T | null = document;
  while (current?.pendingAuditMark !== undefined) {
    const facts: IdentifiedFact[] = current.pendingAudit ?? [];
    for (const fact of facts) await append(audit, fact);
    // A concurrent change sets another mark: then the document is read again, and its new facts are appended as well.
    const flushed: T | null = await collection.update(
      current._id,
      { pendingAuditMark: current.pendingAuditMark },
      { unset: ['pendingAuditMark'], pullById: { pendingAudit: facts.map(({ id }) => id) } },
    );
    current = flushed ?? (await collection.get(current._id));
  }
}

/** At the start and every 30 seconds, appends the facts that a crash or an unavailable store left pending. */
export function auditFlusher(app: Pick<AppContext, 'records' | 'log' | 'metrics'>): Intake {
  return periodicIntake({
    name: 'audit',
    everyMs: flushIntervalMs,
    firstMs: 0,
    round: () => flushAllAudit(collectionsOf(app)),
    failed: (error) => {
      app.metrics.auditFailures.inc();
      app.log.warn({ err: error }, 'writing audit rows failed, will retry');
    },
  });
}

/**
 * Appends a row immediately, for operations that must not run before their row is written. Idempotent for one id.
 * @throws what the store throws
 */
export async function recordAudit(
  { audit }: Pick<AccountCollections, 'audit'>,
  fact: AuditFact,
  id: string,
): Promise<void> {
  await append(audit, { ...fact, id });
}

async function append(audit: Collection<AuditRow>, fact: IdentifiedFact): Promise<void> {
  const { accountId } = fact;
  const appended = (lastAppends.get(accountId) ?? Promise.resolve()).then(() => appendOne(audit, fact));
  // The caller gets the failure; the next append runs regardless.
  const last = appended.catch(() => undefined);
  lastAppends.set(accountId, last);
  try {
    await appended;
  } finally {
    if (lastAppends.get(accountId) === last) lastAppends.delete(accountId);
  }
}

/** Takes the account's next number. If several processes take the same number, the unique index accepts one of them. */
async function appendOne(audit: Collection<AuditRow>, { id, ...fact }: IdentifiedFact): Promise<void> {
  for (let attempt = 0; attempt < maxAttempts; attempt += 1) {
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
  throw new Error(`the audit row ${id} could not get a number in ${maxAttempts} attempts`);
}

/** A page of the account's audit, newest first. `before` is the `next` of the page before. */
export async function readAudit(
  collections: AccountCollections,
  accountId: string,
  limit: number,
  before: string | null,
): Promise<{ items: AuditView[]; next: string | null }> {
  // Every answered change is in the audit, even if its process died before it appended the row.
  await flushAllAudit(collections);
  const rows = await collections.audit.find({
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

/** A search as another reader, before it runs. */
export interface SearchAs {
  /** Id of the search and of its audit row: recording it twice adds one row. */
  searchId: string;
  organizationId: string;
  actor: AuditActor;
  /** The principals of that reader: at least one. */
  principals: readonly string[];
}

/**
 * Writes the audit row of a search that is made as another reader. The search runs only after this has returned.
 * The row never holds the query, because an organization may choose to keep none.
 * @throws Refusal `organization_forbidden` if the organization is unknown or deactivated; errors of the store
 */
export async function recordSearchAs(
  app: AccountsContext,
  { searchId, organizationId, actor, principals }: SearchAs,
): Promise<{ accountId: string }> {
  const collections = collectionsOf(app);
  const organization = await collections.organizations.get(organizationId);
  if (organization === null || !organization.isActive) throw new Refusal('organization_forbidden');
  const { accountId } = organization;
  const fact: AuditFact = {
    accountId,
    at: app.runtime.now(),
    actor,
    action: 'dashboard.search_as',
    resourceKind: 'organization',
    resourceId: organizationId,
    detail: { principals: principals.slice(0, maxNamedPrincipals), principalCount: principals.length, searchId },
  };
  await recordAudit(collections, fact, searchId);
  return { accountId };
}

/** A threshold of a quota that an account has reached in a month (YYYY-MM). */
export interface QuotaAlert {
  accountId: string;
  month: string;
  metric: string;
  /** Percent of the quota. */
  threshold: number;
  percent: number;
}

/** Writes the audit row of a reached threshold, once for each month, metric and threshold. @throws errors of the store */
export async function recordQuotaAlert(
  app: AccountsContext,
  { accountId, month, metric, threshold, percent }: QuotaAlert,
): Promise<null> {
  const fact: AuditFact = {
    accountId,
    at: app.runtime.now(),
    actor: serviceActor,
    action: 'quota.reached',
    resourceKind: 'quota',
    resourceId: metric,
    detail: { month, threshold, percent },
  };
  await recordAudit(collectionsOf(app), fact, `quota:${accountId}:${month}:${metric}:${threshold}`);
  return null;
}
