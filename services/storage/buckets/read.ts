import type { Caller } from '../../../models/api.ts';
import type { Bucket, BucketNameView, BucketView, RegionView } from '../../../models/bucket.ts';
import { Refusal } from '../../../models/errors.ts';
import { bucketNameForm } from '../../../models/schemas/buckets.ts';
import { ceilingsOf } from '../plan.ts';
import { allBuckets, bucketsOf, findBucket, isRetired, uploadUrlOf, type Storage } from '../tools.ts';
import { totalsOf } from '../totals.ts';
import { bucketView, nameView } from './view.ts';

/** Buckets of one account with their totals, as the API shows them. */
export async function viewsOf({ app }: Storage, found: readonly Bucket[]): Promise<BucketView[]> {
  const [first] = found;
  if (first === undefined) return [];
  const [totals, ceilings] = await Promise.all([totalsOf(app, found), ceilingsOf(app, first.accountId)]);
  return found.map((bucket) =>
    bucketView(app, bucket, totals.get(bucket._id) ?? { objects: 0, bytes: 0 }, ceilings.analytics),
  );
}

/** A bucket with its totals, as the API shows it. */
export async function viewOf(storage: Storage, bucket: Bucket): Promise<BucketView> {
  const [view] = await viewsOf(storage, [bucket]);
  if (view === undefined) throw new Error('a bucket has no view');
  return view;
}

/** One bucket, in any state. @throws Refusal `bucket_not_found` */
export async function readBucket(storage: Storage, caller: Caller, bucketId: string): Promise<BucketView> {
  return viewOf(storage, await findBucket(storage.app, caller.organizationId, bucketId));
}

const pageSize = 500;

/** The organization's buckets, oldest first; deleted ones until their window ends. */
export async function listBuckets(storage: Storage, { organizationId }: Caller): Promise<{ items: BucketView[] }> {
  return { items: await viewsOf(storage, await listedBuckets(storage.app, organizationId)) };
}

/** The buckets that lists show. */
export async function listedBuckets(app: Storage['app'], organizationId: string): Promise<Bucket[]> {
  const now = app.runtime.now();
  const found: Bucket[] = [];
  for (let page: Bucket[] = [], after: (string | number)[] | null = null; ;) {
    page = await bucketsOf(app, organizationId).find({
      filter: { listedAt: { $exists: true } },
      sort: [
        ['listedAt', 1],
        ['_id', 1],
      ],
      limit: pageSize,
      ...(after === null ? {} : { after }),
    });
    found.push(...page.filter(({ purgeAfter }) => purgeAfter === null || purgeAfter > now));
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) break;
    after = [last.createdAt, last._id];
  }
  return found;
}

/** Regions that are open for new buckets. */
export function listRegions(storage: Storage): { items: RegionView[] } {
  return {
    items: storage.regions
      .filter(({ open }) => open)
      .map(({ code, name, strictCapable, country, endpoints }) => ({
        code,
        name,
        strictCapable,
        country,
        endpoints: { ...endpoints, ...ownEndpoints(storage), upload: uploadUrlOf(storage, code) },
      })),
  };
}

/** The addresses for S3 and Blob clients of the shipped regions, which are this machine, once it listens. */
function ownEndpoints({ app }: Pick<Storage, 'app'>): Partial<RegionView['endpoints']> {
  if (app.configuration.PLY_REGIONS_FILE !== null) return {};
  const [s3, blob] = [app.listeners.url('s3'), app.listeners.url('blob')];
  return {
    ...(s3 === null ? {} : { s3, s3VirtualHost: `http://{bucket}.s3.localhost:${new URL(s3).port}` }),
    ...(blob === null ? {} : { blob: `${blob}/{account}`, blobGlobal: `${blob}/{account}` }),
  };
}

const minuteMs = 60_000;
/** Checks of names that an account may make in a minute. */
const maxChecksPerMinute = 120;
const nameForm = new RegExp(bucketNameForm.source, 'u');

/** Whether a name is available for this account; creation decides. @throws Refusal `rate_limited` */
export async function checkBucketName(storage: Storage, { accountId }: Caller, name: string): Promise<BucketNameView> {
  const { app } = storage;
  const allowance = await app.counters.take(`bucket_names:${accountId}`, maxChecksPerMinute, minuteMs);
  if (!allowance.allowed)
    throw new Refusal('rate_limited', {
      detail: `An account may check ${maxChecksPerMinute} names in a minute.`,
      retryable: true,
      retryAfter: Math.max(1, Math.ceil(allowance.resetMs / 1000)),
    });
  if (!nameForm.test(name)) return nameView(app, name, 'invalid');
  const holders = await allBuckets(app).find({ filter: { nameKey: name }, limit: 1 });
  const isTaken = holders.length > 0 || (await isRetired(storage, name, accountId));
  return nameView(app, name, isTaken ? 'taken' : null);
}
