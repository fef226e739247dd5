import { setImmediate as turn } from 'node:timers/promises';
import type { IndexState } from '../../../adapters/passages/port.ts';
import type { Collection } from '../../../adapters/records/port.ts';
import { assets as assetsDefinition } from '../../../models/asset.ts';
import { indexRecords, type IndexMending, type IndexRecord } from '../../../models/passage-index.ts';
import { systemScope } from '../../../models/scope.ts';
import { embeddedAnewNow } from '../reembed.ts';
import type { Registrar } from '../registrar.ts';
import { mendFile, type FileState } from './files.ts';

/** Files that have a job of this kind at a time: those that customers register meanwhile have their turns between them. */
const underWayAtMost = 40;
/** Files looked at between two writes of how far the walk has come. */
const pageSize = 100;
/** How long one round goes on where there is room, in milliseconds. */
const longestRoundMs = 1000;
/** How long a walk waits for files whose job is their customers'. */
const betweenWalksMs = 60_000;
/** After how long files that could not be made anew are looked at once more. */
const againMs = 3_600_000;

/** Files that the log names in one walk. */
const mostNamed = 100;

type Walk = IndexMending['walk'];

function newWalk(notBefore: number, isFirst: boolean): Walk {
  return { notBefore, isFirst, after: null, looked: 0, started: 0, underWay: 0, unmended: 0 };
}

/**
 * Notices that the passage index is not the one that the records know, or an older copy of it, and has made anew what it
 * lacks. How far it has come is kept in the records: any process goes on where another one stopped, and a file that is
 * looked at twice is not made twice.
 */
export class IndexMender {
  readonly #registrar: Registrar;
  readonly #pageSize: number;

  constructor(registrar: Registrar, options: { pageSize?: number } = {}) {
    this.#registrar = registrar;
    this.#pageSize = options.pageSize ?? pageSize;
  }

