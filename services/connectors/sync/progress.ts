import type { SyncCheckpoint, SyncFailure, SyncRun, SyncSummary } from '../../../models/connector.ts';
import type { SyncResult } from '../../../models/sync.ts';

/** Failures that a connector shows. */
const mostFailures = 20;

/** What a sync has done so far; a part of its run's record. */
export type SyncState = Pick<SyncRun, 'checkpoint' | 'summary' | 'failures'>;

/** Where every sync begins. */
export function freshState(): SyncState {
  return {
    checkpoint: { phase: 'listing', cursor: null, comparedTo: null, listed: 0, emptyOnce: false, gaps: [] },
    summary: { new: 0, changed: 0, unchanged: 0, reauthorized: 0, moved: 0, removed: 0, failed: 0 },
    failures: [],
  };
}

const counted: { readonly [outcome in SyncResult]: keyof SyncSummary | null } = {
  new: 'new', changed: 'changed', unchanged: 'unchanged', reauthorized: 'reauthorized', moved: 'moved', removed: 'removed', failed: 'failed',
  // What is back again as it was has not changed; what cannot be indexed here is as if it were not listed.
  returned: 'unchanged', skipped: null,
};

/** Counts as it goes. What was counted since the last checkpoint is counted again after a crash, from that checkpoint on. */
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

  /** Nothing was listed, and nothing is believed yet: it begins anew. */
  restart(): void {
    const { checkpoint, summary, failures } = freshState();
    Object.assign(this.state.checkpoint, checkpoint, { emptyOnce: true });
    Object.assign(this.state, { summary, failures });
  }

  count(outcome: SyncResult): void {
    const name = counted[outcome];
    if (name !== null) this.state.summary[name] += 1;
  }

  /** A file, or all below a prefix, could not be taken in. */
  fail(externalId: string, errorCode: string): void {
    this.state.summary.failed += 1;
    const failure: SyncFailure = { externalId, errorCode, seenAt: this.#now() };
    this.state.failures = [failure, ...this.state.failures].slice(0, mostFailures);
  }
}
