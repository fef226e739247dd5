import type { Collection } from '../../../adapters/records/port.ts';
import { assets } from '../../../models/asset.ts';
import type { Caller } from '../../../models/api.ts';
import { isoTime } from '../../../models/runtime.ts';
import type { usageAssetsAnswer } from '../../../models/schemas/answers/usage.ts';
import type { usageAssetsQuery } from '../../../models/schemas/usage.ts';
import type { Infer, Shape } from '../../../models/schemas/schema.ts';
import { systemScope } from '../../../models/scope.ts';
import { usageFileMonths, usageFiles, type UsageFileMonth } from '../../../models/usage-month.ts';
import { isUsageMetric, metricOf } from '../../../models/usage-metric.ts';
import { monthBounds, periodAnswer, periodOf, type Period } from '../period.ts';
import { fraction, toNumber } from '../pricing/fraction.ts';
import { addStored, partsOf, type Sums } from '../sums.ts';
import { viewOf, type ReadingContext } from './account.ts';
import { dayNumber } from './service-window.ts';
import { openTerms } from './terms.ts';

type UsageAssets = Infer<typeof usageAssetsAnswer>;

/** Records of files that are read at a time. */
const pageSize = 500;
const billedMetrics = ['media_hours', 'document_megabytes'];
const processingMetrics: ReadonlySet<string> = new Set(['audio_hours', 'ocr_frames', 'source_bytes']);

/** A file with what was done for it in a period. */
interface Found {
  assetId: string;
  createdAt: number;
  organizationId: string;
  duplicateOf: string | null;
  sums: Sums;
}

/**
 * What was done, and charged, for each file in a period, the newest file first. A month is read from its index: its time does
 * not grow with its files. For other periods the files that had work in their months are walked through, because what is on a
 * page, and `total`, depend on their days; a page of the answer is in memory at a time.
 * @throws Refusal `invalid_period`; StoreUnavailable
 */
