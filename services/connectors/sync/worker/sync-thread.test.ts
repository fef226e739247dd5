import type { SyncBatch } from '../../../../models/sync.ts';
import type { Connector } from '../../../../models/connector.ts';
import type { CompareWork } from '../compare.ts';
import type { SyncHandle } from '../leased-sync.ts';
import { freshState, type SyncState } from '../progress.ts';
import { syncThread } from './sync-thread.ts';

const asked: string[] = [];
let heard = (): void => undefined;
const thread = syncThread({
  sources: new URL('./testing/sources.ts', import.meta.url).href,
  privateNetworks: 'deny',
  endMs: 200,
  credentialOf: ({ _id }) => `opened of ${_id}`,
  permit: async (organizationId, address) => {
    asked.push(`${organizationId} ${address}`);
    setImmediate(heard);
    return 'elsewhere.example is not among the hosts';
  },
});
afterAll(() => thread.close());

function connectorOf(way: string): Connector {
  return {
    _id: 'connector',
    organizationId: 'organization',
    accountId: 'account',
    name: 'c',
    source: { kind: 'canvas', config: { baseUrl: `https://made.example/${way}` } },
    sealedCredential: 'sealed',
    schedule: 'manual',
    enabled: true,
    defaultAclMode: 'open',
    extractContentFromVideoFrames: null,
    requestedAt: null,
    sync: null,
    lastRunAt: null,
    lastError: null,
    lastSummary: null,
    failures: [],
    createdAt: 0,
    updatedAt: 0,
    version: 1,
  };
}

interface Running {
  end: Promise<SyncState>;
  abort: AbortController;
  batches: SyncBatch[];
  states: SyncState[];
}

function run(kind: string, more: Partial<CompareWork> = {}): Running {
  const abort = new AbortController();
  const [batches, states]: [SyncBatch[], SyncState[]] = [[], []];
  const handle: SyncHandle = {
    connector: connectorOf(kind),
    syncId: 'sync',
    token: 3,
    signal: abort.signal,
    save: async (state) => void states.push(state),
  };
  const work: CompareWork = {
    apply: async (batch) => {
      batches.push(batch);
      return {
        outcomes: batch.changes.map((change) => ({
          externalId: 'file' in change ? change.file.externalId : '',
          outcome: 'new',
          code: null,
        })),
      };
    },
    assets: { pick: async () => [] },
    candidates: { insertNew: async () => [], find: async () => [], removeMany: async () => 0 },
    onProgress: (state) => void states.push(state),
    ...more,
  };
  return { end: thread.compare(handle, freshState(), work), abort, batches, states };
}

describe('a sync in a thread', () => {
  it('applies its changes on the main thread, and reports its progress', async () => {
    const { end, batches, states } = run('lists/1200');
    expect((await end).summary).toEqual({ ...freshState().summary, new: 1200 });
    expect(batches.map(({ syncId, token, connectorId }) => [syncId, token, connectorId])).toEqual(
      Array(batches.length).fill(['sync', 3, 'connector']),
    );
    expect(batches.flatMap(({ changes }) => changes)).toHaveLength(1200);
    expect(states.at(-1)?.checkpoint).toMatchObject({ phase: 'moving' });
  });

  it("fails with the name and the reason of its source's failure", async () => {
    await expect(run('refuses').end).rejects.toMatchObject({
      name: 'SourceError',
      reason: 'credential',
      message: 'the credential was opened of connector',
    });
  });

  it('fails with the error of a call to the main thread', async () => {
    const away = Object.assign(new Error('the store does not answer'), { name: 'StoreUnavailable' });
    await expect(run('lists/10', { apply: () => Promise.reject(away) }).end).rejects.toMatchObject({
      name: 'StoreUnavailable',
    });
    await expect(run('lists/10', { apply: async () => ({ outcomes: null }) }).end).rejects.toMatchObject({
      name: 'LeaseLost',
    });
  });

  it('sends no request to a host that the main thread does not allow', async () => {
    await expect(run('asks').end).rejects.toMatchObject({
      name: 'SourceError',
      reason: 'refused',
      message: 'elsewhere.example is not among the hosts',
    });
    expect(asked).toEqual(['organization https://elsewhere.example/']);
  });

  it('ends when it is aborted, also a blocked one', async () => {
    const waiting = run('waits');
    waiting.abort.abort(new Error('the process stops'));
    await expect(waiting.end).rejects.toThrow('the process stops');
    const blocked = new Promise<void>((resolve) => (heard = resolve));
    const blocking = run('blocks');
    await blocked;
    blocking.abort.abort(new Error('the process stops'));
    await expect(blocking.end).rejects.toThrow('the sync thread has ended');
    expect((await run('lists/3').end).summary.new).toBe(3);
  });

  it('is bounded by the memory of the thread: it ends, and the next one starts in a new thread', async () => {
    await expect(run('grows').end).rejects.toThrow('the sync thread has ended');
    expect((await run('lists/3').end).summary.new).toBe(3);
  });
});
