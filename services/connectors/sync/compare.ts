import type { Source } from '../../../adapters/sources/port.ts';
import type { SyncHold } from './held-sync.ts';
import { Progress, type SyncState } from './progress.ts';
import { SyncRunner, type SyncWork } from './run-sync.ts';

/** Carries a held sync out from a state to its end, and tells the states that it reaches. */
export type Compare = (held: SyncHold, from: SyncState, work: CompareWork) => Promise<SyncState>;

/** What a sync works with, besides its source. */
export type CompareWork = Omit<SyncWork, 'source'>;

/**
 * Opens the source, carries the sync out and closes the source.
 * @param now milliseconds since the epoch
 * @throws what opening throws, and what SyncRunner throws
 */
export async function compare(open: () => Source | Promise<Source>, now: () => number, held: SyncHold, from: SyncState, work: CompareWork): Promise<SyncState> {
  let source: Source | null = null;
  try {
    source = await open();
    const progress = new Progress(from, now);
    await new SyncRunner({ ...work, source }, held, progress).run();
    return progress.state;
  } finally {
    await source?.close();
  }
}
