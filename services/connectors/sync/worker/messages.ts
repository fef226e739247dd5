import type { MessagePort } from 'node:worker_threads';
import type { Picked, Query, Filter } from '../../../../adapters/records/port.ts';
import type { PrivateNetworks } from '../../../../mixins/guarded-client/addresses.ts';
import type { Connector } from '../../../../models/connector.ts';
import type { SyncAnswer, SyncBatch, SyncCandidate } from '../../../../models/sync.ts';
import type { SyncState } from '../progress.ts';

/** What the thread is started with. */
export interface ThreadSetup {
  /** URL of the module that opens sources. */
  sources: string;
  privateNetworks: PrivateNetworks;
}

/** A sync to run in the thread, with its own message port. */
export interface SyncTask {
  port: MessagePort;
  /** The claimed connector, without its sealed credential. */
  connector: Connector;
  /** The decrypted credential. */
  credential: string;
  syncId: string;
  token: number;
  from: SyncState;
}

/** The calls from the thread to the main thread, which has the records, the registrar and the lease. */
export interface MainThreadCalls {
  /** Whether the host of an address may be requested now: null, or why it may not. */
  permit(address: string): Promise<string | null>;
  apply(batch: SyncBatch): Promise<SyncAnswer>;
  pickAssets(query: Query, paths: readonly string[]): Promise<Picked[]>;
  insertCandidates(rows: readonly SyncCandidate[]): Promise<string[]>;
  findCandidates(query: Query): Promise<SyncCandidate[]>;
  removeCandidates(filter: Filter, limit: number): Promise<number>;
  save(state: SyncState): Promise<void>;
  reached(state: SyncState): Promise<void>;
}

/** An error in a message between threads: structured cloning loses the name and the fields of error classes. */
export interface ErrorMessage {
  name: string;
  message: string;
  /** The reason of a SourceError. */
  reason: string | null;
  stack: string | null;
}

/** Messages from the thread. */
export type FromThread =
  | { kind: 'call'; id: number; name: keyof MainThreadCalls; args: readonly unknown[] }
  | { kind: 'done'; state: SyncState }
  | { kind: 'failed'; error: ErrorMessage };

/** Messages to the thread. */
export type ToThread =
  | { kind: 'answer'; id: number; value: unknown }
  | { kind: 'error'; id: number; error: ErrorMessage }
  | { kind: 'abort'; error: ErrorMessage };

/** Serializes an error for a message. */
export function errorMessageOf(error: unknown): ErrorMessage {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error), reason: null, stack: null };
  return {
    name: error.name,
    message: error.message,
    reason: 'reason' in error && typeof error.reason === 'string' ? error.reason : null,
    stack: error.stack ?? null,
  };
}

/** Restores an error with its name, message and reason. */
export function errorOf({ name, message, reason, stack }: ErrorMessage): Error {
  const error = Object.assign(new Error(message), reason === null ? { name } : { name, reason });
  if (stack !== null) error.stack = stack;
  return error;
}
