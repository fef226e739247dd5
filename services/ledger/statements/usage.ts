import type { AppContext } from '../../../mixins/app-context.ts';
import type { usageAnswer } from '../../../models/schemas/answers/usage.ts';
import type { Infer } from '../../../models/schemas/schema.ts';
import type { OrganizationUsage, Statement } from '../../../models/statement.ts';
import { organizationContent } from '../account-answer.ts';
import { wholeMonth } from '../period.ts';
import { processingFigures } from '../pricing/month.ts';
import type { ReadingContext } from '../reading/account.ts';
import { useOf } from '../reading/sums-of-period.ts';
import { partOf, partsOfStatement } from './read.ts';

type Context = Pick<AppContext, 'records'>;

/** The organizations of a statement, as its account's answer shows them. */
export async function organizationsOf(app: Context, statement: Statement): Promise<OrganizationUsage[]> {
  const organizations: OrganizationUsage[] = [];
  for await (const { inAccount } of partsOfStatement(app, statement)) organizations.push(inAccount);
  return organizations;
}

/**
 * The answer of GET /usage for a closed month, from its statement. What work was done for one organization is no part of
 * it, and is read from the roll-ups. @param organizationId null: the whole account
 */
export async function closedUsage(
  app: ReadingContext,
  statement: Statement,
  organizationId: string | null,
): Promise<Infer<typeof usageAnswer>> {
  const { accountId, month, terms, number } = statement;
  if (organizationId === null)
    return {
      ...statement.content,
      organizations: await organizationsOf(app, statement),
      processing: statement.processing,
    };
  const part = await partOf(app, statement, organizationId);
  const period = wholeMonth(month, terms.timeZone);
  const { all } = await useOf(app, { _id: accountId }, period, organizationId);
  return {
    ...organizationContent({ month, terms }, part?.own ?? [], number),
    processing: processingFigures(all),
  };
}
