import type { Collection, Picked } from '../../../adapters/records/port.ts';
import { SourceError, type Source, type SourcePage } from '../../../adapters/sources/port.ts';
import type { Asset } from '../../../models/asset.ts';
import { kindOf } from '../../../models/formats.ts';
import { outcomeBy, sortKeyOf, type SyncCandidate } from '../../../models/sync.ts';
import { Applier, type ApplySync } from './applier.ts';
import { Candidates, type CandidateRows, type GoneFile, type Move, type NewFile } from './candidates.ts';
import type { SyncHandle } from './leased-sync.ts';
import { LibraryWalk, type LibraryFile } from './library-walk.ts';
import { boundedGaps, type Progress, type SyncState } from './progress.ts';
import { retryFilters } from './waiting.ts';
import { desiredState } from './desired-state.ts';

/** The source listed nothing although the library has files: it is listed once more later. Callers check `name`. */
export class ListedNothing extends Error {
  constructor() {
    super('the source listed nothing');
    this.name = 'ListedNothing';
  }
}

/** What a sync needs. */
export interface SyncWork {
  source: Source;
  apply: ApplySync;
  assets: Pick<Collection<Asset>, 'pick'>;
  candidates: CandidateRows;
  /** Receives each state from which the sync can continue. */
  onProgress(state: SyncState): void;
  stepSizes?: StepSizes;
}

/** The sizes of a sync's steps. Tests use small ones. */
export interface StepSizes {
  /** Pages of the source between two checkpoints. */
  checkpointPages: number;
  /** Files of the library that are read, or processed as missing, at a time. */
  libraryFiles: number;
  /** Candidates for moves that are read at a time. */
  candidates: number;
}

const defaultStepSizes: StepSizes = { checkpointPages: 10, libraryFiles: 1000, candidates: 200 };
/** Maximum milliseconds between two checkpoints. */
const checkpointMs = 5000;

/**
 * Synchronizes the library with a source, starting at a saved state. Both are read in the same order and compared file
 * by file, so only a page of each is in memory. Unchanged files cost no write.
 * @throws SourceError, LeaseLost, ListedNothing, StoreUnavailable, what the registrar throws, and the signal's reason
 */
export class SyncRunner {
  readonly #work: SyncWork;
  readonly #handle: SyncHandle;
  readonly #progress: Progress;
  readonly #applier: Applier;
  readonly #candidates: Candidates;
  readonly #desiredState: ReturnType<typeof desiredState>;
  #gone: LibraryFile[] = [];
  #fresh: NewFile[] = [];
  #pagesSinceSave = 0;
  readonly #steps: StepSizes;
  #savedAt = performance.now();

  constructor(work: SyncWork, handle: SyncHandle, progress: Progress) {
    this.#work = work;
    this.#handle = handle;
    this.#progress = progress;
    this.#applier = new Applier(work.apply, handle, progress);
    this.#candidates = new Candidates(work.candidates, work.assets, handle);
    this.#desiredState = desiredState(handle.connector);
    this.#steps = work.stepSizes ?? defaultStepSizes;
  }

  /** Runs the remaining phases. */
  async run(): Promise<void> {
    const { checkpoint } = this.#progress;
    if (checkpoint.phase !== 'moving') {
      // Candidates after the checkpoint are found again, in their present state.
      await this.#candidates.clear(checkpoint.comparedTo);
      const walk = new LibraryWalk(
        this.#work.assets,
        this.#handle.connector._id,
        checkpoint.comparedTo,
        this.#steps.libraryFiles,
      );
      if (checkpoint.phase === 'listing') await this.#list(walk);
      await this.#processRemaining(walk);
    }
    await this.#decideMoves();
    await this.#retryWaiting();
    await this.#candidates.clear();
  }

