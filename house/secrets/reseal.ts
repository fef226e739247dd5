import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Records } from '../../adapters/records/port.ts';
import type { Intake } from '../../mixins/lifecycle.ts';
import { periodicIntake } from '../../mixins/periodic.ts';
import type { Sealer } from '../../mixins/sealing.ts';
import { walkSecrets, type FoundSecret } from './sealed-fields.ts';

/** What secrets are sealed anew with. */
export interface ResealHouse {
  records: Records;
  sealer: Sealer;
  log: Pick<Logger, 'info' | 'warn' | 'error'>;
}

/** What a round came to. */
export interface Resealed {
  /** Texts that are sealed with the current key since. */
  resealed: number;
  /** Texts that somebody else wrote meanwhile: another round looks at them. */
  left: number;
  /** Texts that no key opens. */
  unopened: number;
}

/** The start itself goes first. */
const firstMs = 500;
/** A process that was not started anew yet may still seal with a former key, so rounds come again as long as there is one. */
const everyMs = 60_000;
/** Rounds that are left out after one that found everything as it should be. */
const restingRounds = 30;

/**
 * Seals everything anew that a former key has sealed. Each write is conditional on the sealed text that was read, so it may be
 * killed at any moment and done by several processes at once, and what a client gives meanwhile stays.
 */
export async function reseal(house: ResealHouse, isStopping: () => boolean = () => false, limit?: number): Promise<Resealed> {
  const done: Resealed = { resealed: 0, left: 0, unopened: 0 };
  for await (const found of walkSecrets(house.records, house.sealer, limit)) {
    if (isStopping()) return { ...done, left: done.left + 1 };
    if (found.key === null) done.unopened += 1;
    if (found.key?.use !== 'former') continue;
    done[(await resealOne(house.sealer, found)) ? 'resealed' : 'left'] += 1;
    // What clients ask for goes in between.
    await nextTurn();
  }
  return done;
}

async function resealOne(sealer: Sealer, { field, collection, id, sealed }: FoundSecret): Promise<boolean> {
  const place = field.place(id);
  const change = { set: { [field.field]: sealer.seal(sealer.open(sealed, place), place) }, ...(field.isVersioned ? { increment: { version: 1 } } : {}) };
  return (await collection.update(id, { [field.field]: sealed }, change)) !== null;
}

/** Seals anew in the background, as long as the program knows former keys; without any there is nothing to do. */
export function resealIntake(house: ResealHouse): Intake {
  let resting = 0;
  const hasFormer = house.sealer.keys.some(({ use }) => use === 'former');
  return periodicIntake({
    name: 'sealing anew',
    everyMs,
    firstMs,
    round: async (isStopping) => {
      if (!hasFormer || resting-- > 0) return;
      const done = await reseal(house, isStopping);
      if (done.resealed > 0) house.log.info({ resealed: done.resealed }, 'secrets of a former key were sealed anew');
      if (done.unopened > 0) house.log.error({ unopened: done.unopened }, 'secrets open with none of the secret keys: is one missing in PLY_FORMER_SECRET_KEYS, or wrong?');
      resting = done.left === 0 ? restingRounds : 0;
    },
    failed: (error) => house.log.warn({ err: error }, 'secrets are sealed anew later'),
  });
}
