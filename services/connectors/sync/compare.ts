import type { Source } from '../../../adapters/sources/port.ts';
import type { SyncHandle } from './leased-sync.ts';
import { Progress, type SyncState } from './progress.ts';
import { SyncRunner, type SyncWork } from './run-sync.ts';

/**
 * Runs a leased sync from a state to its end, and answers its final state. Progress is reported to `work.onProgress`.
 */
export type Compare = (handle: SyncHandle, from: SyncState, work: CompareWork) => Promise<SyncState>;

/** What a sync needs besides its source. */
export type CompareWork = Omit<SyncWork, 'source'>;

/**
 * Opens the source, runs the sync and closes the source.
 * @param now milliseconds since the epoch
 * @throws what opening throws, and what SyncRunner throws
 */
export async function compare(
  open: () => Source | Promise<Source>,
  now: () => number,
  handle: SyncHandle,
  from: SyncState,
  work: CompareWork,
): Promise<SyncState> {
  let source: Source | null = null;
  try {
    source = await open();
    const progress = new Progress(from, now);
    await new SyncRunner({ ...work, source }, handle, progress).run();
    return progress.state;
  } finally {
    await source?.close();
  }
}
