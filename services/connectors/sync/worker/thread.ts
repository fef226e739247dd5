import { parentPort, workerData } from 'node:worker_threads';
import { SourceError, type Source, type SourceClient } from '../../../../adapters/sources/port.ts';
import { guardedClient } from '../../../../mixins/guarded-client/client.ts';
import { systemRuntime } from '../../../../models/runtime.ts';
import type { OpenSource } from '../../read-address.ts';
import { compare } from '../compare.ts';
import type { SyncHandle } from '../leased-sync.ts';
import {
  errorOf,
  errorMessageOf,
  type MainThreadCalls,
  type FromThread,
  type SyncTask,
  type ThreadSetup,
  type ToThread,
} from './messages.ts';

// The thread in which sources are listed and compared with the library, within a heap of its own.
if (parentPort === null) throw new Error('syncs run as a worker thread');
const setup = workerData as ThreadSetup;
const { openConnectorSource } = (await import(setup.sources)) as { openConnectorSource: OpenSource };

/** The connection of one sync to the main thread. */
class MainThread {
  readonly signal: AbortSignal;
  readonly #port: SyncTask['port'];
  readonly #abort = new AbortController();
  readonly #pending = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  #last = 0;

  constructor(port: SyncTask['port']) {
    this.#port = port;
    this.signal = this.#abort.signal;
    port.on('message', (message: ToThread) => this.#take(message));
  }

  send(message: FromThread): void {
    this.#port.postMessage(message);
  }

  call<N extends keyof MainThreadCalls>(
    name: N,
    ...args: Parameters<MainThreadCalls[N]>
  ): ReturnType<MainThreadCalls[N]> {
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#last += 1;
      this.#pending.set(this.#last, { resolve, reject });
      this.send({ kind: 'call', id: this.#last, name, args });
    });
    // The main thread answers with the result type of the method of this name.
    return answer as ReturnType<MainThreadCalls[N]>;
  }

  close(): void {
    this.#port.close();
  }

  #take(message: ToThread): void {
    if (message.kind === 'abort') {
      this.#abort.abort(errorOf(message.error));
      return;
    }
    const pending = this.#pending.get(message.id);
    this.#pending.delete(message.id);
    if (message.kind === 'answer') pending?.resolve(message.value);
    else pending?.reject(errorOf(message.error));
  }
}

/** A client that asks the main thread before each request whether the host is allowed: the rules are in the records. */
function permittedClient(client: SourceClient, mainThread: MainThread): SourceClient {
  return {
    request: async (address, options) => {
      const refusal = await mainThread.call('permit', String(address));
      if (refusal !== null) throw new SourceError('refused', refusal);
      return client.request(address, options);
    },
  };
}

async function runTask(task: SyncTask): Promise<void> {
  const { connector, credential, syncId, token, from } = task;
  const mainThread = new MainThread(task.port);
  const client = guardedClient({ privateNetworks: setup.privateNetworks });
  const handle: SyncHandle = {
    connector,
    syncId,
    token,
    signal: mainThread.signal,
    save: (state) => mainThread.call('save', state),
  };
  const open = (): Promise<Source> =>
    openConnectorSource({
      source: connector.source,
      credential,
      client: permittedClient(client, mainThread),
      runtime: systemRuntime,
    });
  try {
    const state = await compare(open, () => systemRuntime.now(), handle, from, {
      apply: (batch) => mainThread.call('apply', batch),
      assets: { pick: (query, paths) => mainThread.call('pickAssets', query, paths) },
      candidates: {
        insertNew: (rows) => mainThread.call('insertCandidates', rows),
        find: (query) => mainThread.call('findCandidates', query),
        removeMany: (filter, limit) => mainThread.call('removeCandidates', filter, limit),
      },
      onProgress: (reached) => void mainThread.call('reached', reached),
    });
    mainThread.send({ kind: 'done', state });
  } catch (error) {
    mainThread.send({ kind: 'failed', error: errorMessageOf(error) });
  } finally {
    await client.close();
    mainThread.close();
  }
}

parentPort.on('message', (task: SyncTask) => void runTask(task));
