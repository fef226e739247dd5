import { dimensionOf } from '../../../mixins/storage/dimension-rule.ts';
import type { Caller } from '../../../models/api.ts';
import type { AnalyticsDimension } from '../../../models/bucket.ts';
import type { previewAnswer } from '../../../models/schemas/answers/delivery-analytics.ts';
import type { previewBody } from '../../../models/schemas/delivery-analytics.ts';
import type { Infer } from '../../../models/schemas/schema.ts';
import { scopeOf } from '../../../models/scope.ts';
import { storedObjects } from '../../../models/storage-object.ts';
import { trafficParts, type ServedRow } from '../../../models/traffic.ts';
import { dimensionValue } from '../dimension-value.ts';
import { byBytes } from './ranking.ts';
import { bucketOf, pagesOf, type FiguresContext } from './figures.ts';

/** Answer of POST /buckets/{bucketId}/analytics/preview. */
export type Preview = Infer<typeof previewAnswer>;

/** Requests, or file names, that a rule is tried on. */
const maxSample = 10_000;
const maxExamples = 10;
/** Requests that are read before the event loop gets a turn. */
const rowsOfTurn = 500;

/**
 * Tries a rule on the last requests of a bucket, or on its file names where there are none. It changes nothing.
 * @throws Refusal `validation_error`, `bucket_not_found`; StoreUnavailable
 */
export async function previewRule(
  app: FiguresContext,
  { organizationId }: Pick<Caller, 'organizationId'>,
  bucketId: string,
  { rule: given }: Infer<typeof previewBody>,
): Promise<Preview> {
  const rule = dimensionOf(given, ['body', 'rule']);
  await bucketOf(app, organizationId, bucketId);
  const traffic = await lastRequests(app, organizationId, bucketId);
  if (rule.type === 'tag') {
    const basis = traffic.length > 0 ? 'traffic' : 'files';
    return previewOf(
      basis,
      new Map(),
      0,
      'Tags are counted from signed links as they are used: no preview is possible.',
    );
  }
  if (traffic.length > 0) return tried('traffic', rule, traffic, null);
  if (rule.type === 'queryParam')
    return previewOf('files', new Map(), 0, 'There are no requests yet, and file names have no query.');
  const files = await fileNames(app, organizationId, bucketId);
  const note =
    files.length === 0
      ? 'There are neither requests nor files yet.'
      : 'There are no requests yet: the rule was tried on file names.';
  return tried('files', rule, files, note);
}

async function tried(
  basis: Preview['basis'],
  rule: AnalyticsDimension,
  rows: readonly ServedRow[],
  note: string | null,
): Promise<Preview> {
  const counts = new Map<string, number>();
  for (const [at, row] of rows.entries()) {
    const value = dimensionValue(rule, row);
    counts.set(value, (counts.get(value) ?? 0) + 1);
    if (at % rowsOfTurn === rowsOfTurn - 1) await new Promise(setImmediate);
  }
  return previewOf(basis, counts, rows.length, note);
}

function previewOf(
  basis: Preview['basis'],
  counts: ReadonlyMap<string, number>,
  sampleSize: number,
  note: string | null,
): Preview {
  return {
    sampleSize,
    distinctValues: counts.size,
    basis,
    note,
    examples: [...counts]
      .toSorted(byBytes)
      .slice(0, maxExamples)
      .map(([value, count]) => ({ value, count })),
    estimatedValuesPerMonth: counts.size,
    estimatedMonthlyPrice: null,
  };
}

async function lastRequests(
  { records }: FiguresContext,
  organizationId: string,
  bucketId: string,
): Promise<ServedRow[]> {
  const rows: ServedRow[] = [];
  const parts = pagesOf(
    records.collection(trafficParts, scopeOf(organizationId)),
    {
      filter: { bucketId },
      sort: [
        ['receivedAt', -1],
        ['_id', -1],
      ],
    },
    ({ receivedAt, _id }) => [receivedAt, _id],
    10,
  );
  for await (const part of parts) {
    rows.push(...part.rows.slice(rows.length - maxSample));
    if (rows.length >= maxSample) break;
  }
  return rows;
}

async function fileNames({ records }: FiguresContext, organizationId: string, bucketId: string): Promise<ServedRow[]> {
  const rows: ServedRow[] = [];
  for (let after: string[] | null = null; rows.length < maxSample;) {
    const page = await records.collection(storedObjects, scopeOf(organizationId)).pick(
      {
        filter: { bucketId, liveKey: { $exists: true } },
        sort: [['liveKey', 1]],
        limit: 1000,
        ...(after === null ? {} : { after }),
      },
      ['liveKey'],
    );
    for (const [key] of page) rows.push([0, 200, 0, null, null, String(key), '', 0]);
    const last = page.at(-1);
    if (last === undefined || page.length < 1000) break;
    after = [String(last[0])];
  }
  return rows;
}
