import type { Caller } from '../../../models/api.ts';
import { systemScope } from '../../../models/scope.ts';
import type { dailyUsageAnswer } from '../../../models/schemas/answers/usage.ts';
import type { dailyUsageQuery } from '../../../models/schemas/usage.ts';
import type { Infer, Shape } from '../../../models/schemas/schema.ts';
import { usageMonths, type UsageMonth } from '../../../models/usage-month.ts';
import { metricOf, usageMetricNames } from '../../../models/usage-metric.ts';
import { usageMonthId } from '../fold.ts';
import { monthBounds, periodAnswer, periodOf, type Period } from '../period.ts';
import { fraction, toNumber } from '../pricing/fraction.ts';
import { partsOf } from '../sums.ts';
import { monthsBetween } from './months.ts';
import { dayNumber } from './service-window.ts';
import { viewOf, type ReadingContext } from './account.ts';

type DailyUsage = Infer<typeof dailyUsageAnswer>;
type Metrics = DailyUsage['metrics'];

/** Longest period, in days. */
const maxDays = 400;

/** Base units by metric, then by day. */
type Series = Map<string, Map<string, bigint>>;

/**
 * What was used on each day. It has no money.
 * @throws Refusal `invalid_period`, `period_too_long`; StoreUnavailable
 */
export async function dailyUsage(
  app: ReadingContext,
  caller: Pick<Caller, 'accountId' | 'organizationId'>,
  query: Shape<typeof dailyUsageQuery>,
): Promise<DailyUsage> {
  const { account, organizationId } = await viewOf(app, caller);
  const { timeZone } = account;
  const { from, to, metric, breakdown } = query;
  const period = periodOf(
    { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) },
    app.runtime.now(),
    timeZone,
    maxDays,
  );
  const months = app.records.collection(usageMonths, systemScope);
  const ids = monthsBetween(period).map((month) => usageMonthId(account._id, organizationId ?? '', month));
  const series: Series = new Map();
  for (const month of await months.getMany(ids)) addMonth(series, month, period);
  const { kind, ...days } = periodAnswer(period);
  return {
    period: { from: days.from, to: days.to, kind, timeZone },
    timeZone,
    metrics: metricsOf(series, metric),
    ...(breakdown === undefined || organizationId !== null
      ? {}
      : { organizations: await byOrganization(app, account._id, period, metric) }),
  };
}

function addMonth(series: Series, { month, days }: Readonly<UsageMonth>, { from, to }: Period): void {
  for (const [number, sums] of Object.entries(days)) {
    const day = `${month}-${number}`;
    if (dayNumber(day) < from || dayNumber(day) > to) continue;
    for (const [key, [quantity]] of Object.entries(sums)) {
      const { metric } = partsOf(key);
      const points = series.get(metric) ?? new Map<string, bigint>();
      series.set(metric, points);
      points.set(day, (points.get(day) ?? 0n) + BigInt(quantity));
    }
  }
}

/** Metrics with use, in the order of the catalogue; the one that was asked for also without. */
function metricsOf(series: Series, wanted: string | undefined): Metrics {
  if (wanted === 'monthly_minimum') return [{ metric: wanted, label: 'Monthly minimum', unit: 'month', points: [] }];
  return usageMetricNames
    .filter((metric) => (wanted === undefined ? series.has(metric) : metric === wanted))
    .map((metric) => {
      const { label, unit, perUnit } = metricOf(metric);
      const points = [...(series.get(metric) ?? [])].toSorted(([one], [other]) => (one < other ? -1 : 1));
      return {
        metric,
        label,
        // A day's size, which the month's figure is the average of.
        unit: unit === 'GB-month' ? 'GB' : unit,
        points: points.map(([day, quantity]) => ({ day, quantity: toNumber(fraction(quantity, perUnit)) })),
      };
    })
    .map((metric) => ({ ...metric, points: metric.points.filter(({ quantity }) => quantity > 0) }))
    .filter(({ points }) => wanted !== undefined || points.length > 0);
}

async function byOrganization(
  { records }: ReadingContext,
  accountId: string,
  period: Period,
  metric: string | undefined,
): Promise<NonNullable<DailyUsage['organizations']>> {
  const { first, last } = monthBounds(period);
  const months = records.collection(usageMonths, systemScope);
  const organizations = new Map<string, Series>();
  for (let after: (string | number)[] | null = null; ;) {
    const page: UsageMonth[] = await months.find({
      filter: { accountId, month: { $gte: first, $lte: last } },
      sort: [
        ['month', 1],
        ['organizationId', 1],
      ],
      limit: 200,
      ...(after === null ? {} : { after }),
    });
    for (const month of page) {
      if (month.organizationId === '') continue;
      const series = organizations.get(month.organizationId) ?? new Map<string, Map<string, bigint>>();
      organizations.set(month.organizationId, series);
      addMonth(series, month, period);
    }
    const end = page.at(-1);
    if (end === undefined || page.length < 200) break;
    after = [end.month, end.organizationId];
  }
  return [...organizations]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([organizationId, series]) => ({ organizationId, metrics: metricsOf(series, metric) }))
    .filter(({ metrics }) => metrics.some(({ points }) => points.length > 0));
}
