import { setImmediate as turn } from 'node:timers/promises';
import type { IndexState } from '../../../adapters/passages/port.ts';
import type { Collection } from '../../../adapters/records/port.ts';
import { assets as assetsDefinition } from '../../../models/asset.ts';
import { indexRecords, type IndexRecoveryRun, type IndexRecord } from '../../../models/passage-index.ts';
import { systemScope } from '../../../models/scope.ts';
import { countReembedding } from '../reembed.ts';
import type { Registrar } from '../registrar.ts';
import { recoverFile, type FileState } from './recover-file.ts';

/** Maximum number of concurrent recovery jobs, so that files that customers register are processed in between. */
const maxJobs = 40;
/** Files checked between two writes of the progress. */
const pageSize = 100;
/** Maximum duration of a round, in milliseconds. */
const maxRoundMs = 1000;
/** Milliseconds before the next walk while customers' jobs index files. */
const betweenWalksMs = 60_000;
/** Milliseconds before files that could not be recovered are checked again. */
const retryMs = 3_600_000;

/** Maximum number of files that are logged in one walk. */
const maxNamed = 100;

type Walk = IndexRecoveryRun['walk'];

function newWalk(notBefore: number, isFirst: boolean): Walk {
  return { notBefore, isFirst, after: null, looked: 0, started: 0, underWay: 0, unrecoverable: 0 };
}

/**
 * Detects that the passage index was replaced, or is an older copy, and indexes missing files again. The progress is
 * stored in the records: any process continues where another one stopped, and a file that is checked twice is not
 * indexed twice.
 */
export class IndexRecovery {
  readonly #registrar: Registrar;
  readonly #pageSize: number;

  constructor(registrar: Registrar, options: { pageSize?: number } = {}) {
    this.#registrar = registrar;
    this.#pageSize = options.pageSize ?? pageSize;
  }

