import type { Caller } from '../../../models/api.ts';
import type { Bucket } from '../../../models/bucket.ts';
import { Refusal } from '../../../models/errors.ts';
import { purges, type Purge, type PurgeView } from '../../../models/purge.ts';
import type { NewPurge } from '../../../models/schemas/purges.ts';
import { systemScope } from '../../../models/scope.ts';
import { hostnamesOf } from '../links/hostnames.ts';
import { actorName } from '../../../mixins/storage/audit.ts';
import { findBucket, requireActive, type Storage } from '../tools.ts';
import { readTargets } from './targets.ts';
import { purgesOf, purgeView } from './view.ts';

const hourMs = 3_600_000;
/** Purges that an account may order within an hour, and those among them of whole buckets. */
const maxPerHour = 60;
const maxAllPerHour = 10;

/**
 * Orders a purge of an active bucket, suspended or not. It is queued; the keeper does the rest.
 * @throws Refusal `validation_error`, `bucket_not_found`, `bucket_not_active`, `purge_url_not_in_bucket`, `rate_limited`
 */
export async function createPurge(
  storage: Storage,
  caller: Caller,
  bucketId: string,
  input: NewPurge,
): Promise<PurgeView> {
  const { app } = storage;
  const { organizationId, accountId } = caller;
  const { scope, targets, authorities } = readTargets(input);
  const bucket = await findBucket(app, organizationId, bucketId);
  requireActive(bucket);
  if (authorities.length > 0) {
    const hostnames = await hostnamesOf(app, bucket);
    if (authorities.some((authority) => !hostnames.includes(authority))) throw new Refusal('purge_url_not_in_bucket');
  }
  return inTurn(storage, accountId, async () => purgeView(await accept(storage, caller, bucket, { scope, targets })));
}

/** Orders waiting for their turn, by account: two that are counted at the same moment would not see each other. */
const turns = new WeakMap<Storage, Map<string, Promise<unknown>>>();

/** Does the work of an account's orders one after another, in this process. */
async function inTurn<T>(storage: Storage, accountId: string, work: () => Promise<T>): Promise<T> {
  const ofStorage = turns.get(storage) ?? new Map<string, Promise<unknown>>();
  turns.set(storage, ofStorage);
  const before = ofStorage.get(accountId) ?? Promise.resolve();
  const done = before.then(work, work);
  ofStorage.set(accountId, done);
  try {
    return await done;
  } finally {
    if (ofStorage.get(accountId) === done) ofStorage.delete(accountId);
  }
}

/** Counts and writes an order. @throws Refusal `rate_limited` */
async function accept(
  storage: Storage,
  caller: Caller,
  bucket: Bucket,
  { scope, targets }: Pick<Purge, 'scope' | 'targets'>,
): Promise<Purge> {
  const { app } = storage;
  const { organizationId, accountId } = caller;
  await requireRate(storage, accountId, 'createdAt', maxPerHour, 'purges');
  if (scope === 'all') await requireRate(storage, accountId, 'allAt', maxAllPerHour, 'purges of whole buckets');
  const createdAt = app.runtime.now();
  const purge: Purge = {
    _id: app.runtime.uuid(),
    organizationId,
    accountId,
    bucketId: bucket._id,
    bucketName: bucket.name,
    scope,
    targets,
    state: 'queued',
    failureReason: null,
    requestedBy: actorName(caller),
    requestedFrom: caller.ip ?? null,
    createdAt,
    startedAt: null,
    completedAt: null,
    behind: null,
    position: null,
    openSince: app.records.time(),
    ...(scope === 'all' ? { allAt: createdAt } : {}),
  };
  await purgesOf(app, organizationId).insert(purge);
  await withdrawIfRefused(storage, purge);
  return purge;
}

type CountedBy = 'createdAt' | 'allAt';

/** Counts what was accepted within an hour. @throws Refusal `rate_limited` */
async function requireRate(
  { app }: Storage,
  accountId: string,
  by: CountedBy,
  max: number,
  what: string,
): Promise<void> {
  const now = app.runtime.now();
  const latest = await app.records
    .collection(purges, systemScope)
    .pick({ filter: { accountId, [by]: { $gt: now - hourMs } }, sort: [[by, -1]], limit: max }, [by]);
  const oldest = latest[max - 1]?.[0];
  if (typeof oldest === 'number') throw tooMany(what, max, oldest + hourMs - now);
}

function tooMany(what: string, max: number, waitMs: number): Refusal {
  return new Refusal('rate_limited', {
    detail: `An account may order ${max} ${what} within an hour.`,
    retryable: true,
    retryAfter: Math.max(1, Math.ceil(waitMs / 1000)),
  });
}

/** Takes a purge back where others, ordered at the same moment, were first. Had it begun, that does no harm. */
async function withdrawIfRefused({ app }: Storage, purge: Purge): Promise<void> {
  const { _id, organizationId, accountId, createdAt, allAt } = purge;
  const isAmongFirst = async (by: CountedBy, max: number): Promise<boolean> => {
    const first = await app.records.collection(purges, systemScope).pick(
      {
        filter: { accountId, [by]: { $gt: createdAt - hourMs } },
        sort: [
          [by, 1],
          ['_id', 1],
        ],
        limit: max,
      },
      ['_id'],
    );
    return first.length < max || first.some(([id]) => id === _id);
  };
  const [what, max] = !(await isAmongFirst('createdAt', maxPerHour))
    ? ['purges', maxPerHour]
    : allAt !== undefined && !(await isAmongFirst('allAt', maxAllPerHour))
      ? ['purges of whole buckets', maxAllPerHour]
      : [null, 0];
  if (what === null) return;
  await purgesOf(app, organizationId).remove(_id);
  throw tooMany(what, max, hourMs);
}
