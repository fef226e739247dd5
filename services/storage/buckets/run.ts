import { queuedRun, type WorkRun } from '../../../models/work.ts';
import type { StorageContext } from '../tools.ts';

/** A new run, which waits for its turn. */
export function newRun<S extends string>(
  { runtime, records }: Pick<StorageContext, 'runtime' | 'records'>,
  stage: S,
): WorkRun & { stage: S } {
  return queuedRun(runtime.uuid(), stage, records.time());
}
