import { parentPort, workerData } from 'node:worker_threads';
import { SourceError, type Source, type SourceClient } from '../../../../adapters/sources/port.ts';
import { guardedClient } from '../../../../mixins/guarded-client/client.ts';
import { systemAmbient } from '../../../../models/ambient.ts';
import type { OpenSource } from '../../read-address.ts';
import { compare } from '../compare.ts';
import type { SyncHold } from '../held-sync.ts';
import { errorOf, faultOf, type Errands, type FromThread, type SyncTask, type ThreadSetup, type ToThread } from './messages.ts';

// The thread in which sources are listed and compared with the library, within a heap of its own.
if (parentPort === null) throw new Error('syncs run as a worker thread');
const setup = workerData as ThreadSetup;
const { openConnectorSource } = (await import(setup.sources)) as { openConnectorSource: OpenSource };

/** A sync's way to the main thread. */
class Home {
  readonly signal: AbortSignal;
  readonly #port: SyncTask['port'];
  readonly #abort = new AbortController();
  readonly #waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  #last = 0;

  constructor(port: SyncTask['port']) {
    this.#port = port;
    this.signal = this.#abort.signal;
    port.on('message', (message: ToThread) => this.#take(message));
  }

  send(message: FromThread): void {
    this.#port.postMessage(message);
  }

  ask<N extends keyof Errands>(name: N, ...given: Parameters<Errands[N]>): ReturnType<Errands[N]> {
    const answer = new Promise<unknown>((resolve, reject) => {
      this.#last += 1;
      this.#waiting.set(this.#last, { resolve, reject });
      this.send({ kind: 'errand', id: this.#last, name, given });
    });
    // The other side answers with what the errand of this name gives.
    return answer as ReturnType<Errands[N]>;
  }

  close(): void {
    this.#port.close();
  }

  #take(message: ToThread): void {
    if (message.kind === 'abort') {
      this.#abort.abort(errorOf(message.fault));
      return;
    }
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.kind === 'answer') waiting?.resolve(message.value);
    else waiting?.reject(errorOf(message.fault));
  }
}

/** A client whose every request the main thread has allowed: what the organization may ask stands in the records. */
function permittedClient(client: SourceClient, home: Home): SourceClient {
  return {
    request: async (address, options) => {
      const refusal = await home.ask('permit', String(address));
      if (refusal !== null) throw new SourceError('refused', refusal);
      return client.request(address, options);
    },
  };
}

async function carryOut(task: SyncTask): Promise<void> {
  const { connector, credential, syncId, token, from } = task;
  const home = new Home(task.port);
  const client = guardedClient({ privateNetworks: setup.privateNetworks });
  const held: SyncHold = { connector, syncId, token, signal: home.signal, save: (state) => home.ask('save', state) };
  const open = (): Promise<Source> => openConnectorSource({ source: connector.source, credential, client: permittedClient(client, home), ambient: systemAmbient });
  try {
    const state = await compare(open, () => systemAmbient.now(), held, from, {
      apply: (batch) => home.ask('apply', batch),
      assets: { pick: (query, paths) => home.ask('pickAssets', query, paths) },
      candidates: {
        insertNew: (rows) => home.ask('insertCandidates', rows),
        find: (query) => home.ask('findCandidates', query),
        removeMany: (filter, limit) => home.ask('removeCandidates', filter, limit),
      },
      reached: (reached) => void home.ask('reached', reached),
    });
    home.send({ kind: 'done', state });
  } catch (error) {
    home.send({ kind: 'failed', fault: faultOf(error) });
  } finally {
    await client.close();
    home.close();
  }
}

parentPort.on('message', (task: SyncTask) => void carryOut(task));
