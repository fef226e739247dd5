import { LRUCache } from 'lru-cache';
import type { AppContext } from '../../../mixins/app-context.ts';
import { accounts } from '../../../models/organization.ts';
import { systemScope } from '../../../models/scope.ts';

/** Milliseconds that an account's time zone is cached, and accounts in the cache. */
const [ttl, max] = [10_000, 10_000];

/** Time zones of accounts. */
export interface TimeZones {
  /** The IANA name; UTC for an unknown account. @throws StoreUnavailable */
  ofAccount(accountId: string): Promise<string>;
}

/** Reads the time zones of accounts, each at most once in ten seconds. */
export function timeZones({ records }: Pick<AppContext, 'records'>): TimeZones {
  const cache = new LRUCache<string, string>({ max, ttl });
  return {
    async ofAccount(accountId) {
      const cached = cache.get(accountId);
      if (cached !== undefined) return cached;
      const account = await records.collection(accounts, systemScope).get(accountId);
      const timeZone = account?.timeZone ?? 'UTC';
      cache.set(accountId, timeZone);
      return timeZone;
    },
  };
}
