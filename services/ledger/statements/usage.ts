import type { usageAnswer } from '../../../models/schemas/answers/usage.ts';
import type { Infer } from '../../../models/schemas/schema.ts';
import type { OrganizationUsage, Statement } from '../../../models/statement.ts';
import type { AppContext } from '../../../mixins/app-context.ts';
import { organizationContent } from '../account-answer.ts';
import { partOf, partsOfStatement } from './read.ts';

type Context = Pick<AppContext, 'records'>;

/**
 * The answer of GET /usage for a closed month, from its statement.
 * @param organizationId null: the whole account
 */
export async function closedUsage(
  app: Context,
  statement: Statement,
  organizationId: string | null,
): Promise<Infer<typeof usageAnswer>> {
  const { month, terms, number } = statement;
  if (organizationId === null) {
    const organizations: OrganizationUsage[] = [];
    for await (const { inAccount } of partsOfStatement(app, statement))
      if (inAccount !== null) organizations.push(inAccount);
    return { ...statement.content, organizations, processing: statement.processing };
  }
  const part = await partOf(app, statement, organizationId);
  return { ...organizationContent({ month, terms }, part?.own ?? [], number), processing: part?.processing ?? [] };
}
