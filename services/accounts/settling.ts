import type { House } from '../../mixins/house.ts';
import type { Intake } from '../../mixins/lifecycle.ts';
import { settleAll } from './audit.ts';
import { booksOf } from './tools.ts';

const everyMilliseconds = 30_000;

/** Carries audit facts that a crash or an absent store left pending, at the start and every half minute. */
export function settling(house: Pick<House, 'records' | 'log'>): Intake {
  let timer: NodeJS.Timeout | null = null;
  let running: Promise<void> | null = null;
  const run = (): void => {
    running ??= settleAll(booksOf(house))
      .catch((error: unknown) => house.log.warn({ err: error }, 'audit rows wait for the store'))
      .finally(() => (running = null));
  };
  return {
    name: 'audit',
    start: async () => {
      run();
      timer = setInterval(run, everyMilliseconds);
    },
    stop: async () => {
      if (timer !== null) clearInterval(timer);
      await running;
    },
  };
}
