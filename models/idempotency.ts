import { defineCollection } from './collection.ts';

/**
 * A request with an Idempotency-Key. Its id derives from organization, method, route and key, so that the insert is the
 * lock: of two concurrent requests one is refused.
 */
export interface IdempotencyRecord {
  _id: string;
  organizationId: string;
  /** SHA-256 of method, path and canonical body, lower-case hex. */
  fingerprint: string;
  /** `done` once its answer is stored. */
  state: 'running' | 'done';
  /** Incremented by each takeover: a process that lost the request stores nothing. */
  token: number;
  /** Store time in milliseconds before which no other process takes over a running request. */
  until: number;
  /** The process that received the request; absent in documents of earlier versions. */
  startedBy?: string;
  /** Passed to the action in every attempt, which derives the ids of new records from it. */
  workId: string;
  /** Of the stored answer. */
  status: number | null;
  body: string | null;
  /**
   * In place of `body` where the answer shows a secret: sealed for `keptAnswerContext`. Absent in documents of earlier
   * versions.
   */
  sealedBody?: string | null;
  /** Store time in milliseconds after which the key is free again. */
  expiresAt: number;
}

/** The context that an answer with a secret is sealed for. */
export function keptAnswerContext(recordId: string): string {
  return `idempotency:${recordId}:answer`;
}

/** The requests with an Idempotency-Key of the last 24 hours. */
export const idempotencyRecords = defineCollection<IdempotencyRecord>({
  name: 'idempotency',
  owner: 'organization',
  indexes: [{ name: 'expiry', fields: ['expiresAt'] }],
});
