import {
  annotated,
  answer,
  boolean,
  count,
  day,
  described,
  id,
  listOf,
  literals,
  month,
  optionalAnswer,
  orNull,
  text,
  time,
} from './answer.ts';

const amount = described<number>({ type: 'number', minimum: 0 });
const money = described<number>({ type: 'number' });

const period = answer('UsagePeriod', {
  kind: annotated(literals('month', 'range'), { description: '`month`: exactly one calendar month.' }),
  from: day,
  to: annotated(day, { description: 'The last day, included.' }),
  timeZone: text,
});

const proratedDays = answer('ProratedDays', { activeDays: count, daysInMonth: count });

const line = answer('UsageLine', {
  metric: text,
  dimension: annotated(text, { description: 'The price key.' }),
  label: text,
  unit: text,
  quantity: amount,
  included: orNull(amount),
  billable: orNull(amount),
  unitPrice: orNull(amount),
  amount: orNull(money),
  listAmount: orNull(money),
  priced: boolean,
  lateFor: optionalAnswer(month),
  duplicatesNotCharged: count,
  proration: optionalAnswer(proratedDays),
});

const organizationUsage = answer('OrganizationUsage', {
  organizationId: id,
  listAmount: orNull(money),
  lines: listOf(
    answer('OrganizationUsageLine', {
      metric: text,
      dimension: text,
      quantity: amount,
      included: described<null>({ type: 'null' }),
      billable: orNull(amount),
      listAmount: orNull(money),
      duplicatesNotCharged: count,
    }),
  ),
});

const proration = answer('Proration', {
  activeDays: count,
  daysInMonth: count,
  from: orNull(day),
  to: orNull(day),
});

const figures = {
  plan: orNull(text),
  currency: orNull(text),
  status: literals('open', 'closed'),
  statementNumber: orNull(text),
  scope: literals('account', 'organization'),
  payAsYouGo: boolean,
  total: orNull(money),
  period,
  lines: listOf(line),
};

/** Answer of GET /usage. */
export const usageAnswer = answer('Usage', {
  ...figures,
  organizations: optionalAnswer(listOf(organizationUsage)),
  processing: listOf(
    answer('ProcessingFigure', { metric: text, label: text, unit: text, quantity: amount, events: count }),
  ),
  proration: optionalAnswer(proration),
  priced: boolean,
});

const dailyMetrics = listOf(
  answer('DailyMetric', {
    metric: text,
    label: text,
    unit: text,
    points: listOf(answer('DailyPoint', { day, quantity: amount })),
  }),
);

/** Answer of GET /usage/daily. */
export const dailyUsageAnswer = answer('DailyUsage', {
  period: answer('DailyPeriod', { from: day, to: day, kind: literals('month', 'range'), timeZone: text }),
  timeZone: text,
  metrics: dailyMetrics,
  organizations: optionalAnswer(listOf(answer('DailyOrganization', { organizationId: id, metrics: dailyMetrics }))),
});

const quantities = described<{ [metric: string]: number }>({
  type: 'object',
  additionalProperties: { type: 'number' },
});

/** Answer of GET /usage/assets. */
export const usageAssetsAnswer = answer('UsageAssets', {
  period,
  items: listOf(
    answer('UsageAsset', {
      assetId: id,
      organizationId: id,
      externalId: text,
      filename: text,
      kind: literals('video', 'audio', 'document'),
      createdAt: time,
      extractContentFromVideoFrames: orNull(boolean),
      deleted: boolean,
      billed: annotated(quantities, { description: 'By metric; 0 for content that was charged before.' }),
      duplicateOf: orNull(id),
      processing: annotated(quantities, { description: 'By metric.' }),
    }),
  ),
  total: count,
});

/** Answer of GET /statements. */
export const statementListAnswer = answer('StatementList', {
  items: listOf(
    answer('StatementItem', {
      statementNumber: text,
      month,
      currency: orNull(text),
      total: orNull(money),
      subtotal: optionalAnswer(orNull(money)),
      closedAt: time,
    }),
  ),
});

/** Answer of GET /statements/{month}. */
export const statementAnswer = answer('Statement', {
  ...figures,
  organizations: listOf(organizationUsage),
  proration: optionalAnswer(proration),
  priced: boolean,
  month,
  customer: text,
  closedAt: time,
  sha256: optionalAnswer(text),
  organizationNames: described<{ [organizationId: string]: string }>({
    type: 'object',
    additionalProperties: { type: 'string' },
  }),
});
