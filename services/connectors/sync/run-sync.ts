import type { Collection, Picked } from '../../../adapters/records/port.ts';
import { SourceError, type Source, type SourcePage } from '../../../adapters/sources/port.ts';
import type { Asset } from '../../../models/asset.ts';
import { kindOf } from '../../../models/formats.ts';
import { outcomeBy, placeOf, type SyncCandidate } from '../../../models/sync.ts';
import { Applier, type ApplySync } from './applier.ts';
import { Candidates, type CandidateRows, type GoneFile, type Move, type NewFile } from './candidates.ts';
import type { SyncHold } from './held-sync.ts';
import { LibraryWalk, type LibraryFile } from './library-walk.ts';
import type { Progress, SyncState } from './progress.ts';
import { triedAgain } from './waiting.ts';
import { wishesOf } from './wish.ts';

/** The source has listed nothing at all, where the library has files: it is asked once more, later. Decide by `name`. */
export class ListedNothing extends Error {
  constructor() {
    super('the source listed nothing');
    this.name = 'ListedNothing';
  }
}

/** What a sync works with. */
export interface SyncWork {
  source: Source;
  apply: ApplySync;
  assets: Pick<Collection<Asset>, 'pick'>;
  candidates: CandidateRows;
  /** Hears of each state from which the sync can go on. */
  reached(state: SyncState): void;
  pace?: Pace;
}

/** How much is done at a time; tests take small steps. */
export interface Pace {
  /** Pages of the source between two checkpoints. */
  checkpointPages: number;
  /** Files of the library that are read, or found gone, at a time. */
  libraryFiles: number;
  /** Candidates for moves that are read at a time. */
  candidates: number;
}

const usualPace: Pace = { checkpointPages: 10, libraryFiles: 1000, candidates: 200 };
/** Milliseconds after which a checkpoint is written in any case. */
const checkpointMs = 5000;

/**
 * Brings the library into step with a source, from where the progress stands. Both are walked through in the same order and
 * compared file by file, so memory holds a page of each; what is unchanged costs no write.
 * @throws SourceError, SyncLost, ListedNothing, StoreUnavailable, what the registrar throws, and what aborts the signal
 */
export class SyncRunner {
  readonly #work: SyncWork;
  readonly #held: SyncHold;
  readonly #progress: Progress;
  readonly #applier: Applier;
  readonly #candidates: Candidates;
  readonly #wishOf: ReturnType<typeof wishesOf>;
  #gone: LibraryFile[] = [];
  #fresh: NewFile[] = [];
  #pagesSinceSave = 0;
  readonly #pace: Pace;
  #savedAt = performance.now();

  constructor(work: SyncWork, held: SyncHold, progress: Progress) {
    this.#work = work;
    this.#held = held;
    this.#progress = progress;
    this.#applier = new Applier(work.apply, held, progress);
    this.#candidates = new Candidates(work.candidates, work.assets, held);
    this.#wishOf = wishesOf(held.connector);
    this.#pace = work.pace ?? usualPace;
  }

