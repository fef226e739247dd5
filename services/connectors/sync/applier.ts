import type { SyncAnswer, SyncBatch, SyncChange, SyncOutcome } from '../../../models/sync.ts';
import { SyncLost, type SyncHold } from './held-sync.ts';
import type { Progress } from './progress.ts';

/** Carries a batch out: the registrar's action. */
export type ApplySync = (batch: SyncBatch) => Promise<SyncAnswer>;

/** Changes of one batch. */
const mostChanges = 200;
/** Principals of all files of a batch: some megabytes of JSON at most. */
const mostPrincipals = 20_000;

/** Collects changes to batches, has the registrar carry them out, and counts what became of them. */
export class Applier {
  readonly #apply: ApplySync;
  readonly #held: SyncHold;
  readonly #progress: Progress;
  #changes: SyncChange[] = [];
  #principals = 0;

  constructor(apply: ApplySync, held: SyncHold, progress: Progress) {
    this.#apply = apply;
    this.#held = held;
    this.#progress = progress;
  }

  /** Takes a change; carries the batch out when it is full. @throws SyncLost, and what the registrar throws */
  async add(change: SyncChange): Promise<void> {
    this.#changes.push(change);
    this.#principals += 'file' in change ? change.file.principals.length : 0;
    if (this.#changes.length >= mostChanges || this.#principals >= mostPrincipals) await this.flush();
  }

  /** Carries out what was collected. @throws SyncLost, and what the registrar throws */
  async flush(): Promise<void> {
    if (this.#changes.length === 0) return;
    const changes = this.#changes;
    this.#changes = [];
    this.#principals = 0;
    const outcomes = await this.#carryOut(changes);
    const apart: SyncChange[] = [];
    changes.forEach((change, place) => {
      const outcome = outcomes[place];
      if (outcome === undefined) throw new Error('the registrar left a change unanswered');
      if (change.change === 'moved' && outcome.outcome === 'apart') apart.push(...toldApart(change));
      else this.#count(change, outcome);
    });
    if (apart.length > 0) (await this.#carryOut(apart)).forEach((outcome, place) => this.#count(apart[place], outcome));
  }

  async #carryOut(changes: SyncChange[]): Promise<SyncOutcome[]> {
    this.#held.signal.throwIfAborted();
    const { syncId, token, connector } = this.#held;
    const { outcomes } = await this.#apply({ organizationId: connector.organizationId, connectorId: connector._id, syncId, token, changes });
    if (outcomes === null) throw new SyncLost();
    return outcomes;
  }

  #count(change: SyncChange | undefined, { externalId, outcome, code }: SyncOutcome): void {
    // What is not listed and had been marked before is no file of this sync; what waits was counted when it was listed.
    if (outcome === 'apart' || change?.change === 'waiting' || (change?.change === 'missing' && outcome !== 'removed')) return;
    if (outcome === 'failed') this.#progress.fail(externalId, code ?? 'validation_error');
    else this.#progress.count(outcome);
  }
}

/** A file that was not moved after all: the one that is there, and the one that is not. */
function toldApart({ assetId, fromExternalId, file, marks }: SyncChange & { change: 'moved' }): SyncChange[] {
  return [{ change: 'present', file, marks }, { change: 'missing', assetId, externalId: fromExternalId }];
}
