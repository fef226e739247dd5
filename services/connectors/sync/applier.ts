import type { SyncAnswer, SyncBatch, SyncChange, SyncOutcome } from '../../../models/sync.ts';
import { LeaseLost } from '../../../mixins/work/lease.ts';
import type { SyncHandle } from './leased-sync.ts';
import type { Progress } from './progress.ts';

/** Applies a batch of changes: the registrar's action. */
export type ApplySync = (batch: SyncBatch) => Promise<SyncAnswer>;

/** Maximum number of changes in a batch. */
const maxChanges = 200;
/** Maximum number of principals of all files in a batch: a few megabytes of JSON. */
const maxPrincipals = 20_000;

/** Collects changes into batches, has the registrar apply them, and counts the outcomes. */
export class Applier {
  readonly #apply: ApplySync;
  readonly #handle: SyncHandle;
  readonly #progress: Progress;
  #changes: SyncChange[] = [];
  #principals = 0;

  constructor(apply: ApplySync, handle: SyncHandle, progress: Progress) {
    this.#apply = apply;
    this.#handle = handle;
    this.#progress = progress;
  }

  /** Adds a change, and applies the batch when it is full. @throws LeaseLost, and what the registrar throws */
  async add(change: SyncChange): Promise<void> {
    this.#changes.push(change);
    this.#principals += 'file' in change ? change.file.principals.length : 0;
    if (this.#changes.length >= maxChanges || this.#principals >= maxPrincipals) await this.flush();
  }

  /** Applies the collected changes. @throws LeaseLost, and what the registrar throws */
  async flush(): Promise<void> {
    if (this.#changes.length === 0) return;
    const changes = this.#changes;
    this.#changes = [];
    this.#principals = 0;
    const outcomes = await this.#send(changes);
    const separate: SyncChange[] = [];
    changes.forEach((change, index) => {
      const outcome = outcomes[index];
      if (outcome === undefined) throw new Error('the registrar answered no outcome for a change');
      if (change.change === 'moved' && outcome.outcome === 'apart') separate.push(...split(change));
      else this.#count(change, outcome);
    });
    if (separate.length > 0)
      (await this.#send(separate)).forEach((outcome, index) => this.#count(separate[index], outcome));
  }

  async #send(changes: SyncChange[]): Promise<SyncOutcome[]> {
    this.#handle.signal.throwIfAborted();
    const { syncId, token, connector } = this.#handle;
    const { outcomes } = await this.#apply({
      organizationId: connector.organizationId,
      connectorId: connector._id,
      syncId,
      token,
      changes,
    });
    if (outcomes === null) throw new LeaseLost();
    return outcomes;
  }

  #count(change: SyncChange | undefined, { externalId, outcome, code }: SyncOutcome): void {
    // A file that was already missing does not count in this sync, and a waiting one was counted when it was listed.
    if (outcome === 'apart' || change?.change === 'waiting' || (change?.change === 'missing' && outcome !== 'removed'))
      return;
    if (outcome === 'failed') this.#progress.fail(externalId, code ?? 'validation_error');
    else this.#progress.count(outcome);
  }
}

/** The changes for files that turned out not to be one moved file: one is present, the other missing. */
function split({ assetId, fromExternalId, file, marks }: SyncChange & { change: 'moved' }): SyncChange[] {
  return [
    { change: 'present', file, marks },
    { change: 'missing', assetId, externalId: fromExternalId },
  ];
}
