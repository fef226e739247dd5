import { moneyText } from '../../models/money.ts';
import type { Account } from '../../models/organization.ts';
import type { Ledger, UsageAdjustment } from '../../models/statement.ts';
import { createdWith, flushAudit, operatorActor } from './audit.ts';
import { collectionsOf, type AccountCollections, type AccountsContext } from './collections.ts';

/** A correction or credit, as an operator writes it. */
export interface NewAdjustment {
  /** In hundredths of the currency unit; negative for a credit. */
  amount: number;
  description: string;
}

/** Milliseconds in which a write is expected to be in the store. A closing waits longer for what was received before it. */
const slowMs = 2000;

/**
 * Writes a correction of an account: a line of the oldest month that is not closed. The correction and the row of the
 * account's audit are one write.
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
  const receivedAt = await timeOfReceipt(collections, account._id, records.time());
  const adjustment: UsageAdjustment = {
    _id,
    accountId: account._id,
    receivedAt,
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
  const began = records.time();
  await collections.adjustments.insert(adjustment);
  // A month may have been closed without it meanwhile: then it is received now.
  if (records.time() - began > slowMs) {
    const now = await timeOfReceipt(collections, account._id, records.time());
    const ledger = await collections.ledgers.get(account._id);
    if (ledger !== null && receivedAt < cutoffOf(ledger))
      await collections.adjustments.update(_id, { receivedAt }, { set: { receivedAt: now } });
  }
  await flushAudit(app, collections, collections.adjustments, adjustment);
  return adjustment;
}

/** Statements hold what was received before their cutoff, which may lie ahead of a clock that was set back. */
async function timeOfReceipt({ ledgers }: AccountCollections, accountId: string, now: number): Promise<number> {
  const ledger = await ledgers.get(accountId);
  return Math.max(now, ledger?.cutoff ?? 0);
}

function cutoffOf({ cutoff, closing }: Ledger): number {
  return closing?.cutoff ?? cutoff;
}
