import { call, type ActionCaller, type ActionInput } from '../../mixins/actions.ts';
import type { House } from '../../mixins/house.ts';
import { invalid, Refusal, refusalOf } from '../../models/errors.ts';

/** Milliseconds that the audit may take to write a row. */
const patience = 10_000;

/**
 * Has the audit row of a search as another reader written, before anything is searched. Answers the account.
 * @throws Refusal `audit_unavailable` where it could not be written, or nobody knows whether it was; `organization_forbidden`;
 * `validation_error` without principals, for that is nobody else's search
 */
export async function recordFirst(actions: ActionCaller, { log, metrics }: Pick<House, 'log' | 'metrics'>, search: ActionInput<'accounts.recordSearchAs'>): Promise<{ accountId: string }> {
  if (search.principals.length === 0) throw invalid(['body', 'principals'], 'Say as whom: a search as another reader names principals.');
  try {
    return await call(actions, 'accounts.recordSearchAs', search, { timeout: patience });
  } catch (error) {
    if (refusalOf(error)?.type === 'organization_forbidden') throw error;
    metrics.auditFailures.inc();
    log.error({ err: error, searchId: search.searchId }, 'a search as another reader is not run: its audit row could not be written');
    throw new Refusal('audit_unavailable', { retryable: true, retryAfter: 1 });
  }
}