export async function usageAssets(
  app: ReadingContext,
  caller: Pick<Caller, 'accountId' | 'organizationId'>,
  { from, to, limit, offset }: Shape<typeof usageAssetsQuery>,
): Promise<UsageAssets> {
  const { account, organizationId } = await viewOf(app, caller);
  const days = { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
  const period = periodOf(days, app.runtime.now(), account.timeZone);
  const { page, total } =
    period.month === null
      ? await pageOfDays(app, account._id, period, organizationId, { limit, offset })
      : await pageOfMonth(app, account._id, period.month, organizationId, { limit, offset });
  const { prices } = await openTerms(app, account, monthBounds(period).last);
  // Frames that were read are charged only where they have a price.
  const hasFrames = prices?.prices.some(({ metric }) => metric === 'ocr_frames') === true;
  const billed = new Set(hasFrames ? [...billedMetrics, 'ocr_frames'] : billedMetrics);
  return { period: periodAnswer(period), items: await itemsOf(app, page, billed), total };
}

type Paging = Pick<Shape<typeof usageAssetsQuery>, 'limit' | 'offset'>;

/** One page of a month: every record of the month is a file with work. */
async function pageOfMonth(
  { records }: ReadingContext,
  accountId: string,
  month: string,
  organizationId: string | null,
  { limit, offset }: Paging,
): Promise<{ page: Found[]; total: number }> {
  const collection = records.collection(usageFileMonths, systemScope);
  const filter = { accountId, ...(organizationId === null ? {} : { organizationId }), month };
  const total = await collection.count(filter);
  if (offset >= total) return { page: [], total };
  const found = await collection.find({
    filter,
    sort: [
      ['createdAt', -1],
      ['assetId', -1],
    ],
    limit,
    skip: offset,
  });
  const page = found.map((file): Found => {
    const sums: Sums = new Map();
    for (const stored of Object.values(file.days)) addStored(sums, stored);
    return { ...file, sums };
  });
  return { page, total };
}

/** One page of other periods. */
async function pageOfDays(
  app: ReadingContext,
  accountId: string,
  period: Period,
  organizationId: string | null,
  { limit, offset }: Paging,
): Promise<{ page: Found[]; total: number }> {
  const page: Found[] = [];
  let total = 0;
  for await (const file of filesIn(app, accountId, period, organizationId)) {
    if (total >= offset && page.length < limit) page.push(file);
    total += 1;
  }
  return { page, total };
}

/** The files with work in a period, the newest first: the months of each are joined. */
async function* filesIn(
  { records }: ReadingContext,
  accountId: string,
  period: Period,
  organizationId: string | null,
): AsyncGenerator<Found> {
  const collection = records.collection(usageFileMonths, systemScope);
  const heads: { next: UsageFileMonth; rest: AsyncGenerator<UsageFileMonth> }[] = [];
  for (const month of await monthsWithFiles(collection, accountId, period, organizationId)) {
    const rest = filesOfMonth(collection, accountId, month, organizationId);
    const first = await rest.next();
    if (first.done !== true) heads.push({ next: first.value, rest });
  }
  while (heads.length > 0) {
    const { next } = heads.reduce((newest, head) => (isNewer(head.next, newest.next) ? head : newest));
    const found: Found = { ...next, sums: new Map() };
    for (const head of heads.filter(({ next: { assetId } }) => assetId === next.assetId)) {
      for (const [number, stored] of Object.entries(head.next.days)) {
        const day = dayNumber(`${head.next.month}-${number}`);
        if (day >= period.from && day <= period.to) addStored(found.sums, stored);
      }
      found.duplicateOf ??= head.next.duplicateOf;
      const after = await head.rest.next();
      if (after.done === true) heads.splice(heads.indexOf(head), 1);
      else head.next = after.value;
    }
    if (found.sums.size > 0) yield found;
  }
}

function isNewer(one: UsageFileMonth, other: UsageFileMonth): boolean {
  return one.createdAt > other.createdAt || (one.createdAt === other.createdAt && one.assetId > other.assetId);
}

/** The months of a period in which any file had work. */
async function monthsWithFiles(
  collection: Collection<UsageFileMonth>,
  accountId: string,
  period: Period,
  organizationId: string | null,
): Promise<string[]> {
  const { first, last } = monthBounds(period);
  const filter = { accountId, ...(organizationId === null ? {} : { organizationId }) };
  const months: string[] = [];
  for (let after = ''; ;) {
    const page = await collection.distinct(filter, 'month', { after, limit: pageSize });
    months.push(...page.filter((month) => month >= first && month <= last));
    const end = page.at(-1);
    if (end === undefined || page.length < pageSize || end > last) return months;
    after = end;
  }
}

async function* filesOfMonth(
  collection: Collection<UsageFileMonth>,
  accountId: string,
  month: string,
  organizationId: string | null,
): AsyncGenerator<UsageFileMonth> {
  for (let after: (string | number)[] | null = null; ;) {
    const page: UsageFileMonth[] = await collection.find({
      filter: { accountId, month, ...(organizationId === null ? {} : { organizationId }) },
      sort: [
        ['createdAt', -1],
        ['assetId', -1],
      ],
      limit: pageSize,
      ...(after === null ? {} : { after }),
    });
    yield* page;
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) return;
    after = [last.createdAt, last.assetId];
  }
}

async function itemsOf(
  { records }: ReadingContext,
  page: readonly Found[],
  billed: ReadonlySet<string>,
): Promise<UsageAssets['items']> {
  const ids = page.map(({ assetId }) => assetId);
  const files = new Map(
    (await records.collection(usageFiles, systemScope).getMany(ids)).map((file) => [file._id, file]),
  );
  const present = new Map(
    (await records.collection(assets, systemScope).getMany(ids)).map((asset) => [asset._id, asset]),
  );
  return page.flatMap(({ assetId, createdAt, organizationId, duplicateOf, sums }) => {
    const asset = present.get(assetId);
    const file = asset ?? files.get(assetId);
    if (file === undefined) return [];
    return [
      {
        assetId,
        organizationId,
        externalId: file.externalId,
        filename: file.filename,
        kind: file.kind,
        createdAt: isoTime(createdAt),
        extractContentFromVideoFrames: file.extractContentFromVideoFrames,
        deleted: asset === undefined || asset.deletedAt !== null,
        billed: quantitiesOf(sums, billed),
        duplicateOf,
        processing: quantitiesOf(sums, processingMetrics),
      },
    ];
  });
}

function quantitiesOf(sums: Sums, metrics: ReadonlySet<string>): { [metric: string]: number } {
  const quantities = new Map<string, bigint>();
  for (const [key, { quantity }] of sums) {
    const { metric } = partsOf(key);
    if (metrics.has(metric)) quantities.set(metric, (quantities.get(metric) ?? 0n) + quantity);
  }
  return Object.fromEntries(
    [...quantities].flatMap(([metric, quantity]) =>
      isUsageMetric(metric) ? [[metric, toNumber(fraction(quantity, metricOf(metric).perUnit))]] : [],
    ),
  );
}
