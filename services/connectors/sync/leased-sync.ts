import type { Logger } from 'pino';
import type { Change, Collection, Filter } from '../../../adapters/records/port.ts';
import type { Connector } from '../../../models/connector.ts';
import { underLease, type FieldValues, type LeaseFields } from '../../../models/lease.ts';
import { keepLease, LeaseLost, type KeptLease } from '../../../mixins/work/lease.ts';
import type { SyncState } from './progress.ts';

/** The pause between two syncs that storage events request, in milliseconds: the events of a burst share one sync. */
const minPause = 2000;
const maxPause = 900_000;

const extended = (until: number): FieldValues => ({ 'sync.until': until, syncDue: until });

/** Where a connector's document stores the lease of its sync. */
export const syncLease: LeaseFields<Connector> = {
  token: 'sync.token',
  read: ({ sync }) => ({ token: sync?.token ?? null, until: sync?.until ?? null }),
  write: ({ token, owner, until }) => ({ 'sync.token': token, 'sync.owner': owner, ...extended(until) }),
};

/** Duration, clock and log of sync leases. */
export interface LeaseTerms {
  leaseMs: number;
  /** The store's time, in milliseconds. */
  time(): number;
  log: Pick<Logger, 'info' | 'warn'>;
}

/** The end of a sync. */
export interface SyncEnd {
  at: number;
  /** Null: the sync succeeded. */
  error: string | null;
}

/** A leased sync, as the code that compares the source with the library sees it. */
export interface SyncHandle {
  readonly connector: Connector;
  readonly syncId: string;
  readonly token: number;
  /** Aborted when the lease is lost, or the process stops. */
  readonly signal: AbortSignal;
  /** Saves the progress. @throws LeaseLost, StoreUnavailable */
  save(state: SyncState): Promise<void>;
}

/** A sync that this process has leased. Every write is conditional on the lease's token. */
export class LeasedSync implements SyncHandle {
  readonly connector: Connector;
  readonly syncId: string;
  readonly token: number;
  readonly #collection: Collection<Connector>;
  readonly #terms: LeaseTerms;
  readonly #stopping = new AbortController();
  readonly #lease: KeptLease;

  /** @param connector as it was claimed, with its sync */
  constructor(collection: Collection<Connector>, connector: Connector, terms: LeaseTerms) {
    const { sync } = connector;
    if (sync === null) throw new Error('a connector without a sync cannot be leased');
    this.connector = connector;
    this.syncId = sync.syncId;
    this.token = sync.token;
    this.#collection = collection;
    this.#terms = terms;
    this.#lease = keepLease({
      durationMs: terms.leaseMs,
      stopping: this.#stopping.signal,
      log: terms.log,
      renew: async () => {
        // A sync that was released has another owner: its lease is not renewed.
        const filter = { ...this.#leased, 'sync.owner': sync.owner };
        return (await collection.update(connector._id, filter, { set: extended(this.#until) })) !== null;
      },
    });
  }

  get signal(): AbortSignal {
    return this.#lease.signal;
  }

  /** Aborts the sync because the process stops; it is then released. */
  abort(reason: Error): void {
    this.#stopping.abort(reason);
  }

  /** Saves the progress. @throws LeaseLost, StoreUnavailable */
  async save(state: SyncState): Promise<void> {
    await this.#write({ set: { ...fieldsOf(state), ...extended(this.#until), 'sync.putOff': 0 } });
    this.#lease.extended();
  }

  /**
   * Releases the sync. This or another process continues it after `delayMs`.
   * @param failure why the sync could not continue, shown as the connector's `lastError` meanwhile; null where nothing
   * failed
   * @throws LeaseLost, StoreUnavailable
   */
  async postpone(state: SyncState, delayMs: number, failure: string | null): Promise<void> {
    const until = this.#terms.time() + delayMs;
    const set = { ...fieldsOf(state), 'sync.owner': null, ...extended(until) };
    await this.#write(
      failure === null ? { set } : { set: { ...set, lastError: failure }, increment: { 'sync.putOff': 1 } },
    );
  }

  /**
   * Ends the sync. A sync that was requested meanwhile is due at once. Where only storage events requested it, it is
   * due after a pause as long as this sync took: frequent events must not list a large source without a pause.
   * @throws LeaseLost, StoreUnavailable
   */
  async finish({ summary, failures }: SyncState, { at, error }: SyncEnd): Promise<void> {
    for (;;) {
      const connector = await this.#collection.get(this.connector._id);
      if (connector === null || connector.sync?.syncId !== this.syncId || connector.sync.token !== this.token)
        throw new LeaseLost();
      const { requestedAt, isFromEvents } = connector;
      const pause = isFromEvents === true ? Math.min(maxPause, Math.max(minPause, at - connector.sync.startedAt)) : 0;
      const result = error === null ? { lastSummary: summary, failures, lastSuccessAt: at } : {};
      const change: Change = {
        set: {
          sync: null,
          lastRunAt: at,
          lastError: error,
          ...result,
          ...(requestedAt === null ? {} : { syncDue: this.#terms.time() + pause }),
        },
        ...(requestedAt === null ? { unset: ['syncDue'] } : {}),
      };
      if (
        (await this.#collection.update(
          connector._id,
          { ...this.#leased, requestedAt, isFromEvents: isFromEvents ?? null },
          change,
        )) !== null
      )
        return;
    }
  }

  /** Stops renewing the lease. */
  end(): Promise<void> {
    return this.#lease.end();
  }

  get #leased(): Filter {
    return { 'sync.syncId': this.syncId, ...underLease(syncLease, this) };
  }

  get #until(): number {
    return this.#terms.time() + this.#terms.leaseMs;
  }

  async #write(change: Change): Promise<void> {
    if ((await this.#collection.update(this.connector._id, this.#leased, change)) === null) throw new LeaseLost();
  }
}

function fieldsOf({ checkpoint, summary, failures }: SyncState): NonNullable<Change['set']> {
  return { 'sync.checkpoint': checkpoint, 'sync.summary': summary, 'sync.failures': failures };
}
