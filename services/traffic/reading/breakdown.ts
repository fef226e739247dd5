import type { Caller } from '../../../models/api.ts';
import { invalid, Refusal } from '../../../models/errors.ts';
import type { breakdownAnswer } from '../../../models/schemas/answers/delivery-analytics.ts';
import type { breakdownQuery } from '../../../models/schemas/delivery-analytics.ts';
import type { Infer, Shape } from '../../../models/schemas/schema.ts';
import { scopeOf } from '../../../models/scope.ts';
import { trafficValueMonths } from '../../../models/traffic.ts';
import { daysOfMonth, isProvisional } from '../../../models/utc-days.ts';
import { addSums, noSums } from '../sums.ts';
import { bucketNames, daysIn, monthsIn, type FiguresContext } from './figures.ts';
import { viewOf, type View } from './view.ts';

/** Answer of GET /analytics/delivery/breakdown as JSON. */
export type Breakdown = Infer<typeof breakdownAnswer>;
/** A row of a breakdown. */
export type BreakdownRow = Breakdown['rows'][number];
/** Query of GET /analytics/delivery/breakdown. */
export type BreakdownQuery = Omit<Shape<typeof breakdownQuery>, 'format'>;
/** Behind which row a page begins. */
export type RowPlace = [organizationId: string, bucket: string, value: string];

/** Rows of the JSON form, and of the CSV form. */
const maxJsonRows = 50_000;
/** Rows of the CSV form. */
export const maxCsvRows = 1_000_000;

/** Checks a query, and whose traffic it reads. @throws Refusal `validation_error`, `bucket_not_found`, `too_many_organizations` */
export async function viewOfBreakdown(
  app: FiguresContext,
  caller: Pick<Caller, 'accountId' | 'organizationId'>,
  { by, dimension, bucketId }: BreakdownQuery,
): Promise<View> {
  if (by === 'dimension' && dimension === undefined)
    throw invalid(['query', 'dimension'], 'query.dimension is missing: it says which dimension is broken down.');
  const view = await viewOf(app, caller, bucketId);
  return { ...view, organizations: view.organizations.toSorted((one, other) => (one.id < other.id ? -1 : 1)) };
}

/**
 * What was delivered in a month, by organization and bucket, or also by the values of a dimension.
 * @throws Refusal `validation_error`, `bucket_not_found`, `too_many_organizations`, `too_many_rows`; StoreUnavailable
 */
export async function breakdown(
  app: FiguresContext,
  caller: Pick<Caller, 'accountId' | 'organizationId'>,
  query: BreakdownQuery,
): Promise<Breakdown> {
  const view = await viewOfBreakdown(app, caller, query);
  await requireRows(app, view, query, maxJsonRows, 'Ask for it as CSV.');
  const rows: BreakdownRow[] = [];
  for await (const row of breakdownRows(app, view, query)) rows.push(row);
  const { month, by, bucketId, dimension } = query;
  return {
    month,
    by,
    timezone: 'UTC',
    bucketId: bucketId ?? null,
    dimension: by === 'dimension' ? (dimension ?? null) : null,
    rows,
    provisional: isProvisional(daysOfMonth(month).to, app.runtime.now()),
  };
}

/** @throws Refusal `too_many_rows` */
export async function requireRows(
  { records }: Pick<FiguresContext, 'records'>,
  { organizations, bucketId }: View,
  { by, month, dimension = '' }: BreakdownQuery,
  most: number,
  advice: string,
): Promise<void> {
  if (by === 'organization') return;
  let rows = 0;
  for (const { id } of organizations) {
    const filter = { month, dimension, ...(bucketId === undefined ? {} : { bucketId }) };
    rows += await records.collection(trafficValueMonths, scopeOf(id)).count(filter);
    if (rows > most)
      throw new Refusal('too_many_rows', { detail: `The breakdown has more than ${most} rows. ${advice}`.trim() });
  }
}

/** The rows of a breakdown by organization (id), bucket (name) and value, those behind a place alone. */
export async function* breakdownRows(
  app: FiguresContext,
  view: View,
  query: BreakdownQuery,
  after: RowPlace | null = null,
): AsyncGenerator<BreakdownRow> {
  for (const { id } of view.organizations) {
    if (after !== null && id < after[0]) continue;
    const behind = after !== null && id === after[0] ? after : null;
    yield* query.by === 'organization'
      ? rowsOfBuckets(app, id, view, query, behind)
      : rowsOfValues(app, id, view, query, behind);
  }
}

async function* rowsOfBuckets(
  app: FiguresContext,
  organizationId: string,
  view: View,
  { month }: BreakdownQuery,
  after: RowPlace | null,
): AsyncGenerator<BreakdownRow> {
  const sums = new Map<string, ReturnType<typeof noSums>>();
  const period = daysOfMonth(month);
  for await (const ofBucket of monthsIn(app, organizationId, period, view.bucketId))
    for (const [, { sums: counted }] of daysIn(ofBucket, period)) {
      if (counted === undefined) continue;
      const sum = sums.get(ofBucket.bucketId) ?? noSums();
      sums.set(ofBucket.bucketId, sum);
      addSums(sum, counted);
    }
  for (const [bucketId, bucket] of await byName(app, organizationId, [...sums.keys()])) {
    if (after !== null && bucket <= after[1]) continue;
    const [bytes, requests, cacheHits, cacheMisses] = sums.get(bucketId) ?? noSums();
    const counts = { bytes, requests, cacheHits, cacheMisses };
    yield { organization: organizationId, bucketId, bucket, dimension: '', value: '', ...counts };
  }
}

async function* rowsOfValues(
  app: FiguresContext,
  organizationId: string,
  view: View,
  { month, dimension = '' }: BreakdownQuery,
  after: RowPlace | null,
): AsyncGenerator<BreakdownRow> {
  const values = app.records.collection(trafficValueMonths, scopeOf(organizationId));
  const ids: string[] = view.bucketId === undefined ? [] : [view.bucketId];
  if (view.bucketId === undefined)
    for (let page = { after: '', limit: 1000 }, more = true; more;) {
      const found = await values.distinct({ month, dimension }, 'bucketId', page);
      ids.push(...found);
      more = found.length === page.limit;
      page = { ...page, after: found.at(-1) ?? '' };
    }
  for (const [bucketId, bucket] of await byName(app, organizationId, ids)) {
    if (after !== null && bucket < after[1]) continue;
    let place: string[] | null = after !== null && bucket === after[1] ? [after[2]] : null;
    for (let more = true; more;) {
      const page = await values.find({
        filter: { month, dimension, bucketId },
        sort: [['value', 1]],
        limit: pageSize,
        ...(place === null ? {} : { after: place }),
      });
      for (const { value, bytes, requests, hits, misses } of page) {
        const counts = { bytes, requests, cacheHits: hits, cacheMisses: misses };
        yield { organization: organizationId, bucketId, bucket, dimension, value, ...counts };
      }
      more = page.length === pageSize;
      place = [page.at(-1)?.value ?? ''];
    }
  }
}

const pageSize = 1000;

/** Buckets with their names, in the order of the names. */
async function byName(
  app: FiguresContext,
  organizationId: string,
  ids: readonly string[],
): Promise<[bucketId: string, name: string][]> {
  const names = await bucketNames(app, organizationId, ids);
  return [...names].toSorted(([, one], [, other]) => (one < other ? -1 : 1));
}
