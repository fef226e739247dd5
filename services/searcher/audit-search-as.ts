import { call, type ActionCaller } from '../../mixins/actions/call.ts';
import type { ActionInput } from '../../mixins/actions/table.ts';
import type { AppContext } from '../../mixins/app-context.ts';
import { invalid, Refusal, refusalOf } from '../../models/errors.ts';

/** Milliseconds within which the audit row must be written. */
const timeoutMs = 10_000;

/**
 * Writes the audit row of a search as another reader, before the search runs. Returns the organization's account.
 * @throws Refusal `audit_unavailable` where the row was not written for certain; `organization_forbidden`;
 *   `validation_error` without principals
 */
export async function auditSearchAs(
  actions: ActionCaller,
  { log, metrics }: Pick<AppContext, 'log' | 'metrics'>,
  search: ActionInput<'accounts.recordSearchAs'>,
): Promise<{ accountId: string }> {
  if (search.principals.length === 0)
    throw invalid(['body', 'principals'], 'Say as whom: a search as another reader names principals.');
  try {
    return await call(actions, 'accounts.recordSearchAs', search, { timeout: timeoutMs });
  } catch (error) {
    if (refusalOf(error)?.type === 'organization_forbidden') throw error;
    metrics.auditFailures.inc();
    log.error(
      { err: error, searchId: search.searchId },
      'a search as another reader was refused: its audit row could not be written',
    );
    throw new Refusal('audit_unavailable', { retryable: true, retryAfter: 1 });
  }
}
