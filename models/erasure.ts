import { defineCollection } from './collection.ts';

/**
 * That an account is being erased, and how far it is. It holds ids alone, no names. While the account's content is there,
 * `until` is absent; when all is gone it says how long the ids are still looked for, because a process that was cut off may
 * come back and write something late.
 */
export interface Erasure {
  /** The account's id, or the id of one of its organizations. */
  _id: string;
  accountId: string;
  kind: 'account' | 'organization';
  /** Whether the account's usage events stay. */
  keepUsage: boolean;
  /** Milliseconds. */
  startedAt: number;
  /** Store time from which a process looks at it. */
  due: number;
  /** Store time at which it goes itself; absent before everything is gone. */
  until?: number;
}

/** Accounts that are being erased or were erased lately. */
export const erasures = defineCollection<Erasure>({
  name: 'erasures',
  owner: 'deployment',
  indexes: [{ name: 'due', fields: ['due', '_id'] }],
});
