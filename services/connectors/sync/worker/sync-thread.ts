import { AsyncResource } from 'node:async_hooks';
import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads';
import type { Connector } from '../../../../models/connector.ts';
import type { Compare, CompareWork } from '../compare.ts';
import type { SyncHandle } from '../leased-sync.ts';
import type { SyncState } from '../progress.ts';
import {
  errorOf,
  errorMessageOf,
  type MainThreadCalls,
  type FromThread,
  type SyncTask,
  type ThreadSetup,
  type ToThread,
} from './messages.ts';

/** What syncs in the thread need from the main thread. */
export interface ThreadTools extends ThreadSetup {
  /** @throws SourceError `credential` where the stored one cannot be decrypted */
  credentialOf(connector: Connector): string;
  /**
   * Whether the host of an address may be requested for an organization now: null, or why it may not. @throws
   * StoreUnavailable
   */
  permit(organizationId: string, address: string): Promise<string | null>;
  /** Milliseconds that an aborted sync may take to end before the thread is terminated; 10,000 by default. */
  endMs?: number;
}

/** Runs syncs in a worker thread, so that they do not block the event loop. */
export interface SyncThread {
  compare: Compare;
  /** Terminates the thread; its running syncs are rejected. */
  close(): Promise<void>;
}

/**
 * The heap limits of the thread, in MB. A listing produces much garbage, which V8 does not collect while the heap may
 * still grow. A small heap bounds the memory of a sync of any size: four syncs need a few pages each.
 */
const heap = { maxYoungGenerationSizeMb: 6, maxOldGenerationSizeMb: 224 };
/** Milliseconds that a thread without syncs is kept for the next one. */
const idleMs = 30_000;

interface Running {
  worker: Worker;
  active: Set<(error: Error) => void>;
  idle: NodeJS.Timeout | null;
}

/** Creates the thread for syncs. It starts with the first sync, and again when it has ended. */
export function syncThread({ credentialOf, permit, endMs = 10_000, ...setup }: ThreadTools): SyncThread {
  let running: Running | null = null;

  const start = (): Running => {
    const worker = new Worker(new URL('./thread.ts', import.meta.url), { workerData: setup, resourceLimits: heap });
    const started: Running = { worker, active: new Set(), idle: null };
    const ended = (cause: unknown): void => {
      if (running === started) running = null;
      for (const reject of started.active) reject(new Error('the sync thread has ended', { cause }));
    };
    worker.on('error', ended);
    worker.on('exit', ended);
    return started;
  };
  const end = async (ending: Running): Promise<void> => {
    if (running === ending) running = null;
    if (ending.idle !== null) clearTimeout(ending.idle);
    await ending.worker.terminate();
  };
  const releaseIdle = (unused: Running): void => {
    if (unused.active.size > 0) return;
    unused.worker.unref();
    unused.idle = setTimeout(() => void end(unused), idleMs).unref();
  };

  return {
    compare: (handle, from, work) => {
      const { sealedCredential: _sealed, ...connector } = handle.connector;
      const credential = credentialOf(handle.connector);
      const used = (running ??= start());
      if (used.idle !== null) clearTimeout(used.idle);
      used.idle = null;
      used.worker.ref();
      const { port1: port, port2 } = new MessageChannel();
      const task: SyncTask = {
        port: port2,
        connector: { ...connector, sealedCredential: null },
        credential,
        syncId: handle.syncId,
        token: handle.token,
        from,
      };
      let settled = (): unknown => undefined;
      return new Promise<SyncState>((resolve, reject) => {
        used.active.add(reject);
        serveCalls(port, mainThreadCalls(handle, work, permit), { resolve, reject });
        const abort = (): void => {
          port.postMessage({ kind: 'abort', error: errorMessageOf(handle.signal.reason) } satisfies ToThread);
          // A blocked sync cannot be stopped alone: the whole thread is terminated, and its other syncs continue later
          // from their checkpoints.
          setTimeout(() => used.active.has(reject) && void end(used), endMs).unref();
        };
        handle.signal.addEventListener('abort', abort, { once: true });
        used.worker.postMessage(task, [port2]);
        if (handle.signal.aborted) abort();
        settled = () => used.active.delete(reject);
      }).finally(() => {
        settled();
        port.close();
        releaseIdle(used);
      });
    },
    async close() {
      if (running !== null) await end(running);
    },
  };
}

function mainThreadCalls(handle: SyncHandle, work: CompareWork, permit: ThreadTools['permit']): MainThreadCalls {
  return {
    permit: (address) => permit(handle.connector.organizationId, address),
    apply: (batch) => work.apply(batch),
    pickAssets: (query, paths) => work.assets.pick(query, paths),
    insertCandidates: (rows) => work.candidates.insertNew(rows),
    findCandidates: (query) => work.candidates.find(query),
    removeCandidates: (filter, limit) => work.candidates.removeMany(filter, limit),
    save: (state) => handle.save(state),
    reached: async (state) => work.onProgress(state),
  };
}

/** Serves the calls of a sync until it has ended, in the async context in which the sync was started. */
function serveCalls(
  port: MessagePort,
  calls: MainThreadCalls,
  { resolve, reject }: { resolve(state: SyncState): void; reject(error: Error): void },
): void {
  const answer = (message: ToThread): void => port.postMessage(message);
  port.on(
    'message',
    AsyncResource.bind((message: FromThread) => {
      if (message.kind === 'done') return resolve(message.state);
      if (message.kind === 'failed') return reject(errorOf(message.error));
      const { id, name, args } = message;
      // The thread's `call` has checked the types of these arguments.
      const method = calls[name] as (...all: readonly unknown[]) => Promise<unknown>;
      method(...args).then(
        (value) => answer({ kind: 'answer', id, value }),
        (error: unknown) => answer({ kind: 'error', id, error: errorMessageOf(error) }),
      );
    }),
  );
}