  /** Runs all phases that are not done. */
  async run(): Promise<void> {
    const { checkpoint } = this.#progress;
    if (checkpoint.phase !== 'moving') {
      // What was put off behind the checkpoint is found again, as it is now.
      await this.#candidates.clear(checkpoint.comparedTo);
      const walk = new LibraryWalk(this.#work.assets, this.#held.connector._id, checkpoint.comparedTo, this.#pace.libraryFiles);
      if (checkpoint.phase === 'listing') await this.#list(walk);
      await this.#takeRemaining(walk);
    }
    await this.#decideMoves();
    await this.#tryWaiting();
    await this.#candidates.clear();
  }

  async #list(walk: LibraryWalk): Promise<void> {
    const { checkpoint } = this.#progress;
    let ahead = this.#ask(checkpoint.cursor);
    for (;;) {
      const page = await ahead;
      // The next page travels while this one is compared.
      const next = page.next === null ? null : (ahead = this.#ask(page.next));
      await this.#comparePage(page, walk);
      checkpoint.cursor = page.next;
      if (next === null) break;
      await this.#settled(false);
    }
    if (checkpoint.listed === 0 && !checkpoint.emptyOnce && (await this.#hasFiles(walk))) {
      this.#progress.restart();
      await this.#settled(true);
      throw new ListedNothing();
    }
    checkpoint.phase = 'remaining';
    await this.#settled(true);
  }

  /** Asks for a page; a refusal is heard when the page is awaited. */
  #ask(cursor: string | null): Promise<SourcePage> {
    this.#held.signal.throwIfAborted();
    const page = this.#work.source.list(cursor, this.#held.signal);
    page.catch(() => undefined);
    return page;
  }

  async #comparePage(page: SourcePage, walk: LibraryWalk): Promise<void> {
    const { checkpoint } = this.#progress;
    for (const { prefix, errorCode } of page.gaps) {
      checkpoint.gaps.push(placeOf(prefix));
      this.#progress.fail(prefix, errorCode);
    }
    for (const entry of page.entries) {
      const place = placeOf(entry.externalId);
      if (checkpoint.comparedTo !== null && place <= checkpoint.comparedTo) {
        if (place === checkpoint.comparedTo) continue;
        throw new SourceError('refused', 'The source does not list its files in the order of their names, so they cannot be compared with the library.');
      }
      checkpoint.comparedTo = place;
      checkpoint.listed += 1;
      let known = walk.peek();
      while (known !== null && (known === undefined || known.place < place)) {
        if (known === undefined) await walk.fill();
        else await this.#leave(known, walk);
        known = walk.peek();
      }
      // What is not indexed by its name is as if it were not there.
      if (kindOf(entry.filename) === null) continue;
      const wish = this.#wishOf(entry);
      if (known?.place !== place) {
        this.#fresh.push(wish);
        continue;
      }
      walk.advance();
      if (known.mark === wish.marks.mark && !known.isMissing) this.#progress.count(outcomeBy(this.#held.syncId, known.by) ?? 'unchanged');
      else await this.#applier.add({ change: 'present', ...wish });
    }
    await this.#takeGone();
    await this.#takeFresh();
    await this.#applier.flush();
    const passed = checkpoint.comparedTo;
    if (passed !== null) checkpoint.gaps = checkpoint.gaps.filter((gap) => gap > passed || passed.startsWith(gap));
  }