  get #documents(): Collection<IndexRecord> {
    return this.#registrar.house.records.collection(indexRecords, systemScope);
  }

  /** Looks at the index and goes on with what is to be made anew. Answers what the records know now. */
  async round(isStopping: () => boolean = () => false): Promise<IndexRecord> {
    const { house } = this.#registrar;
    const state = await house.passages.state();
    const expected = await this.#expected(state);
    if (expected.mending === null) return expected;
    return this.#mend(expected, expected.mending, state, isStopping);
  }

  /** The document as it is to be with this index: a mending is begun where the two do not go together. */
  async #expected(state: IndexState): Promise<IndexRecord> {
    const documents = this.#documents;
    let known = await documents.get('index');
    if (known === null) {
      await documents.insertNew([{ _id: 'index', identity: '', changes: 0, mending: await this.#begun(state, 'unknown'), unmended: 0, again: null, version: 1 }]);
      known = await documents.get('index');
      if (known === null) throw new Error('the document about the passage index was not kept');
      return known;
    }
    const reason = this.#reasonFor(known, state);
    if (reason !== null) {
      const begun = await this.#write(known, { mending: await this.#begun(state, reason) });
      if (begun !== known && reason !== 'left') {
        this.#registrar.house.log.warn(
          { known: known.identity, found: state.identity, knownChanges: known.changes, foundChanges: state.changes },
          reason === 'other' ? 'the passage index is not the one that the records know: it was lost or exchanged. What it lacks is made anew from the kept texts; until then searches find only what is there' : 'the passage index is older than the records know it. What it lacks is made anew from the kept texts; until then searches find only what is there');
      }
      return begun;
    }
    return known.mending === null && state.changes > known.changes ? this.#write(known, { changes: state.changes }) : known;
  }

  #reasonFor({ identity, changes, mending, again }: IndexRecord, state: IndexState): IndexMending['reason'] | null {
    if (mending !== null) return mending.identity === state.identity ? null : 'other';
    if (identity !== state.identity) return 'other';
    if (state.changes < changes) return 'older';
    return again !== null && again <= this.#registrar.house.records.time() ? 'left' : null;
  }

  async #begun({ identity }: IndexState, reason: IndexMending['reason']): Promise<IndexMending> {
    const { records } = this.#registrar.house;
    const since = records.time();
    // Only what has an active revision says what it was embedded with.
    const total = await records.collection(assetsDefinition, systemScope).count({ embeddedWith: { $exists: true } });
    return { identity, reason, since, total, made: 0, walk: newWalk(since, true) };
  }

  async #mend(document: IndexRecord, mending: IndexMending, state: IndexState, isStopping: () => boolean): Promise<IndexRecord> {
    const { records } = this.#registrar.house;
    const until = performance.now() + longestRoundMs;
    let room = underWayAtMost - (await embeddedAnewNow(this.#registrar));
    const { walk } = mending;
    if (walk.after === null && (records.time() < walk.notBefore || (!walk.isFirst && room < underWayAtMost))) return document;
    let current = document;
    let at = mending;
    while (room > 0 && !isStopping() && performance.now() < until) {
      const page = await this.#page(at, room);
      room -= page.mending.walk.started - at.walk.started;
      at = page.mending;
      const written = page.isOver ? await this.#over(current, at, state) : await this.#write(current, { mending: at });
      // Another process writes it too: it goes on from there.
      if (written === current || written.mending === null) return written;
      current = written;
      if (page.isOver) return current;
      await turn();
    }
    return current;
  }

  /** Looks at the next files, until so many were given a job. Answers how far that brought it, and whether the walk is over. */
  async #page(mending: IndexMending, room: number): Promise<{ mending: IndexMending; isOver: boolean }> {
    const all = this.#registrar.house.records.collection(assetsDefinition, systemScope);
    const { walk } = mending;
    const page = await all.pick({ filter: {}, sort: [['_id', 1]], limit: this.#pageSize, ...(walk.after === null ? {} : { after: [walk.after] }) }, ['_id', 'organizationId', 'activeRevision', 'facts.passages']);
    const next = { ...walk };
    let place = 0;
    for (; place < page.length && next.started - walk.started < room; place += 1) {
      const [assetId, organizationId, active, passages] = page[place] ?? [];
      next.after = String(assetId);
      if (active === null) continue;
      next.looked += 1;
      if (passages === null || passages === 0) continue;
      const found: FileState = await mendFile(this.#registrar, String(organizationId), String(assetId), mending.reason === 'older');
      if (found !== 'whole') next[found] += 1;
      if (found === 'unmended' && next.unmended <= mostNamed) this.#registrar.house.log.warn({ organizationId, assetId }, 'a file lacks passages in the index and cannot be made anew from what is kept: reindex it');
    }
    const started = next.started - walk.started;
    return { mending: { ...mending, made: mending.made + started, walk: next }, isOver: page.length < this.#pageSize && place === page.length };
  }

  /** A walk has come to its end: another one follows as long as there was something to do in it. */
  async #over(document: IndexRecord, mending: IndexMending, state: IndexState): Promise<IndexRecord> {
    const { records, log } = this.#registrar.house;
    const { walk, made } = mending;
    const now = records.time();
    if (walk.started > 0 || walk.underWay > 0) {
      return this.#write(document, { mending: { ...mending, walk: newWalk(walk.started > 0 ? now : now + betweenWalksMs, false) } });
    }
    const isLeft = walk.unmended > 0;
    const ended = await this.#write(document, { identity: mending.identity, changes: state.changes, mending: null, unmended: walk.unmended, again: isLeft ? now + againMs : null });
    if (ended === document) return ended;
    if (isLeft) log.warn({ files: walk.unmended, made }, 'files lack passages in the index and cannot be made anew from what is kept: reindex them (POST .../assets/{assetId}/reindex)');
    else if (made > 0) log.info({ made }, 'the passage index has everything again that the records know');
    return ended;
  }

  /** Writes it if nobody else did; else answers it as it was given. */
  async #write(document: IndexRecord, set: Partial<Omit<IndexRecord, '_id' | 'version'>>): Promise<IndexRecord> {
    return (await this.#documents.update('index', { version: document.version }, { set, increment: { version: 1 } })) ?? document;
  }
}
