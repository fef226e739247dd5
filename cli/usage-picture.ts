import type { UsageOfAccount } from '../app/operator-usage.ts';
import { printable } from './terminal.ts';

const levels = ' ▁▂▃▄▅▆▇█';
const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
/** Longest label, what is left of it at least, and the bar of a quota, in characters. */
const labelWidth = 38;
const leastLabel = 16;
const quotaWidth = 20;

type Line = UsageOfAccount['usage']['lines'][number];

/**
 * One character for each day of a month, as high as its part of the greatest day. A day with any use has one, and one
 * without has a space.
 * @param quantities by day, from the first one on
 */
export function dayBars(quantities: readonly number[]): string {
  const most = Math.max(0, ...quantities);
  return quantities
    .map((quantity) => (quantity <= 0 ? ' ' : (levels[Math.max(1, Math.round((quantity / most) * 8))] ?? ' ')))
    .join('');
}

/** A bar of `width` characters for 100 percent; more than that fills it. */
export function percentBar(percent: number, width: number): string {
  const parts = Math.min(width * 8, Math.max(0, Math.round((percent / 100) * width * 8)));
  return `${'█'.repeat(Math.floor(parts / 8))}${eighths[parts % 8] ?? ''}`.padEnd(width);
}

const quantityText = new Intl.NumberFormat('en', { maximumFractionDigits: 6 });
const moneyFormat = new Intl.NumberFormat('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });

/** Amounts have two decimals, and their digits are read from the number as it is written: nothing is computed. */
function money(amount: number | null): string {
  return amount === null ? '' : moneyFormat.format(amount);
}

/**
 * The month of an account for a terminal: a bar for each day, quantities, what they cost, and the quotas.
 * @param columns of the terminal
 */
export function usagePicture({ name, usage, daily, quotas }: UsageOfAccount, columns: number): string {
  const { plan, currency, period, status, statementNumber, lines, total, proration, processing } = usage;
  const days = Number(period.to.slice(8));
  const bars = new Map(
    daily.metrics.map(({ metric, points }) => {
      const ofDays = Array.from({ length: days }, () => 0);
      for (const { day, quantity } of points) ofDays[Number(day.slice(8)) - 1] = quantity;
      return [metric, dayBars(ofDays)];
    }),
  );
  const drawn = new Set<string>();
  const rows = lines.filter(isShown).map((line) => {
    const bar = drawn.has(line.metric) || line.lateFor !== undefined ? undefined : bars.get(line.metric);
    drawn.add(line.metric);
    return rowOf(line, bar ?? '');
  });
  const work = processing.map(({ metric, label, quantity, unit }) => [
    label,
    bars.get(metric) ?? '',
    quantityText.format(quantity),
    unit,
    '',
    '',
  ]);
  const sum = total === null ? [] : [['total', '', '', '', '', money(total)]];
  const head = ['', dayScale(days), 'quantity', '', 'included', currency ?? 'not priced'];
  const service =
    proration === undefined ? [] : [`service on ${proration.activeDays} of ${proration.daysInMonth} days`];
  return [
    `${printable(name)}: ${period.from.slice(0, 7)} (${period.timeZone}), ${status}${statementNumber === null ? '' : ` as ${statementNumber}`}`,
    [`plan ${plan ?? 'none'}`, ...(usage.payAsYouGo ? ['pay as you go'] : []), ...service].join(', '),
    '',
    ...fitted([head, ...rows, ...sum, ...(work.length === 0 ? [] : [[], ...work])], columns),
    ...quotaLines(quotas, columns),
  ].join('\n');
}

/** What is priced has a line without use as well: that is left out here. */
function isShown({ quantity, amount }: Line): boolean {
  return quantity !== 0 || (amount !== null && amount !== 0);
}

function rowOf({ label, quantity, unit, included, amount, metric }: Line, bar: string): string[] {
  const isUse = metric !== 'monthly_minimum' && metric !== 'adjustment';
  return [
    cut(printable(label), labelWidth),
    bar,
    isUse ? quantityText.format(quantity) : '',
    isUse ? unit : '',
    isUse && included !== null && included > 0 ? quantityText.format(included) : '',
    money(amount),
  ];
}

function cut(text: string, width: number): string {
  return text.length > width ? `${text.slice(0, width - 1)}…` : text;
}

/** The table of lines; in a terminal that is too narrow for it, bars stand below their lines, and labels are cut. */
function fitted(rows: readonly string[][], columns: number): string[] {
  const wide = table(rows, [2, 4, 5]);
  if (isWithin(wide, columns)) return wide;
  const figures = rows.map((cells) => cells.slice(2));
  const taken = Math.max(...table(figures, [0, 2, 3]).map(({ length }) => length)) + 2;
  const room = Math.max(leastLabel, columns - taken);
  const lines = table(
    rows.map(([label = ''], at) => [cut(label, room), ...(figures[at] ?? [])]),
    [1, 3, 4],
  );
  return rows.flatMap(([, bar = ''], at) => [
    ...(lines[at] === '' && bar !== '' ? [] : [lines[at] ?? '']),
    ...(bar.trim() === '' ? [] : [`  ${bar.trimEnd()}`]),
  ]);
}

function isWithin(lines: readonly string[], columns: number): boolean {
  return lines.every(({ length }) => length <= columns);
}

/** Names of days above their bars. */
function dayScale(days: number): string {
  const scale = Array.from({ length: days }, () => ' ');
  for (const day of [1, 10, 20, days]) [...String(day)].forEach((digit, at) => (scale[day - 1 + at] = digit));
  return scale.join('').slice(0, days + 1);
}

/** Columns as wide as their widest cell. @param atRight those that end at the right */
function table(rows: readonly string[][], atRight: readonly number[]): string[] {
  const width = (at: number): number => Math.max(...rows.map((row) => row[at]?.length ?? 0));
  return rows.map((row) =>
    row
      .map((cell, at) => (atRight.includes(at) ? cell.padStart(width(at)) : cell.padEnd(width(at))))
      .join('  ')
      .trimEnd(),
  );
}

function quotaLines(quotas: UsageOfAccount['quotas'], columns: number): string[] {
  const linesWith = (width: number): string[] =>
    table(
      (quotas?.metrics ?? []).flatMap(({ label, quota, used, percent, unit }) =>
        quota === null || percent === null
          ? []
          : [
              [
                label,
                percentBar(percent, width),
                `${percent} %`,
                `${quantityText.format(used)} of ${quantityText.format(quota)} ${unit}`,
              ],
            ],
      ),
      [2],
    );
  const lines = linesWith(quotaWidth);
  if (lines.length === 0) return [];
  return ['', 'quotas', ...(isWithin(lines, columns) ? lines : linesWith(quotaWidth / 2))];
}
