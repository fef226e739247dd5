import type { Caller } from '../../../models/api.ts';
import { Refusal } from '../../../models/errors.ts';
import { systemScope } from '../../../models/scope.ts';
import { trafficExports } from '../../../models/traffic.ts';
import {
  breakdownRows,
  maxCsvRows,
  requireRows,
  viewOfBreakdown,
  type BreakdownQuery,
  type RowPlace,
} from './breakdown.ts';
import { csvHeader, csvLine } from './csv.ts';
import type { FiguresContext } from './figures.ts';

/** A part of a download. */
export interface ExportPage {
  exportId: string;
  csv: string;
  /** Where the next part begins; null after the last one. */
  next: RowPlace | null;
}

/** Downloads of all accounts at a time. */
const maxTogether = 4;
/** Milliseconds after its last part for which a download holds its place. */
const abandonedAfterMs = 30_000;
const rowsOfPage = 2000;
const retryAfter = 5;

type ExportCaller = Pick<Caller, 'accountId' | 'organizationId'>;

function busy(): Refusal {
  return new Refusal('export_busy', { retryable: true, retryAfter });
}

/**
 * Begins a download: one of an account at a time, and a few in all.
 * @returns its first part, with the line of column names
 * @throws Refusal `validation_error`, `bucket_not_found`, `too_many_organizations`, `too_many_rows`, `export_busy`
 */
export async function openExport(
  app: FiguresContext,
  caller: ExportCaller,
  query: BreakdownQuery,
): Promise<ExportPage> {
  const view = await viewOfBreakdown(app, caller, query);
  await requireRows(app, view, query, maxCsvRows, '');
  const { accountId } = caller;
  const now = app.runtime.now();
  const exports = app.records.collection(trafficExports, systemScope);
  const place = { exportId: app.runtime.uuid(), until: now + abandonedAfterMs };
  const held = await exports.get(accountId);
  if (held !== null && held.until > now) throw busy();
  if ((await exports.count({ until: { $gt: now } })) >= maxTogether) throw busy();
  const isTaken =
    held === null
      ? (await exports.insertNew([{ _id: accountId, ...place }])).length === 0
      : (await exports.update(accountId, { exportId: held.exportId }, { set: place })) === null;
  if (isTaken) throw busy();
  try {
    const page = await readPage(app, caller, query, null);
    return { exportId: place.exportId, ...page, csv: csvHeader + page.csv };
  } catch (error) {
    await closeExport(app, accountId, place.exportId);
    throw error;
  }
}

/** The next part of a download. @throws Refusal `export_busy` if it has lost its place; those of `openExport` */
export async function exportPage(
  app: FiguresContext,
  caller: ExportCaller,
  { exportId, after, ...query }: BreakdownQuery & { exportId: string; after: RowPlace },
): Promise<ExportPage> {
  const until = app.runtime.now() + abandonedAfterMs;
  const exports = app.records.collection(trafficExports, systemScope);
  if ((await exports.update(caller.accountId, { exportId }, { set: { until } })) === null) throw busy();
  return { exportId, ...(await readPage(app, caller, query, after)) };
}

/** Ends a download, so that another one can begin. */
export async function closeExport(
  { records }: Pick<FiguresContext, 'records'>,
  accountId: string,
  exportId: string,
): Promise<void> {
  await records.collection(trafficExports, systemScope).remove(accountId, { exportId });
}

async function readPage(
  app: FiguresContext,
  caller: ExportCaller,
  query: BreakdownQuery,
  after: RowPlace | null,
): Promise<Omit<ExportPage, 'exportId'>> {
  const view = await viewOfBreakdown(app, caller, query);
  const lines: string[] = [];
  for await (const row of breakdownRows(app, view, query, after)) {
    lines.push(csvLine(row));
    if (lines.length === rowsOfPage) return { csv: lines.join(''), next: [row.organization, row.bucket, row.value] };
  }
  return { csv: lines.join(''), next: null };
}