  /** New files: those with the content of a known one wait until all is listed. */
  async #takeFresh(): Promise<void> {
    const fresh = this.#fresh;
    this.#fresh = [];
    const contents = new Set(fresh.flatMap(({ file }) => file.contentId ?? []));
    const known = await this.#candidates.knownContents([...contents]);
    const mayBeMoved = ({ file }: NewFile): boolean => file.contentId !== null && known.has(file.contentId);
    await this.#candidates.putOff(fresh.filter(mayBeMoved), []);
    for (const each of fresh) if (!mayBeMoved(each)) await this.#applier.add({ change: 'present', ...each });
  }

  /** Files of the library that were not listed: those with a content wait until all is listed. */
  async #takeGone(): Promise<void> {
    const { syncId } = this.#held;
    const gone: LibraryFile[] = [];
    for (const file of this.#gone) {
      if (this.#progress.checkpoint.gaps.some((gap) => file.place.startsWith(gap))) continue;
      if (!file.isMissing) gone.push(file);
      else if (outcomeBy(syncId, file.by) === 'removed') this.#progress.count('removed');
    }
    this.#gone = [];
    if (gone.length === 0) return;
    const rows = await this.#work.assets.pick({ filter: { _id: { $in: gone.map(({ assetId }) => assetId) } }, limit: gone.length }, ['_id', 'externalKey', 'synced.contentId']);
    const later: GoneFile[] = [];
    for (const [id, key, contentId] of rows) {
      if (typeof id !== 'string' || typeof key !== 'string') continue;
      if (typeof contentId === 'string') later.push({ assetId: id, externalId: key, contentId });
      else await this.#applier.add({ change: 'missing', assetId: id, externalId: key });
    }
    await this.#candidates.putOff([], later);
  }

  async #hasFiles(walk: LibraryWalk): Promise<boolean> {
    for (;;) {
      const known = walk.peek();
      if (known === undefined) await walk.fill();
      else if (known === null || !known.isMissing) return known !== null;
      else await this.#leave(known, walk);
    }
  }

  /** A file of the library that the source did not list: it is taken with others, a bounded number of them. */
  async #leave(known: LibraryFile, walk: LibraryWalk): Promise<void> {
    this.#gone.push(known);
    walk.advance();
    if (this.#gone.length >= this.#pace.libraryFiles) await this.#takeGone();
  }

  async #takeRemaining(walk: LibraryWalk): Promise<void> {
    const { checkpoint } = this.#progress;
    for (let known = walk.peek(); known !== null; known = walk.peek()) {
      if (known === undefined) {
        await walk.fill();
        continue;
      }
      await this.#leave(known, walk);
      if (this.#gone.length > 0) continue;
      checkpoint.comparedTo = known.place;
      await this.#applier.flush();
      await this.#settled(false);
    }
    await this.#takeGone();
    await this.#applier.flush();
    Object.assign(checkpoint, { phase: 'moving', comparedTo: null, gaps: [] });
    await this.#settled(true);
  }

  async #decideMoves(): Promise<void> {
    const { checkpoint } = this.#progress;
    let content: string | null = null;
    let move: Move = null;
    for (;;) {
      const page = await this.#candidates.page(checkpoint.comparedTo, this.#pace.candidates);
      for (const candidate of page) {
        if (candidate.contentId !== content) {
          content = candidate.contentId;
          move = await this.#candidates.moveOf(candidate);
        }
        await this.#decide(candidate, move);
      }
      await this.#applier.flush();
      const last = page.at(-1);
      if (last === undefined) return this.#settled(true);
      checkpoint.comparedTo = last._id;
      await this.#settled(false);
    }
  }

  async #decide({ fate }: SyncCandidate, move: Move): Promise<void> {
    if (fate.kind === 'n') {
      const { file, marks } = fate;
      await this.#applier.add(move === null ? { change: 'present', file, marks } : { change: 'moved', ...move, file, marks });
    } else if (move?.assetId !== fate.assetId) {
      await this.#applier.add({ change: 'missing', assetId: fate.assetId, externalId: fate.externalId });
    }
  }

  /** The source has just been read: files of it whose jobs wait for access, or failed as others would have, are tried once more. */
  async #tryWaiting(): Promise<void> {
    const { connector } = this.#held;
    const limit = this.#pace.libraryFiles;
    for (const filter of connector.sync === null ? [] : triedAgain(connector._id, connector.sync)) {
      for (let after: [string | number, string] | undefined, isLast = false; !isLast; ) {
        const page: Picked[] = await this.#work.assets.pick({ filter, sort: [['createdAt', 1], ['_id', 1]], limit, ...(after === undefined ? {} : { after }) }, ['createdAt', '_id', 'externalId']);
        for (const [, assetId, externalId] of page) await this.#applier.add({ change: 'waiting', assetId: String(assetId), externalId: String(externalId) });
        await this.#applier.flush();
        const last = page.at(-1);
        isLast = last === undefined || page.length < limit;
        if (last !== undefined) after = [Number(last[0]), String(last[1])];
      }
    }
  }

  /** Everything up to here is done; it is written down now and then, or at once. */
  async #settled(isMilestone: boolean): Promise<void> {
    this.#held.signal.throwIfAborted();
    this.#work.reached(structuredClone(this.#progress.state));
    this.#pagesSinceSave += 1;
    if (!isMilestone && this.#pagesSinceSave < this.#pace.checkpointPages && performance.now() - this.#savedAt < checkpointMs) return;
    await this.#held.save(this.#progress.state);
    this.#pagesSinceSave = 0;
    this.#savedAt = performance.now();
  }
}
