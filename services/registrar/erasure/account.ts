import type { Collection } from '../../../adapters/records/port.ts';
import { accountMonths } from '../../../models/account-month.ts';
import type { CollectionDefinition, StoredRecord } from '../../../models/collection.ts';
import { dashboardSessions, users } from '../../../models/dashboard.ts';
import { erasures, type Erasure } from '../../../models/erasure.ts';
import { measuredDays } from '../../../models/measured-days.ts';
import { quotaCounts } from '../../../models/quota-count.ts';
import { contentClaims } from '../../../models/job.ts';
import {
  accounts,
  apiKeys,
  auditRows,
  firstStarts,
  organizations,
  type Organization,
} from '../../../models/organization.ts';
import { accountPeople } from '../../../models/people.ts';
import { systemScope } from '../../../models/scope.ts';
import { ledgers, statementParts, statements, usageAdjustments } from '../../../models/statement.ts';
import { usageEvents } from '../../../models/usage-event.ts';
import {
  usageFileMonths,
  usageFiles,
  usageMonths,
  usageReconciliations,
  usageResourceMonths,
} from '../../../models/usage-month.ts';
import type { Registrar } from '../registrar.ts';
import { eraseFromOrganization } from './organization.ts';

/** Documents that one statement removes, and organizations of one page. */
const atOnce = 500;
/** How long, and how often, erased ids are checked again: writes of a process that was cut off may arrive late. */
const watchedMs = 24 * 3_600_000;
const watchEveryMs = 600_000;

/** Statements, and what they rest on: ids, quantities, plans and prices. */
const ofStatements: readonly CollectionDefinition<StoredRecord>[] = [
  statements,
  statementParts,
  usageAdjustments,
  usageEvents,
  usageMonths,
  usageFileMonths,
  usageResourceMonths,
  accountMonths,
];
/** What nothing rests on: names of files, and what is only of use while the account is there. */
const never: readonly CollectionDefinition<StoredRecord>[] = [usageFiles, quotaCounts];

async function removeAll(remove: () => Promise<number>): Promise<boolean> {
  let found = false;
  for (let removed = atOnce; removed === atOnce;) {
    removed = await remove();
    if (removed > 0) found = true;
  }
  return found;
}

/** Erases the account's records that belong to no organization. */
async function eraseAccountRecords(
  { app: { records } }: Registrar,
  { accountId, keepUsage }: Erasure,
): Promise<boolean> {
  const found = [
    // Ids of content holders start with the account's id.
    await removeAll(() =>
      records
        .collection(contentClaims, systemScope)
        .removeMany({ _id: { $gte: `${accountId}:`, $lt: `${accountId};` } }, atOnce),
    ),
    await removeAll(() => records.collection(auditRows, systemScope).removeMany({ accountId }, atOnce)),
    await removeAll(() => records.collection(apiKeys, systemScope).removeMany({ accountId }, atOnce)),
    await removeAll(() => records.collection(users, systemScope).removeMany({ accountId }, atOnce)),
    await removeAll(() => records.collection(dashboardSessions, systemScope).removeMany({ accountId }, atOnce)),
    await records.collection(accountPeople, systemScope).remove(accountId),
  ];
  for (const definition of [...never, ...(keepUsage ? [] : ofStatements)])
    found.push(await removeAll(() => records.collection(definition, systemScope).removeMany({ accountId }, atOnce)));
  found.push(await records.collection(measuredDays, systemScope).remove(accountId));
  found.push(await records.collection(usageReconciliations, systemScope).remove(accountId));
  if (!keepUsage) found.push(await records.collection(ledgers, systemScope).remove(accountId));
  return found.includes(true);
}

