import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Records } from '../../adapters/records/port.ts';
import type { Intake } from '../../mixins/lifecycle.ts';
import { periodicIntake } from '../../mixins/periodic.ts';
import type { Sealer } from '../../mixins/sealing.ts';
import { walkSecrets, type FoundSecret } from './sealed-fields.ts';

/** The part of the app context that resealing uses. */
export interface ResealContext {
  records: Records;
  sealer: Sealer;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
}

/** The result of a round. */
export interface Resealed {
  /** Texts that were resealed with the current key. */
  resealed: number;
  /** Texts that were changed concurrently: the next round handles them. */
  left: number;
  /** Texts that no key can open. */
  unopened: number;
}

/** Delay of the first round, so that the start comes first. */
const firstMs = 500;
/**
 * A process that was not restarted yet may still seal with a former key, so rounds repeat while a former key is
 * configured.
 */
const everyMs = 60_000;
/** Rounds to skip after a round that left nothing to do. */
const restingRounds = 30;

/**
 * Reseals with the current key every text that a former key has sealed. Each write is conditional on the sealed text
 * that was read. So it may be killed at any moment and run in several processes, and concurrent writes of clients are
 * kept.
 */
export async function reseal(
  app: ResealContext,
  isStopping: () => boolean = () => false,
  limit?: number,
): Promise<Resealed> {
  const done: Resealed = { resealed: 0, left: 0, unopened: 0 };
  for await (const found of walkSecrets(app.records, app.sealer, limit)) {
    if (isStopping()) return { ...done, left: done.left + 1 };
    if (found.key === null) done.unopened += 1;
    if (found.key?.use !== 'former') continue;
    done[(await resealOne(app.sealer, found)) ? 'resealed' : 'left'] += 1;
    // Lets requests of clients run in between.
    await nextTurn();
  }
  return done;
}

async function resealOne(sealer: Sealer, { field, collection, id, sealed }: FoundSecret): Promise<boolean> {
  const context = field.context(id);
  const change = {
    set: { [field.field]: sealer.seal(sealer.open(sealed, context), context) },
    ...(field.isVersioned ? { increment: { version: 1 } } : {}),
  };
  return (await collection.update(id, { [field.field]: sealed }, change)) !== null;
}

/** Reseals in the background while former keys are configured. */
export function resealIntake(app: ResealContext): Intake {
  let resting = 0;
  const hasFormer = app.sealer.keys.some(({ use }) => use === 'former');
  return periodicIntake({
    name: 'resealing',
    everyMs,
    firstMs,
    round: async (isStopping) => {
      if (!hasFormer || resting-- > 0) return;
      const done = await reseal(app, isStopping);
      if (done.resealed > 0)
        app.log.info({ resealed: done.resealed }, 'secrets of former keys were resealed with the current key');
      if (done.unopened > 0)
        app.log.error(
          { unopened: done.unopened },
          'secrets open with none of the secret keys: check PLY_FORMER_SECRET_KEYS for a missing or wrong key',
        );
      resting = done.left === 0 ? restingRounds : 0;
    },
    failed: (error) => app.log.warn({ err: error }, 'resealing secrets failed, will retry'),
  });
}
