import type { House } from '../../../mixins/house.ts';
import { accounts } from '../../../models/organization.ts';
import { systemScope } from '../../../models/scope.ts';

/** Milliseconds for which an account's time zone is believed. */
const believed = 10_000;
/** Accounts remembered at a time. */
const mostRemembered = 10_000;

/** Time zones of accounts. */
export interface TimeZones {
  /** The IANA name; UTC where the account is not known. @throws StoreUnavailable */
  ofAccount(accountId: string): Promise<string>;
}

/** Reads accounts' time zones, each at most once in ten seconds. */
export function timeZones({ records, ambient }: Pick<House, 'records' | 'ambient'>): TimeZones {
  const remembered = new Map<string, { at: number; timeZone: string }>();
  return {
    async ofAccount(accountId) {
      const now = ambient.now();
      const there = remembered.get(accountId);
      if (there !== undefined && now >= there.at && now - there.at < believed) return there.timeZone;
      const account = await records.collection(accounts, systemScope).get(accountId);
      const timeZone = account?.timeZone ?? 'UTC';
      if (remembered.size >= mostRemembered) remembered.clear();
      remembered.set(accountId, { at: now, timeZone });
      return timeZone;
    },
  };
}
