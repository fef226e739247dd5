import type { Collection } from '../../adapters/records/port.ts';
import type { Runnable } from '../../models/work.ts';

/** Organizations whose oldest run is read: reading more would cost more than the figure is worth. */
const maxOrganizations = 1000;

/**
 * When the run that has waited longest for a stage began to wait, in milliseconds; null if none waits. The index `turn` of
 * a kind of work has the oldest of each organization.
 */
export async function oldestQueued<T extends Runnable>(runs: Collection<T>, stage: string): Promise<number | null> {
  const waiting = { 'run.phase': 'waiting', 'run.stage': stage };
  let oldest: number | null = null;
  for (const organizationId of await runs.distinct(waiting, 'organizationId', { after: '', limit: maxOrganizations })) {
    const [first] = await runs.pick({ filter: { ...waiting, organizationId }, sort: [['run.queuedAt', 1]], limit: 1 }, [
      'run.queuedAt',
    ]);
    const queuedAt = first?.[0];
    if (typeof queuedAt === 'number' && (oldest === null || queuedAt < oldest)) oldest = queuedAt;
  }
  return oldest;
}
