import type { SyncCheckpoint, SyncFailure, SyncRun, SyncSummary } from '../../../models/connector.ts';
import type { SyncResult } from '../../../models/sync.ts';

/** Maximum number of failures that a connector shows. */
const maxFailures = 20;

/** The progress of a sync, as its run stores it. */
export type SyncState = Pick<SyncRun, 'checkpoint' | 'summary' | 'failures'>;

/** Maximum number of gaps in a checkpoint. */
const maxGaps = 1000;

/**
 * Bounds the number of gaps of a listing: too many are replaced by their common prefix. Files within a gap are not
 * changed, so a wider gap leaves missing files unnoticed but never reports a present one as missing.
 */
export function boundedGaps(gaps: readonly string[]): string[] {
  if (gaps.length <= maxGaps) return [...gaps];
  const [first = '', ...others] = gaps;
  let common = first;
  for (const gap of others) while (!gap.startsWith(common)) common = common.slice(0, -1);
  return [common];
}

/** The state in which every sync starts. */
export function freshState(): SyncState {
  return {
    checkpoint: { phase: 'listing', cursor: null, comparedTo: null, listed: 0, emptyOnce: false, gaps: [] },
    summary: { new: 0, changed: 0, unchanged: 0, reauthorized: 0, moved: 0, removed: 0, failed: 0 },
    failures: [],
  };
}

const counted: { readonly [outcome in SyncResult]: keyof SyncSummary | null } = {
  new: 'new',
  changed: 'changed',
  unchanged: 'unchanged',
  reauthorized: 'reauthorized',
  moved: 'moved',
  removed: 'removed',
  failed: 'failed',
  // A file that returned without a change counts as unchanged; one that cannot be indexed here is not counted.
  returned: 'unchanged',
  skipped: null,
};

/** Counts the outcomes of a sync. After a crash, counting continues from the last checkpoint. */
export class Progress {
  readonly state: SyncState;
  readonly #now: () => number;

  constructor(state: SyncState, now: () => number) {
    this.state = structuredClone(state);
    this.#now = now;
  }

  get checkpoint(): SyncCheckpoint {
    return this.state.checkpoint;
  }

  /** Restarts the listing after a source listed nothing, which is not trusted the first time. */
  restart(): void {
    const { checkpoint, summary, failures } = freshState();
    Object.assign(this.state.checkpoint, checkpoint, { emptyOnce: true });
    Object.assign(this.state, { summary, failures });
  }

  count(outcome: SyncResult): void {
    const name = counted[outcome];
    if (name !== null) this.state.summary[name] += 1;
  }

  /** Records the failure of a file, or of all files with a prefix. */
  fail(externalId: string, errorCode: string): void {
    this.state.summary.failed += 1;
    const failure: SyncFailure = { externalId, errorCode, seenAt: this.#now() };
    this.state.failures = [failure, ...this.state.failures].slice(0, maxFailures);
  }
}
