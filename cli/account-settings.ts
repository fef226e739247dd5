import { isQuotaMetric, quotaMetrics, quotaOf } from '../models/quotas.ts';
import type { AccountChange } from '../models/schemas/account-settings.ts';
import { instant } from '../models/schemas/values.ts';
import type { AccountView } from '../services/accounts/account.ts';

/** The options of `ply account set`, for `parseArgs`. */
export const settingsOptions = {
  'time-zone': { type: 'string' },
  plan: { type: 'string' },
  currency: { type: 'string' },
  'service-starts-at': { type: 'string' },
  'service-ends-at': { type: 'string' },
  'pay-as-you-go': { type: 'string' },
  quota: { type: 'string', multiple: true },
  'alert-thresholds': { type: 'string' },
} as const;

/** How `ply account set` is used. */
export const settingsUsage = [
  '[--plan <name>|none] [--time-zone <IANA name, such as Europe/Berlin>] [--currency <ISO 4217 code>|none]',
  '[--service-starts-at <time with offset>|none] [--service-ends-at <time with offset>|none]',
  '[--pay-as-you-go true|false] [--quota <metric>=<number>|<metric>=none]... [--alert-thresholds 80,100]',
].join(' ');

type Values = { [K in keyof typeof settingsOptions]?: K extends 'quota' ? string[] : string };

/** The change that the options ask for. @throws Error that names the option */
export function changeOf(values: Values): AccountChange {
  const change: AccountChange = {};
  const { plan, currency, quota } = values;
  const { 'time-zone': timeZone, 'pay-as-you-go': payAsYouGo, 'alert-thresholds': thresholds } = values;
  const { 'service-starts-at': begins, 'service-ends-at': ends } = values;
  if (timeZone !== undefined) change.timeZone = timeZone;
  if (plan !== undefined) change.plan = orNone(plan);
  if (currency !== undefined) change.currency = orNone(currency);
  if (begins !== undefined) change.serviceStartsAt = timeOf('--service-starts-at', begins);
  if (ends !== undefined) change.serviceEndsAt = timeOf('--service-ends-at', ends);
  if (payAsYouGo !== undefined) change.payAsYouGo = yesOrNo(payAsYouGo);
  if (thresholds !== undefined) change.alertThresholds = thresholdsOf(thresholds);
  if (quota !== undefined) change.quotas = quotasOf(quota);
  return change;
}

function orNone(text: string): string | null {
  return text === 'none' ? null : text;
}

function timeOf(option: string, text: string): number | null {
  if (text === 'none') return null;
  const milliseconds = instant(text);
  if (milliseconds === null)
    throw new Error(`${option}: ${text} is no time with its offset, such as 2026-01-31T00:00:00+01:00, and not none`);
  return milliseconds;
}

function yesOrNo(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new Error(`--pay-as-you-go: ${text} is neither true nor false`);
  return text === 'true';
}

function quotasOf(texts: readonly string[]): NonNullable<AccountChange['quotas']> {
  const quotas: NonNullable<AccountChange['quotas']> = {};
  for (const text of texts) {
    const [metric = '', value, ...more] = text.split('=');
    if (value === undefined || more.length > 0)
      throw new Error(`--quota: ${text} is not <metric>=<number> or <metric>=none`);
    if (!isQuotaMetric(metric)) throw new Error(`--quota: ${metric} is none of ${quotaMetrics.join(', ')}`);
    quotas[metric] = value === 'none' ? null : quotaOf(value);
  }
  return quotas;
}

function thresholdsOf(text: string): number[] {
  if (!/^\d{1,4}(,\d{1,4}){0,4}$/.test(text))
    throw new Error(`--alert-thresholds: ${text} is no list of one to five ascending percentages, such as 80,100`);
  return text.split(',').map(Number);
}

/** The lines of an account for people: name and value. */
export function settingsShown(account: AccountView): string[][] {
  const { features, limits, nextPlan } = account;
  const time = (at: number | null): string => (at === null ? 'none' : new Date(at).toISOString());
  const quotas = quotaMetrics.flatMap((metric) => {
    const quota = account.quotas[metric];
    return quota === undefined ? [] : [`${metric} ${quota / 1_000_000}`];
  });
  return [
    ['account', account.accountId],
    ['organization', account.organizationId],
    ['time zone', account.timeZone],
    ['plan', account.plan ?? 'none: every feature'],
    ...(nextPlan === undefined ? [] : [['next month', nextPlan.name ?? 'no plan: every feature']]),
    ...(features === null ? [] : [['features', features.join(', ') || 'none']]),
    ...(limits === null ? [] : limitLines(limits)),
    ['currency', account.currency ?? 'none: nothing is priced'],
    ['service', `from ${time(account.serviceStartsAt)} to ${time(account.serviceEndsAt)}`],
    ['pay as you go', account.payAsYouGo ? 'yes' : 'no'],
    ['quotas', quotas.join(', ') || 'none'],
    ['alerts at', `${account.alertThresholds.join(', ')} percent`],
    ['made', new Date(account.createdAt).toISOString()],
  ];
}

function limitLines(limits: NonNullable<AccountView['limits']>): string[][] {
  const { requestsPerMinute, searchRequestsPerMinute, registrationsPerMinute, storageRequestsPerMinute, ...ceilings } =
    limits;
  const named = Object.entries(ceilings).map(([name, ceiling]) => `${name} ${ceiling}`);
  return [
    [
      'a minute',
      `${requestsPerMinute} requests, ${searchRequestsPerMinute} searches, ${registrationsPerMinute} registrations, ${storageRequestsPerMinute} of storage, for each organization`,
    ],
    ['at most', named.join(', ') || 'no ceiling'],
  ];
}
