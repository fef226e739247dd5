import { defineCollection } from './collection.ts';

/**
 * A request with an Idempotency-Key. Its id is fixed by organization, method, route and key, so that the insert
 * under the id is the lock: of two at once one is refused.
 */
export interface IdempotencyRecord {
  _id: string;
  organizationId: string;
  /** SHA-256 of method, path and canonical body, lower-case hex. */
  fingerprint: string;
  /** `running` until its answer is kept; `done` with it. */
  state: 'running' | 'done';
  /** One higher with each take-over: a worker that was taken over keeps nothing. */
  token: number;
  /** Store time in milliseconds until which nobody else may take a running one over. */
  until: number;
  /** The process that its request came to; absent where an earlier version wrote it. */
  startedBy?: string;
  /** Handed to the action in every try, which derives the ids of what it makes from it. */
  workId: string;
  /** Of the kept answer. */
  status: number | null;
  body: string | null;
  /** Store time in milliseconds after which the key is free again. */
  expiresAt: number;
}

/** The requests with an Idempotency-Key of the last 24 hours. */
export const idempotencyRecords = defineCollection<IdempotencyRecord>({
  name: 'idempotency',
  owner: 'organization',
  indexes: [{ name: 'expiry', fields: ['expiresAt'] }],
});