  get #documents(): Collection<IndexRecord> {
    return this.#registrar.app.records.collection(indexRecords, systemScope);
  }

  /** Checks the index and continues a running recovery. Returns the record afterwards. */
  async round(isStopping: () => boolean = () => false): Promise<IndexRecord> {
    const { app } = this.#registrar;
    const state = await app.passages.state();
    const expected = await this.#expected(state);
    if (expected.recovery === null) return expected;
    return this.#recover(expected, expected.recovery, state, isStopping);
  }

  /** The record for this index. A recovery is started where the two do not match. */
  async #expected(state: IndexState): Promise<IndexRecord> {
    const documents = this.#documents;
    let known = await documents.get('recovery');
    if (known === null) {
      const former = await documents.get('index');
      await documents.insertNew([
        {
          _id: 'recovery',
          identity: former?.identity ?? '',
          changes: former?.changes ?? 0,
          recovery: former === null ? await this.#begun(state, 'unknown') : null,
          unrecoverable: 0,
          // What an earlier version had not finished is done by checking all files once.
          retryAt: former === null ? null : this.#registrar.app.records.time(),
          version: 1,
        },
      ]);
      known = await documents.get('recovery');
      if (known === null) throw new Error('the record of the passage index was not stored');
    }
    const reason = this.#reasonFor(known, state);
    if (reason !== null) {
      const begun = await this.#write(known, { recovery: await this.#begun(state, reason) });
      if (begun !== known && reason !== 'incomplete') {
        this.#registrar.app.log.warn(
          { known: known.identity, found: state.identity, knownChanges: known.changes, foundChanges: state.changes },
          reason === 'other'
            ? 'the passage index is not the one that the records know: it was lost or replaced. Missing files are indexed again from the kept texts; until then searches find only what is indexed'
            : 'the passage index is older than the records know it. Missing files are indexed again from the kept texts; until then searches find only what is indexed',
        );
      }
      return begun;
    }
    return known.recovery === null && state.changes > known.changes
      ? this.#write(known, { changes: state.changes })
      : known;
  }

  #reasonFor(
    { identity, changes, recovery, retryAt }: IndexRecord,
    state: IndexState,
  ): IndexRecoveryRun['reason'] | null {
    if (recovery !== null) return recovery.identity === state.identity ? null : 'other';
    if (identity !== state.identity) return 'other';
    if (state.changes < changes) return 'older';
    return retryAt !== null && retryAt <= this.#registrar.app.records.time() ? 'incomplete' : null;
  }

  async #begun({ identity }: IndexState, reason: IndexRecoveryRun['reason']): Promise<IndexRecoveryRun> {
    const { records } = this.#registrar.app;
    const since = records.time();
    // Only files with an active revision have the field.
    const total = await records.collection(assetsDefinition, systemScope).count({ embeddedWith: { $exists: true } });
    return { identity, reason, since, total, made: 0, walk: newWalk(since, true) };
  }

  async #recover(
    document: IndexRecord,
    run: IndexRecoveryRun,
    state: IndexState,
    isStopping: () => boolean,
  ): Promise<IndexRecord> {
    const { records } = this.#registrar.app;
    const until = performance.now() + maxRoundMs;
    let freeJobs = maxJobs - (await countReembedding(this.#registrar));
    const { walk } = run;
    if (walk.after === null && (records.time() < walk.notBefore || (!walk.isFirst && freeJobs < maxJobs)))
      return document;
    let current = document;
    let progress = run;
    while (freeJobs > 0 && !isStopping() && performance.now() < until) {
      const page = await this.#checkPage(progress, freeJobs);
      freeJobs -= page.run.walk.started - progress.walk.started;
      progress = page.run;
      const written = page.isLast
        ? await this.#endWalk(current, progress, state)
        : await this.#write(current, { recovery: progress });
      // Another process wrote it too, and continues from there.
      if (written === current || written.recovery === null) return written;
      current = written;
      if (page.isLast) return current;
      await turn();
    }
    return current;
  }

  /**
   * Checks the next files, until `freeJobs` jobs were started. Returns the progress, and whether the walk is complete.
   */
  async #checkPage(run: IndexRecoveryRun, freeJobs: number): Promise<{ run: IndexRecoveryRun; isLast: boolean }> {
    const all = this.#registrar.app.records.collection(assetsDefinition, systemScope);
    const { walk } = run;
    const page = await all.pick(
      {
        filter: {},
        sort: [['_id', 1]],
        limit: this.#pageSize,
        ...(walk.after === null ? {} : { after: [walk.after] }),
      },
      ['_id', 'organizationId', 'activeRevision', 'facts.passages'],
    );
    const next = { ...walk };
    let checked = 0;
    for (; checked < page.length && next.started - walk.started < freeJobs; checked += 1) {
      const [assetId, organizationId, active, passages] = page[checked] ?? [];
      next.after = String(assetId);
      if (active === null) continue;
      next.looked += 1;
      if (passages === null || passages === 0) continue;
      const found: FileState = await recoverFile(
        this.#registrar,
        String(organizationId),
        String(assetId),
        run.reason === 'older',
      );
      if (found !== 'complete') next[found] += 1;
      if (found === 'unrecoverable' && next.unrecoverable <= maxNamed)
        this.#registrar.app.log.warn(
          { organizationId, assetId },
          'a file lacks passages in the index and cannot be recovered from what is kept: reindex it',
        );
    }
    const started = next.started - walk.started;
    return {
      run: { ...run, made: run.made + started, walk: next },
      isLast: page.length < this.#pageSize && checked === page.length,
    };
  }

  /** Ends a walk. Another one follows where files were missing, because their jobs may fail. */
  async #endWalk(document: IndexRecord, run: IndexRecoveryRun, state: IndexState): Promise<IndexRecord> {
    const { records, log } = this.#registrar.app;
    const { walk, made } = run;
    const now = records.time();
    if (walk.started > 0 || walk.underWay > 0) {
      return this.#write(document, {
        recovery: { ...run, walk: newWalk(walk.started > 0 ? now : now + betweenWalksMs, false) },
      });
    }
    const isIncomplete = walk.unrecoverable > 0;
    const ended = await this.#write(document, {
      identity: run.identity,
      changes: state.changes,
      recovery: null,
      unrecoverable: walk.unrecoverable,
      retryAt: isIncomplete ? now + retryMs : null,
    });
    if (ended === document) return ended;
    if (isIncomplete)
      log.warn(
        { files: walk.unrecoverable, made },
        'files lack passages in the index and cannot be recovered from what is kept: reindex them (POST .../assets/{assetId}/reindex)',
      );
    else if (made > 0) log.info({ made }, 'the passage index is recovered');
    return ended;
  }

  /** Writes the record unless another process has; answers the new record, or the given one where the write failed. */
  async #write(document: IndexRecord, set: Partial<Omit<IndexRecord, '_id' | 'version'>>): Promise<IndexRecord> {
    return (
      (await this.#documents.update('recovery', { version: document.version }, { set, increment: { version: 1 } })) ??
      document
    );
  }
}
