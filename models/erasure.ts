import { defineCollection } from './collection.ts';

/**
 * The progress of an account's erasure. It holds ids only, no names. `until` is absent until the content is removed.
 * From then on it is the time until which the ids are still checked, because a disconnected process may return and
 * write late.
 */
export interface Erasure {
  /** The account's id, or the id of one of its organizations. */
  _id: string;
  accountId: string;
  kind: 'account' | 'organization';
  /** Whether the account's usage events are kept. */
  keepUsage: boolean;
  /** Milliseconds. */
  startedAt: number;
  /** Store time at which it is due. */
  due: number;
  /** Store time at which this document is removed; absent until the content is removed. */
  until?: number;
}

/** Accounts that are being erased or were erased recently. */
export const erasures = defineCollection<Erasure>({
  name: 'erasures',
  owner: 'deployment',
  indexes: [{ name: 'due', fields: ['due', '_id'] }],
});
