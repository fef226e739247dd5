import type { Change, Collection, Filter } from '../../../adapters/records/port.ts';
import type { Connector } from '../../../models/connector.ts';
import type { SyncState } from './progress.ts';

/** The pause between two syncs that storage events ask for, in milliseconds: what follows of a burst is waited for in any case. */
const leastPause = 2000;
const longestPause = 900_000;

/** The sync is not this process's any more: its connector was deleted or changed, or another process has taken it over. Decide by `name`. */
export class SyncLost extends Error {
  constructor() {
    super('the sync was ended, or taken over');
    this.name = 'SyncLost';
  }
}

/** What leases are measured with. */
export interface LeaseTerms {
  leaseMs: number;
  /** The store's time, in milliseconds. */
  time(): number;
}

/** How a sync ended. */
export interface SyncEnd {
  at: number;
  /** Null: well. */
  error: string | null;
}

/** A held sync as its work sees it. */
export interface SyncHold {
  readonly connector: Connector;
  readonly syncId: string;
  readonly token: number;
  /** Aborted when the sync is lost, or the process stops. */
  readonly signal: AbortSignal;
  /** Writes down how far it is. @throws SyncLost, StoreUnavailable */
  save(state: SyncState): Promise<void>;
}

/** A sync in the hands of this process. Every write is conditional on its token, so it changes nothing once another has it. */
export class HeldSync implements SyncHold {
  readonly connector: Connector;
  readonly syncId: string;
  readonly token: number;
  /** Aborted when the sync is lost, or the process stops. */
  readonly signal: AbortSignal;
  readonly #collection: Collection<Connector>;
  readonly #terms: LeaseTerms;
  readonly #abort = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #renewedAt = performance.now();
  #underWay: Promise<void> | null = null;

  /** @param connector as it was claimed, with its sync */
  constructor(collection: Collection<Connector>, connector: Connector, terms: LeaseTerms) {
    if (connector.sync === null) throw new Error('a connector without a sync cannot be held');
    this.connector = connector;
    this.syncId = connector.sync.syncId;
    this.token = connector.sync.token;
    this.#collection = collection;
    this.#terms = terms;
    this.signal = this.#abort.signal;
    this.#timer = setInterval(() => {
      this.#underWay ??= this.#renew().finally(() => (this.#underWay = null));
    }, terms.leaseMs / 3);
  }

  /** The process stops: work is called off, and the sync given back by whoever does it. */
  callOff(reason: Error): void {
    this.#abort.abort(reason);
  }

  /** Writes down how far it is. @throws SyncLost, StoreUnavailable */
  async save(state: SyncState): Promise<void> {
    const until = this.#terms.time() + this.#terms.leaseMs;
    await this.#write({}, { set: { ...fieldsOf(state), 'sync.until': until, 'sync.putOff': 0, syncDue: until } });
    this.#renewedAt = performance.now();
  }

  /**
   * Gives the sync back: it goes on in so many milliseconds, here or elsewhere.
   * @param failure why it could not go on, which the connector tells meanwhile; null where nothing failed
   * @throws SyncLost, StoreUnavailable
   */
  async putOff(state: SyncState, delayMs: number, failure: string | null): Promise<void> {
    const until = this.#terms.time() + delayMs;
    const set = { ...fieldsOf(state), 'sync.owner': null, 'sync.until': until, syncDue: until };
    await this.#write({}, failure === null ? { set } : { set: { ...set, lastError: failure }, increment: { 'sync.putOff': 1 } });
  }

  /**
   * Ends the sync. One that was asked for meanwhile is due at once; where storage events alone asked for it, after as long a pause
   * as this one took: events that never cease must not have a large source listed without end.
   * @throws SyncLost, StoreUnavailable
   */
  async finish({ summary, failures }: SyncState, { at, error }: SyncEnd): Promise<void> {
    for (;;) {
      const connector = await this.#collection.get(this.connector._id);
      if (connector === null || connector.sync?.syncId !== this.syncId || connector.sync.token !== this.token) throw new SyncLost();
      const { requestedAt, isFromEvents } = connector;
      const pause = isFromEvents === true ? Math.min(longestPause, Math.max(leastPause, at - connector.sync.startedAt)) : 0;
      const result = error === null ? { lastSummary: summary, failures, lastSuccessAt: at } : {};
      const change: Change = {
        set: { sync: null, lastRunAt: at, lastError: error, ...result, ...(requestedAt === null ? {} : { syncDue: this.#terms.time() + pause }) },
        ...(requestedAt === null ? { unset: ['syncDue'] } : {}),
      };
      if ((await this.#collection.update(connector._id, { ...this.#mine, requestedAt, isFromEvents: isFromEvents ?? null }, change)) !== null) return;
    }
  }

  /** Stops renewing the lease. */
  async end(): Promise<void> {
    clearInterval(this.#timer);
    await this.#underWay;
  }

  get #mine(): Filter {
    return { 'sync.syncId': this.syncId, 'sync.token': this.token };
  }

  async #write(filter: Filter, change: Change): Promise<void> {
    if ((await this.#collection.update(this.connector._id, { ...this.#mine, ...filter }, change)) === null) throw new SyncLost();
  }

  async #renew(): Promise<void> {
    const until = this.#terms.time() + this.#terms.leaseMs;
    try {
      // One that was given back is nobody's to renew.
      await this.#write({ 'sync.owner': this.connector.sync?.owner ?? null }, { set: { 'sync.until': until, syncDue: until } });
      this.#renewedAt = performance.now();
    } catch (error) {
      // A store that is away is asked again until the lease has run out.
      const isLost = error instanceof SyncLost || performance.now() - this.#renewedAt > this.#terms.leaseMs;
      if (isLost) this.#abort.abort(new SyncLost());
    }
  }
}

function fieldsOf({ checkpoint, summary, failures }: SyncState): NonNullable<Change['set']> {
  return { 'sync.checkpoint': checkpoint, 'sync.summary': summary, 'sync.failures': failures };
}
