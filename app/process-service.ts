import type { ServiceSchema } from 'moleculer';
import { actionsOf } from '../mixins/actions/actions-of.ts';
import type { ProcessReport } from '../mixins/actions/process.ts';
import type { Readiness } from './health.ts';

/** The service that every process has: it tells `ply doctor` how the process stands. */
export function processService(
  about: Pick<ProcessReport, 'roles' | 'version'>,
  readiness: () => Promise<Readiness>,
): ServiceSchema {
  return {
    name: 'process',
    actions: actionsOf('process', { health: async () => ({ ...about, ...(await readiness()) }) }),
  };
}
