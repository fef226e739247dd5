import { receiveAdjustment } from '../../mixins/accounts/adjustments.ts';
import { moneyText } from '../../models/money.ts';
import type { Account } from '../../models/organization.ts';
import type { UsageAdjustment } from '../../models/statement.ts';
import { createdWith, flushAudit, operatorActor } from './audit.ts';
import { collectionsOf, type AccountsContext } from './collections.ts';

/** A correction or credit, as an operator writes it. */
export interface NewAdjustment {
  /** In hundredths of the currency unit; negative for a credit. */
  amount: number;
  description: string;
}

/**
 * Writes a correction of an account: a line of the oldest month that is not closed. The correction and the row of the
 * account's audit are one write; if the process dies after it, the running program receives it.
 * @throws Error without an amount; StoreUnavailable
 */
export async function adjustAccount(
  app: AccountsContext,
  account: Account,
  { amount, description }: NewAdjustment,
): Promise<UsageAdjustment> {
  if (amount === 0) throw new Error('the amount of a correction must not be 0');
  const { records, runtime } = app;
  const collections = collectionsOf(app);
  const _id = runtime.uuid();
  const adjustment: UsageAdjustment = {
    _id,
    accountId: account._id,
    receivedAt: null,
    writtenAt: records.time(),
    amount,
    description,
    ...createdWith(
      {
        accountId: account._id,
        at: runtime.now(),
        actor: operatorActor,
        action: 'account.adjusted',
        resourceKind: 'adjustment',
        resourceId: _id,
        detail: { amount: moneyText(amount), currency: account.currency ?? null, description },
      },
      runtime.uuid(),
    ),
  };
  await collections.adjustments.insert(adjustment);
  const received = await receiveAdjustment(app, adjustment);
  await flushAudit(app, collections, collections.adjustments, adjustment);
  return received ?? adjustment;
}
