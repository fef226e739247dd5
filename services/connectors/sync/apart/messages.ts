import type { MessagePort } from 'node:worker_threads';
import type { Picked, Query, Filter } from '../../../../adapters/records/port.ts';
import type { PrivateNetworks } from '../../../../mixins/guarded-client/addresses.ts';
import type { Connector } from '../../../../models/connector.ts';
import type { SyncAnswer, SyncBatch, SyncCandidate } from '../../../../models/sync.ts';
import type { SyncState } from '../progress.ts';

/** What the thread is started with. */
export interface ThreadSetup {
  /** Address of the module that opens sources. */
  sources: string;
  privateNetworks: PrivateNetworks;
}

/** A sync to be carried out in the thread; it has a port of its own. */
export interface SyncTask {
  port: MessagePort;
  /** As it was claimed, without its sealed credential. */
  connector: Connector;
  /** The opened credential. */
  credential: string;
  syncId: string;
  token: number;
  from: SyncState;
}

/** What the thread asks of the main thread, which has the records, the registrar and the lease. */
export interface Errands {
  /** Whether the host of an address may be asked now: null, or why it may not. */
  permit(address: string): Promise<string | null>;
  apply(batch: SyncBatch): Promise<SyncAnswer>;
  pickAssets(query: Query, paths: readonly string[]): Promise<Picked[]>;
  insertCandidates(rows: readonly SyncCandidate[]): Promise<string[]>;
  findCandidates(query: Query): Promise<SyncCandidate[]>;
  removeCandidates(filter: Filter, limit: number): Promise<number>;
  save(state: SyncState): Promise<void>;
  reached(state: SyncState): Promise<void>;
}

/** An error as it crosses between threads, which keep no names of their own classes. */
export interface Fault {
  name: string;
  message: string;
  /** Of a SourceError. */
  reason: string | null;
  stack: string | null;
}

/** From the thread. */
export type FromThread =
  | { kind: 'errand'; id: number; name: keyof Errands; given: readonly unknown[] }
  | { kind: 'done'; state: SyncState }
  | { kind: 'failed'; fault: Fault };

/** To the thread. */
export type ToThread =
  | { kind: 'answer'; id: number; value: unknown }
  | { kind: 'fault'; id: number; fault: Fault }
  | { kind: 'abort'; fault: Fault };

/** An error in the form in which it crosses. */
export function faultOf(error: unknown): Fault {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error), reason: null, stack: null };
  return { name: error.name, message: error.message, reason: 'reason' in error && typeof error.reason === 'string' ? error.reason : null, stack: error.stack ?? null };
}

/** An error that crossed: its name, message and reason are those that it had. */
export function errorOf({ name, message, reason, stack }: Fault): Error {
  const error = Object.assign(new Error(message), reason === null ? { name } : { name, reason });
  if (stack !== null) error.stack = stack;
  return error;
}
