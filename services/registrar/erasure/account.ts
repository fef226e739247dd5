import type { Collection } from '../../../adapters/records/port.ts';
import { erasures, type Erasure } from '../../../models/erasure.ts';
import { contentHolders } from '../../../models/job.ts';
import { accounts, apiKeys, auditRows, firstStarts, organizations, type Organization } from '../../../models/organization.ts';
import { systemScope } from '../../../models/scope.ts';
import { usageEvents } from '../../../models/usage-event.ts';
import type { Registrar } from '../registrar.ts';
import { eraseFromOrganization } from './organization.ts';

/** Documents that one statement removes, and organizations of one page. */
const atOnce = 500;
/** How long the ids of what was erased are still looked for, and how often: what a process that was cut off writes late is removed. */
const watchedMs = 24 * 3_600_000;
const watchEveryMs = 600_000;

async function removeAll(remove: () => Promise<number>): Promise<boolean> {
  let found = false;
  for (let removed = atOnce; removed === atOnce; ) {
    removed = await remove();
    if (removed > 0) found = true;
  }
  return found;
}

/** The account's own records that no organization holds. */
async function eraseBooks({ house: { records } }: Registrar, { accountId, keepUsage }: Erasure): Promise<boolean> {
  const found = [
    // A content's holder has the account at the beginning of its id.
    await removeAll(() => records.collection(contentHolders, systemScope).removeMany({ _id: { $gte: `${accountId}:`, $lt: `${accountId};` } }, atOnce)),
    await removeAll(() => records.collection(auditRows, systemScope).removeMany({ accountId }, atOnce)),
    await removeAll(() => records.collection(apiKeys, systemScope).removeMany({ accountId }, atOnce)),
  ];
  if (!keepUsage) found.push(await removeAll(() => records.collection(usageEvents, systemScope).removeMany({ accountId }, atOnce)));
  return found.includes(true);
}

/** Everything of the account's organizations, a part of each: answers whether nothing is left. */
async function eraseOrganizations(registrar: Registrar, { accountId }: Erasure, isStopping: () => boolean): Promise<boolean> {
  const books = registrar.house.records.collection(organizations, systemScope);
  let isEmpty = true;
  for (let after: (string | number)[] | null = null; ; ) {
    const page: Organization[] = await books.find({ filter: { accountId }, sort: [['createdAt', 1], ['_id', 1]], limit: atOnce, ...(after === null ? {} : { after }) });
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

/** The last steps: the organizations and the account itself. What stays are their ids, for a day. */
async function eraseItself({ house: { records } }: Registrar, erasure: Erasure, watched: Collection<Erasure>): Promise<void> {
  const { accountId } = erasure;
  const until = records.time() + watchedMs;
  const books = records.collection(organizations, systemScope);
  for (;;) {
    const page = await books.find({ filter: { accountId }, limit: atOnce });
    await watched.insertNew(page.map(({ _id }) => ({ ...erasure, _id, kind: 'organization', due: records.time() + watchEveryMs, until })));
    for (const { _id } of page) await books.remove(_id);
    if (page.length < atOnce) break;
  }
  await records.collection(accounts, systemScope).remove(accountId);
  // The first start stays done, whose account it made is forgotten.
  const starts = records.collection(firstStarts, systemScope);
  for (const { _id } of await starts.find({ filter: { accountId }, limit: 1 })) await starts.update(_id, { accountId }, { set: { accountId: '', organizationId: '' } });
  await watched.update(accountId, {}, { set: { until, due: records.time() + watchEveryMs } });
  await records.purge();
}

/** Looks once more for what was erased: removes what came late, and forgets the ids when their time is over. */
async function watch(registrar: Registrar, erasure: Erasure, watched: Collection<Erasure>, isStopping: () => boolean): Promise<void> {
  const { records } = registrar.house;
  const found = erasure.kind === 'account' ? await eraseBooks(registrar, erasure) : await eraseFromOrganization(registrar, erasure._id, isStopping);
  if (found) await records.purge();
  const isOver = !found && (erasure.until ?? Infinity) <= records.time();
  if (isOver) await watched.remove(erasure._id);
  else await watched.update(erasure._id, {}, { set: { due: records.time() + (found ? 1000 : watchEveryMs) } });
}

/**
 * Does a part of an erasure. Keys go first, then what the organizations have, round after round until nothing came for a
 * while in which requests and workers that were under way have ended, and last the account. Where it was stopped or killed,
 * the next round goes on; several processes may do so at once.
 * @throws StoreUnavailable, and what the index or the blobs throw
 */
export async function eraseSome(registrar: Registrar, erasure: Erasure, isStopping: () => boolean): Promise<void> {
  const { records, configuration, log } = registrar.house;
  const watched = records.collection(erasures, systemScope);
  if (erasure.until !== undefined) return watch(registrar, erasure, watched, isStopping);
  await removeAll(() => records.collection(apiKeys, systemScope).removeMany({ accountId: erasure.accountId }, atOnce));
  if (!(await eraseOrganizations(registrar, erasure, isStopping))) return;
  // A key is believed for a second after it was removed, and a worker writes until its lease has run out.
  const quietSince = erasure.startedAt + 2 * configuration.PLY_LEASE_SECONDS * 1000 + 2000;
  if (records.time() < quietSince || (await eraseBooks(registrar, erasure))) return;
  await eraseItself(registrar, erasure, watched);
  log.info({ accountId: erasure.accountId }, 'an account is erased');
}