  async #list(walk: LibraryWalk): Promise<void> {
    const { checkpoint } = this.#progress;
    let ahead = this.#request(checkpoint.cursor);
    for (;;) {
      const page = await ahead;
      // The next page is requested while this one is compared.
      const next = page.next === null ? null : (ahead = this.#request(page.next));
      await this.#comparePage(page, walk);
      checkpoint.cursor = page.next;
      if (next === null) break;
      await this.#saveProgress(false);
    }
    if (checkpoint.listed === 0 && !checkpoint.emptyOnce && (await this.#hasFiles(walk))) {
      this.#progress.restart();
      await this.#saveProgress(true);
      throw new ListedNothing();
    }
    checkpoint.phase = 'remaining';
    await this.#saveProgress(true);
  }

  /** Requests a page. An error is thrown where the page is awaited. */
  #request(cursor: string | null): Promise<SourcePage> {
    this.#handle.signal.throwIfAborted();
    const page = this.#work.source.list(cursor, this.#handle.signal);
    page.catch(() => undefined);
    return page;
  }

  async #comparePage(page: SourcePage, walk: LibraryWalk): Promise<void> {
    const { checkpoint } = this.#progress;
    for (const { prefix, errorCode } of page.gaps) {
      checkpoint.gaps.push(sortKeyOf(prefix));
      this.#progress.fail(prefix, errorCode);
    }
    for (const entry of page.entries) {
      const sortKey = sortKeyOf(entry.externalId);
      if (checkpoint.comparedTo !== null && sortKey <= checkpoint.comparedTo) {
        if (sortKey === checkpoint.comparedTo) continue;
        throw new SourceError(
          'refused',
          'The source does not list its files in the order of their names, so they cannot be compared with the library.',
        );
      }
      checkpoint.comparedTo = sortKey;
      checkpoint.listed += 1;
      let known = walk.peek();
      while (known !== null && (known === undefined || known.place < sortKey)) {
        if (known === undefined) await walk.fill();
        else await this.#addGone(known, walk);
        known = walk.peek();
      }
      // Files whose names are not indexed are ignored.
      if (kindOf(entry.filename) === null) continue;
      const desired = this.#desiredState(entry);
      if (known?.place !== sortKey) {
        this.#fresh.push(desired);
        continue;
      }
      walk.advance();
      if (known.mark === desired.marks.mark && !known.isMissing)
        this.#progress.count(outcomeBy(this.#handle.syncId, known.by) ?? 'unchanged');
      else await this.#applier.add({ change: 'present', ...desired });
    }
    await this.#processGone();
    await this.#processFresh();
    await this.#applier.flush();
    const passed = checkpoint.comparedTo;
    checkpoint.gaps = boundedGaps(
      checkpoint.gaps.filter((gap) => passed === null || gap > passed || passed.startsWith(gap)),
    );
  }

  /** Processes new files. Those with the content of a known file are deferred until the whole source is listed. */
  async #processFresh(): Promise<void> {
    const fresh = this.#fresh;
    this.#fresh = [];
    const contents = new Set(fresh.flatMap(({ file }) => file.contentId ?? []));
    const known = await this.#candidates.knownContents([...contents]);
    const mayBeMoved = ({ file }: NewFile): boolean => file.contentId !== null && known.has(file.contentId);
    await this.#candidates.defer(fresh.filter(mayBeMoved), []);
    for (const each of fresh) if (!mayBeMoved(each)) await this.#applier.add({ change: 'present', ...each });
  }

  /** Processes files that were not listed. Those with a content are deferred until the whole source is listed. */
  async #processGone(): Promise<void> {
    const { syncId } = this.#handle;
    const gone: LibraryFile[] = [];
    for (const file of this.#gone) {
      if (this.#progress.checkpoint.gaps.some((gap) => file.place.startsWith(gap))) continue;
      if (!file.isMissing) gone.push(file);
      else if (outcomeBy(syncId, file.by) === 'removed') this.#progress.count('removed');
    }
    this.#gone = [];
    if (gone.length === 0) return;
    const rows = await this.#work.assets.pick(
      { filter: { _id: { $in: gone.map(({ assetId }) => assetId) } }, limit: gone.length },
      ['_id', 'externalKey', 'synced.contentId'],
    );
    const later: GoneFile[] = [];
    for (const [id, key, contentId] of rows) {
      if (typeof id !== 'string' || typeof key !== 'string') continue;
      if (typeof contentId === 'string') later.push({ assetId: id, externalId: key, contentId });
      else await this.#applier.add({ change: 'missing', assetId: id, externalId: key });
    }
    await this.#candidates.defer([], later);
  }

  async #hasFiles(walk: LibraryWalk): Promise<boolean> {
    for (;;) {
      const known = walk.peek();
      if (known === undefined) await walk.fill();
      else if (known === null || !known.isMissing) return known !== null;
      else await this.#addGone(known, walk);
    }
  }

  /** Collects a file that the source did not list, and processes the collected files when there are enough. */
  async #addGone(known: LibraryFile, walk: LibraryWalk): Promise<void> {
    this.#gone.push(known);
    walk.advance();
    if (this.#gone.length >= this.#steps.libraryFiles) await this.#processGone();
  }

  async #processRemaining(walk: LibraryWalk): Promise<void> {
    const { checkpoint } = this.#progress;
    for (let known = walk.peek(); known !== null; known = walk.peek()) {
      if (known === undefined) {
        await walk.fill();
        continue;
      }
      await this.#addGone(known, walk);
      if (this.#gone.length > 0) continue;
      checkpoint.comparedTo = known.place;
      await this.#applier.flush();
      await this.#saveProgress(false);
    }
    await this.#processGone();
    await this.#applier.flush();
    Object.assign(checkpoint, { phase: 'moving', comparedTo: null, gaps: [] });
    await this.#saveProgress(true);
  }

  async #decideMoves(): Promise<void> {
    const { checkpoint } = this.#progress;
    let content: string | null = null;
    let move: Move = null;
    for (;;) {
      const page = await this.#candidates.page(checkpoint.comparedTo, this.#steps.candidates);
      for (const candidate of page) {
        if (candidate.contentId !== content) {
          content = candidate.contentId;
          move = await this.#candidates.moveOf(candidate);
        }
        await this.#decide(candidate, move);
      }
      await this.#applier.flush();
      const last = page.at(-1);
      if (last === undefined) return this.#saveProgress(true);
      checkpoint.comparedTo = last._id;
      await this.#saveProgress(false);
    }
  }

  async #decide({ fate }: SyncCandidate, move: Move): Promise<void> {
    if (fate.kind === 'n') {
      const { file, marks } = fate;
      await this.#applier.add(
        move === null ? { change: 'present', file, marks } : { change: 'moved', ...move, file, marks },
      );
    } else if (move?.assetId !== fate.assetId) {
      await this.#applier.add({ change: 'missing', assetId: fate.assetId, externalId: fate.externalId });
    }
  }

  /**
   * Retries the files whose jobs wait for access or failed for a reason outside the file: the source has just been
   * readable.
   */
  async #retryWaiting(): Promise<void> {
    const { connector } = this.#handle;
    const limit = this.#steps.libraryFiles;
    for (const filter of connector.sync === null ? [] : retryFilters(connector._id, connector.sync)) {
      for (let after: [string | number, string] | undefined, isLast = false; !isLast;) {
        const page: Picked[] = await this.#work.assets.pick(
          {
            filter,
            sort: [
              ['createdAt', 1],
              ['_id', 1],
            ],
            limit,
            ...(after === undefined ? {} : { after }),
          },
          ['createdAt', '_id', 'externalId'],
        );
        for (const [, assetId, externalId] of page)
          await this.#applier.add({ change: 'waiting', assetId: String(assetId), externalId: String(externalId) });
        await this.#applier.flush();
        const last = page.at(-1);
        isLast = last === undefined || page.length < limit;
        if (last !== undefined) after = [Number(last[0]), String(last[1])];
      }
    }
  }

  /** Reports the progress, and saves it after some pages or seconds, or at once for a milestone. */
  async #saveProgress(isMilestone: boolean): Promise<void> {
    this.#handle.signal.throwIfAborted();
    this.#work.onProgress(structuredClone(this.#progress.state));
    this.#pagesSinceSave += 1;
    if (
      !isMilestone &&
      this.#pagesSinceSave < this.#steps.checkpointPages &&
      performance.now() - this.#savedAt < checkpointMs
    )
      return;
    await this.#handle.save(this.#progress.state);
    this.#pagesSinceSave = 0;
    this.#savedAt = performance.now();
  }
}
