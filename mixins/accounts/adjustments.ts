import { systemScope } from '../../models/scope.ts';
import { ledgers, receiptOf, usageAdjustments, type UsageAdjustment } from '../../models/statement.ts';
import type { AppContext } from '../app-context.ts';

type Context = Pick<AppContext, 'records'>;

const pageSize = 200;

/**
 * Receives a correction that was written: decides which month it is charged on. The ledger is read after the correction was
 * written, so a month that is being closed is either seen here, or its closing sees the correction and does the same. The
 * first decision holds.
 * @returns the correction as it is now; null if it was removed @throws StoreUnavailable
 */
export async function receiveAdjustment(
  { records }: Context,
  { _id, accountId }: Pick<UsageAdjustment, '_id' | 'accountId'>,
): Promise<UsageAdjustment | null> {
  const ledger = await records.collection(ledgers, systemScope).get(accountId);
  const receivedAt = receiptOf(ledger ?? { cutoff: 0, closing: null }, records.time());
  const adjustments = records.collection(usageAdjustments, systemScope);
  const change = { set: { receivedAt }, unset: ['writtenAt'] };
  return (await adjustments.update(_id, { receivedAt: null }, change)) ?? adjustments.get(_id);
}

/** Receives all corrections that were written: those of processes that died, and of this moment. @throws StoreUnavailable */
export async function receiveAdjustments({ records }: Context): Promise<void> {
  const adjustments = records.collection(usageAdjustments, systemScope);
  for (;;) {
    const written = await adjustments.find({ filter: { writtenAt: { $exists: true } }, limit: pageSize });
    for (const each of written) await receiveAdjustment({ records }, each);
    if (written.length < pageSize) return;
  }
}
