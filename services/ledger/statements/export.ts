import { csvCell, plainDecimal } from '../../../models/csv.ts';
import type { StatementPart, UsageLine } from '../../../models/statement.ts';
import type { SeenStatement } from './answers.ts';
import { statementAnswerOf } from './answers.ts';

/** Beginnings of texts that spreadsheets take for formulas. */
const formula = /^[=+\-@\t\r]/;

/** A cell of a text. */
function text(value: string): string {
  return csvCell(formula.test(value) ? `'${value}` : value);
}

function decimal(value: number | null): string {
  return value === null ? '' : plainDecimal(value);
}

function money(value: number | null): string {
  return value === null ? '' : value.toFixed(2);
}

/** A statement as a file for spreadsheets. */
export interface StatementFile {
  fileName: string;
  /** RFC 4180, in UTF-8 without a byte order mark. */
  csv: string;
}

/** The file of a statement: the account's lines and those of its organizations, or the lines of one organization. */
export function statementFile(seen: SeenStatement): StatementFile {
  const answer = statementAnswerOf(seen);
  const { period, proration, lines, statementNumber, currency } = answer;
  const isProrated = proration !== undefined;
  const row = (cells: readonly string[]): string => `${cells.join(',')}\r\n`;
  const head = [
    ['Statement', statementNumber ?? ''],
    ['Customer', answer.customer],
    ['Period', `${period.from} to ${period.to} (${period.timeZone})`],
    ['Plan', answer.plan ?? ''],
    ['Currency', currency ?? ''],
    ['Status', answer.status],
    ...(isProrated ? [['Service', serviceOf(proration)]] : []),
  ];
  const columns = [
    'Section',
    'Organization',
    'Item',
    'Metric',
    'Quantity',
    'Unit',
    'Included',
    'Billable',
    'Unit price',
  ];
  const isAccount = seen.organizationId === null;
  const lineRow = (section: string, name: string, line: UsageLine, amount: number | null): string =>
    row([
      section,
      text(name),
      text(line.label),
      text(line.metric),
      decimal(line.quantity),
      text(line.unit),
      decimal(line.included),
      decimal(line.billable),
      decimal(line.unitPrice),
      money(amount),
      ...(isProrated ? [prorationOf(line)] : []),
    ]);
  const organizations = isAccount ? byName(seen.parts) : [];
  const total = ['total', '', 'Total', '', '', '', '', '', '', money(answer.total), ...(isProrated ? [''] : [])];
  return {
    fileName: `${statementNumber}.csv`,
    csv: [
      ...head.map(([name = '', value = '']) => row([name, text(value)])),
      row([...columns, 'Amount', ...(isProrated ? ['Proration'] : [])]),
      ...lines.map((line) => lineRow('account', '', line, isAccount ? line.amount : line.listAmount)),
      ...organizations.flatMap(({ name, own }) =>
        own.map((line) => lineRow('organization', name, line, line.listAmount)),
      ),
      row(total),
    ].join(''),
  };
}

function serviceOf({ from, to, activeDays, daysInMonth }: NonNullable<SeenProration>): string {
  const days = `(${activeDays} of ${daysInMonth} days)`;
  return from === null || to === null ? `none ${days}` : `${from} to ${to} ${days}`;
}

type SeenProration = ReturnType<typeof statementAnswerOf>['proration'];

function prorationOf({ proration }: UsageLine): string {
  return proration === undefined ? '' : `${proration.activeDays}/${proration.daysInMonth}`;
}

function byName(parts: readonly StatementPart[]): StatementPart[] {
  const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
  return parts.toSorted(
    (one, other) => compare(one.name, other.name) || compare(one.organizationId, other.organizationId),
  );
}
