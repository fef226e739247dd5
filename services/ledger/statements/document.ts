import { canonicalJson, sha256Of } from '../../../models/canonical-json.ts';
import type { statementAnswer } from '../../../models/schemas/answers/usage.ts';
import type { Infer } from '../../../models/schemas/schema.ts';
import { isoTime } from '../../../models/runtime.ts';
import { statementId, type OrganizationUsage, type Statement, type StatementPart } from '../../../models/statement.ts';
import { accountContent, organizationParts, organizationUsage } from '../account-answer.ts';
import { processingFigures } from '../pricing/month.ts';
import { toStored, type Sum } from '../sums.ts';
import type { Basis, ComputedMonth } from './compute.ts';
import { partId } from './read.ts';

/** Answer of GET /statements/{month}. */
export type StatementAnswer = Infer<typeof statementAnswer>;

/** What a statement has besides what it is computed from. */
export interface Issue {
  sequence: number;
  attempt: string;
  closedAt: number;
  /** Names of organizations, by id. */
  names: ReadonlyMap<string, string>;
}

/** The number of a statement. It goes on over the years. */
export function statementNumber(accountId: string, month: string, sequence: number): string {
  return `${accountId.slice(0, 8).toUpperCase()}-${month.slice(0, 4)}-${String(sequence).padStart(6, '0')}`;
}

/** A statement as it is stored, with its parts. Nothing but what it is given decides what it says. */
export function statementDocument(
  basis: Basis,
  use: ComputedMonth,
  { sequence, attempt, closedAt, names }: Issue,
): { statement: Statement; parts: StatementPart[] } {
  const { accountId, month, terms, since, before } = basis;
  const number = statementNumber(accountId, month, sequence);
  const content = accountContent(use, number).content;
  const parts = partsOf({ accountId, month, attempt }, use, names);
  const organizations = parts.flatMap(({ inAccount }) => (inAccount === null ? [] : [inAccount]));
  const issued = { month, terms, closedAt, content };
  return {
    statement: {
      _id: statementId(accountId, month),
      accountId,
      month,
      sequence,
      number,
      attempt,
      closedAt,
      sha256: sha256Of(canonicalJson(withoutDigest(issued, organizations, names))),
      terms,
      since,
      before,
      events: use.events,
      sums: toStored(use.sums),
      late: Object.fromEntries(use.late.map(({ month: of, sums }) => [of, toStored(sums)])),
      adjustments: use.adjustmentIds,
      content,
      processing: processingFigures(use.all),
    },
    parts,
  };
}

function partsOf(
  { accountId, month, attempt }: Pick<Statement, 'accountId' | 'month' | 'attempt'>,
  use: ComputedMonth,
  names: ReadonlyMap<string, string>,
): StatementPart[] {
  const lines = new Map([...organizationParts(use)].map((part) => [part.organizationId, part.lines]));
  return organizationsOf(use).flatMap((organizationId) => {
    const own = lines.get(organizationId);
    const processing = processingFigures(use.allOfOrganizations.get(organizationId) ?? new Map<string, Sum>());
    if (own === undefined && processing.length === 0) return [];
    return {
      _id: partId({ accountId, month, attempt }, organizationId),
      accountId,
      organizationId,
      month,
      attempt,
      name: names.get(organizationId) ?? '',
      inAccount: own === undefined ? null : organizationUsage(organizationId, own),
      own: own?.own ?? [],
      processing,
    };
  });
}

/** The organizations with any use, by id. */
export function organizationsOf(use: ComputedMonth): string[] {
  const ids = new Set(use.allOfOrganizations.keys());
  for (const ofMonth of use.lateOfOrganizations.values()) for (const id of ofMonth.keys()) ids.add(id);
  return [...ids].toSorted((one, other) => (one < other ? -1 : 1));
}

/** The account's answer without its digest: the digest is over the canonical form of it. */
export function withoutDigest(
  { month, terms, closedAt, content }: Pick<Statement, 'month' | 'terms' | 'closedAt' | 'content'>,
  organizations: OrganizationUsage[],
  names: ReadonlyMap<string, string>,
): StatementAnswer {
  return {
    ...content,
    organizations,
    month,
    customer: terms.customer,
    closedAt: isoTime(closedAt),
    organizationNames: Object.fromEntries(
      organizations.map(({ organizationId }) => [organizationId, names.get(organizationId) ?? '']),
    ),
  };
}