/** Erases a part of each of the account's organizations. Returns whether nothing is left. */
async function eraseOrganizations(
  registrar: Registrar,
  { accountId }: Erasure,
  isStopping: () => boolean,
): Promise<boolean> {
  const books = registrar.app.records.collection(organizations, systemScope);
  let isEmpty = true;
  for (let after: (string | number)[] | null = null; ;) {
    const page: Organization[] = await books.find({
      filter: { accountId },
      sort: [
        ['createdAt', 1],
        ['_id', 1],
      ],
      limit: atOnce,
      ...(after === null ? {} : { after }),
    });
    for (const { _id, isActive } of page) {
      if (isStopping()) return false;
      if (isActive) await books.update(_id, {}, { set: { isActive: false } });
      if (await eraseFromOrganization(registrar, _id, isStopping)) isEmpty = false;
    }
    const last = page.at(-1);
    if (last === undefined || page.length < atOnce) return isEmpty;
    after = [last.createdAt, last._id];
  }
}

/** The last steps: the organizations and the account itself. Their ids are kept for a day. */
async function eraseItself(
  { app: { records } }: Registrar,
  erasure: Erasure,
  watched: Collection<Erasure>,
): Promise<void> {
  const { accountId } = erasure;
  const until = records.time() + watchedMs;
  const books = records.collection(organizations, systemScope);
  for (;;) {
    const page = await books.find({ filter: { accountId }, limit: atOnce });
    await watched.insertNew(
      page.map(({ _id }) => ({ ...erasure, _id, kind: 'organization', due: records.time() + watchEveryMs, until })),
    );
    for (const { _id } of page) await books.remove(_id);
    if (page.length < atOnce) break;
  }
  await records.collection(accounts, systemScope).remove(accountId);
  // The first start stays done; the account that it created is erased from it.
  const starts = records.collection(firstStarts, systemScope);
  for (const { _id } of await starts.find({ filter: { accountId }, limit: 1 }))
    await starts.update(_id, { accountId }, { set: { accountId: '', organizationId: '' } });
  await watched.update(accountId, {}, { set: { until, due: records.time() + watchEveryMs } });
  await records.purge();
}

/** Checks erased ids again: removes late writes, and the ids when their time is over. */
async function watch(
  registrar: Registrar,
  erasure: Erasure,
  watched: Collection<Erasure>,
  isStopping: () => boolean,
): Promise<void> {
  const { records } = registrar.app;
  const found =
    erasure.kind === 'account'
      ? await eraseAccountRecords(registrar, erasure)
      : await eraseFromOrganization(registrar, erasure._id, isStopping);
  if (found) await records.purge();
  const isOver = !found && (erasure.until ?? Infinity) <= records.time();
  if (isOver) await watched.remove(erasure._id);
  else await watched.update(erasure._id, {}, { set: { due: records.time() + (found ? 1000 : watchEveryMs) } });
}

/**
 * Does a part of an erasure. Keys are removed first, then the organizations' data, in rounds, until nothing arrived for
 * as long as running requests and workers may last; the account is removed last. The next round continues where one was
 * stopped or killed; several processes may run it at once.
 * @throws StoreUnavailable, and what the index or the blobs throw
 */
export async function eraseSome(registrar: Registrar, erasure: Erasure, isStopping: () => boolean): Promise<void> {
  const { records, configuration, log } = registrar.app;
  const watched = records.collection(erasures, systemScope);
  if (erasure.until !== undefined) return watch(registrar, erasure, watched, isStopping);
  await removeAll(() => records.collection(apiKeys, systemScope).removeMany({ accountId: erasure.accountId }, atOnce));
  if (!(await eraseOrganizations(registrar, erasure, isStopping))) return;
  // A key is cached for a second after it was removed, and a worker writes until its lease has expired.
  const quietSince = erasure.startedAt + 2 * configuration.PLY_LEASE_SECONDS * 1000 + 2000;
  if (records.time() < quietSince || (await eraseAccountRecords(registrar, erasure))) return;
  await eraseItself(registrar, erasure, watched);
  log.info({ accountId: erasure.accountId }, 'account erased');
}
