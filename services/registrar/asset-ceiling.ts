import type { AppContext } from '../../mixins/app-context.ts';
import type { Collection } from '../../adapters/records/port.ts';
import { assets, type Asset } from '../../models/asset.ts';
import { Refusal, refusalOf, type ErrorCode } from '../../models/errors.ts';
import { accounts, organizations } from '../../models/organization.ts';
import { systemScope } from '../../models/scope.ts';

type Context = Pick<AppContext, 'records'>;

/** Organizations that are counted at a time. */
const organizationsAtOnce = 500;
/** Milliseconds for which a count of an account with much room is used again. */
const countedMs = 5000;
/** Part of the room that this process may fill on one count, so that several processes together stay below the ceiling. */
const shareOfRoom = 0.02;

/** The room that was left to this process by an earlier count. */
interface Room {
  until: number;
  left: number;
}

/**
 * The ceiling of an account's assets (`maxAssets` of its plan). Far from the ceiling an account is counted once in a while;
 * near it before each new asset, one after another.
 */
export class AssetCeiling {
  readonly #app: Context;
  readonly #now: () => number;
  readonly #rooms = new Map<string, Room>();
  readonly #waiting = new Map<string, Promise<unknown>>();

  /** @param now milliseconds of a monotonic clock */
  constructor(app: Context, now: () => number) {
    this.#app = app;
    this.#now = now;
  }

  /**
   * Runs an insert of so many new assets of an account.
   * @throws Refusal `plan_limit_reached` instead, if they would exceed the ceiling; what the insert throws
   */
  async within<T>(accountId: string, count: number, insert: () => Promise<T>): Promise<T> {
    const account = await this.#app.records.collection(accounts, systemScope).get(accountId);
    const ceiling = account?.limits?.maxAssets;
    if (ceiling === undefined || count === 0) return insert();
    if (this.#takeRoom(accountId, count)) return insert();
    const before = this.#waiting.get(accountId) ?? Promise.resolve();
    const turn = before.then(async () => {
      const left = ceiling - (await this.#present(accountId));
      if (left < count)
        throw new Refusal('plan_limit_reached', { detail: `The account's plan includes ${ceiling} assets.` });
      this.#rooms.set(accountId, { until: this.#now() + countedMs, left: Math.floor((left - count) * shareOfRoom) });
      return insert();
    });
    const settled = turn.catch(() => undefined);
    this.#waiting.set(accountId, settled);
    try {
      return await turn;
    } finally {
      if (this.#waiting.get(accountId) === settled) this.#waiting.delete(accountId);
    }
  }

  /**
   * Inserts new assets with one write, or one by one where the account has not room for all. Returns the ids of those that
   * were inserted.
   * @param refused gets the code of each that has no place
   */
  async insertNew(
    collection: Collection<Asset>,
    accountId: string,
    fresh: readonly Asset[],
    refused: Map<string, ErrorCode>,
  ): Promise<string[]> {
    const insert = (some: readonly Asset[]): Promise<string[]> =>
      this.within(accountId, some.length, () => collection.insertNew(some));
    try {
      return await insert(fresh);
    } catch (error) {
      if (refusalOf(error) === null) throw error;
    }
    const inserted: string[] = [];
    for (const asset of fresh) {
      try {
        inserted.push(...(await insert([asset])));
      } catch (error) {
        const refusal = refusalOf(error);
        if (refusal === null) throw error;
        refused.set(asset._id, refusal.type);
      }
    }
    return inserted;
  }

  #takeRoom(accountId: string, count: number): boolean {
    const room = this.#rooms.get(accountId);
    if (room === undefined) return false;
    if (room.until > this.#now() && room.left >= count) {
      room.left -= count;
      return true;
    }
    this.#rooms.delete(accountId);
    return false;
  }

  /** Assets of all organizations of the account that are not deleted. */
  async #present(accountId: string): Promise<number> {
    const all = this.#app.records.collection(organizations, systemScope);
    let present = 0;
    for (let after: (string | number)[] | null = null; ;) {
      const page: { _id: string; createdAt: number }[] = await all.find({
        filter: { accountId },
        sort: [
          ['createdAt', 1],
          ['_id', 1],
        ],
        limit: organizationsAtOnce,
        ...(after === null ? {} : { after }),
      });
      if (page.length > 0)
        present += await this.#app.records
          .collection(assets, systemScope)
          .count({ organizationId: { $in: page.map(({ _id }) => _id) }, deletedAt: null });
      const last = page.at(-1);
      if (last === undefined || page.length < organizationsAtOnce) return present;
      after = [last.createdAt, last._id];
    }
  }
}
