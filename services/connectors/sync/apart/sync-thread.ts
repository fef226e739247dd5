import { AsyncResource } from 'node:async_hooks';
import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads';
import type { Connector } from '../../../../models/connector.ts';
import type { Compare, CompareWork } from '../compare.ts';
import type { SyncHold } from '../held-sync.ts';
import type { SyncState } from '../progress.ts';
import { errorOf, faultOf, type Errands, type FromThread, type SyncTask, type ThreadSetup, type ToThread } from './messages.ts';

/** What syncs in a thread need of the main thread besides their work. */
export interface ThreadTools extends ThreadSetup {
  /** @throws SourceError `credential` where the stored one does not open */
  credentialOf(connector: Connector): string;
  /** Whether the host of an address may be asked for an organization now: null, or why it may not. @throws StoreUnavailable */
  permit(organizationId: string, address: string): Promise<string | null>;
  /** How long a sync that was called off may take to end, in milliseconds; ten seconds where left out. */
  endMs?: number;
}

/** Carries syncs out beside the event loop. */
export interface SyncThread {
  compare: Compare;
  /** Ends the thread; syncs under way are rejected. */
  close(): Promise<void>;
}

/**
 * The heap of the thread, in MB. What a listing leaves behind is garbage at once, and V8 lets it lie as long as its heap may
 * grow: in a small one it is cleared away, whatever the size of the source. Four syncs hold some pages each.
 */
const heap = { maxYoungGenerationSizeMb: 6, maxOldGenerationSizeMb: 224 };
/** A thread without syncs is kept for the next one, in milliseconds. */
const idleMs = 30_000;

interface Running {
  worker: Worker;
  under: Set<(error: Error) => void>;
  idle: NodeJS.Timeout | null;
}

/** Makes a thread for syncs. It is started with the first sync, and again after it ended by itself. */
export function syncThread({ credentialOf, permit, endMs = 10_000, ...setup }: ThreadTools): SyncThread {
  let running: Running | null = null;

  const start = (): Running => {
    const worker = new Worker(new URL('./thread.ts', import.meta.url), { workerData: setup, resourceLimits: heap });
    const started: Running = { worker, under: new Set(), idle: null };
    const ended = (cause: unknown): void => {
      if (running === started) running = null;
      for (const reject of started.under) reject(new Error('the thread of syncs has ended', { cause }));
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
  const rest = (resting: Running): void => {
    if (resting.under.size > 0) return;
    resting.worker.unref();
    resting.idle = setTimeout(() => void end(resting), idleMs).unref();
  };

  return {
    compare: (held, from, work) => {
      const { sealedCredential: _sealed, ...connector } = held.connector;
      const credential = credentialOf(held.connector);
      const used = (running ??= start());
      if (used.idle !== null) clearTimeout(used.idle);
      used.idle = null;
      used.worker.ref();
      const { port1: port, port2 } = new MessageChannel();
      const task: SyncTask = { port: port2, connector: { ...connector, sealedCredential: null }, credential, syncId: held.syncId, token: held.token, from };
      let settled = (): unknown => undefined;
      return new Promise<SyncState>((resolve, reject) => {
        used.under.add(reject);
        attend(port, errandsOf(held, work, permit), { resolve, reject });
        const callOff = (): void => {
          port.postMessage({ kind: 'abort', fault: faultOf(held.signal.reason) } satisfies ToThread);
          // One that hears nothing any more takes its neighbours along: they go on from their checkpoints.
          setTimeout(() => used.under.has(reject) && void end(used), endMs).unref();
        };
        held.signal.addEventListener('abort', callOff, { once: true });
        used.worker.postMessage(task, [port2]);
        if (held.signal.aborted) callOff();
        settled = () => used.under.delete(reject);
      }).finally(() => {
        settled();
        port.close();
        rest(used);
      });
    },
    async close() {
      if (running !== null) await end(running);
    },
  };
}

function errandsOf(held: SyncHold, work: CompareWork, permit: ThreadTools['permit']): Errands {
  return {
    permit: (address) => permit(held.connector.organizationId, address),
    apply: (batch) => work.apply(batch),
    pickAssets: (query, paths) => work.assets.pick(query, paths),
    insertCandidates: (rows) => work.candidates.insertNew(rows),
    findCandidates: (query) => work.candidates.find(query),
    removeCandidates: (filter, limit) => work.candidates.removeMany(filter, limit),
    save: (state) => held.save(state),
    reached: async (state) => work.reached(state),
  };
}

/** Does a sync's errands, in the context of whoever began it, until it has ended. */
function attend(port: MessagePort, errands: Errands, { resolve, reject }: { resolve(state: SyncState): void; reject(error: Error): void }): void {
  const answer = (message: ToThread): void => port.postMessage(message);
  port.on('message', AsyncResource.bind((message: FromThread) => {
    if (message.kind === 'done') return resolve(message.state);
    if (message.kind === 'failed') return reject(errorOf(message.fault));
    const { id, name, given } = message;
    // The thread's `ask` has given what the errand of this name takes.
    const errand = errands[name] as (...all: readonly unknown[]) => Promise<unknown>;
    errand(...given).then((value) => answer({ kind: 'answer', id, value }), (error: unknown) => answer({ kind: 'fault', id, fault: faultOf(error) }));
  }));
}
