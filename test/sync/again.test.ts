import type { Caller } from '../../models/api.ts';
import { assets as assetsDefinition } from '../../models/asset.ts';
import type { ConnectorInput } from '../../models/connector.ts';
import { scopeOf } from '../../models/scope.ts';
import { replaceConnector } from '../../services/connectors/replace.ts';
import { sourceFile } from '../support/source-double.ts';
import { syncWorld, type SyncWorld } from './world.ts';

const hourMs = 3_600_000;
const externalIdOf = (name: string): string => `s3:h/b/${name}`;

let world: SyncWorld;
beforeEach(async () => {
  world = await syncWorld();
});
afterEach(() => world.test.close());

/** Registers these files by a sync and ends each job with the code in the file's name; `null`: it waits for access. */
async function ended(names: readonly string[], minutesAgo: number): Promise<void> {
  for (const name of names)
    world.source.files.set(externalIdOf(`${name}.txt`), sourceFile(externalIdOf(`${name}.txt`), name));
  await world.sync();
  const assets = world.test.app.records.collection(assetsDefinition, scopeOf('organization'));
  for (const name of names) {
    const { _id } = await world.asset(externalIdOf(`${name}.txt`));
    const isWaiting = name === 'waits';
    const end = isWaiting
      ? { 'run.phase': 'paused', 'run.state': 'awaiting_source_access', 'run.errorCode': 'source_access_denied' }
      : {
          'run.phase': 'ended',
          'run.state': name === 'ready' ? 'ready' : 'failed',
          'run.errorCode': name === 'ready' ? null : name,
        };
    await assets.update(
      _id,
      {},
      {
        set: {
          ...end,
          'run.createdAt': Date.now() - minutesAgo * 60_000,
          'run.updatedAt': Date.now() - minutesAgo * 60_000,
        },
        increment: { version: 1 },
      },
    );
  }
}

async function states(names: readonly string[]): Promise<{ [name: string]: string }> {
  return Object.fromEntries(
    await Promise.all(
      names.map(async (name) => {
        const { run } = await world.asset(externalIdOf(`${name}.txt`));
        return [name, `${run.state} ${run.revision}`];
      }),
    ),
  );
}

const ofSource = ['source_unreachable', 'source_access_denied'];
const passing = ['internal_error', 'worker_lost', 'store_unavailable', 'model_unavailable'];
const ofFile = ['document_encrypted', 'ready'];

describe('a sync of unchanged files', () => {
  it('retries files that could not be read for an external reason', async () => {
    const names = ['waits', ...ofSource, ...passing, ...ofFile];
    await ended(names, 61);
    expect((await world.sync()).lastSummary).toMatchObject({ unchanged: names.length, changed: 0, failed: 0 });
    expect(await states(names)).toEqual({
      waits: 'queued 1',
      ...Object.fromEntries([...ofSource, ...passing].map((name) => [name, 'queued 2'])),
      document_encrypted: 'failed 1',
      ready: 'ready 1',
    });
    // Retried files are queued: another sync skips them.
    world.writes.clear();
    await world.sync();
    expect([...world.writes.keys()].filter((name) => name.startsWith('assets.'))).toEqual([]);
  });

  it('waits an hour before it retries files that may crash workers', async () => {
    await ended([...ofSource, ...passing], 59);
    await world.sync();
    expect(await states([...ofSource, ...passing])).toEqual({
      ...Object.fromEntries(ofSource.map((name) => [name, 'queued 2'])),
      ...Object.fromEntries(passing.map((name) => [name, 'failed 1'])),
    });
  });

  it('does not retry files of this sync or files that the source does not list', async () => {
    await ended(['source_unreachable'], -60);
    await ended(['source_access_denied', 'waits'], (2 * hourMs) / 60_000);
    for (const name of ['source_access_denied', 'waits']) world.source.files.delete(externalIdOf(`${name}.txt`));
    expect((await world.sync()).lastSummary).toMatchObject({ unchanged: 1, removed: 2 });
    expect(await states(['source_unreachable', 'source_access_denied', 'waits'])).toEqual({
      source_unreachable: 'failed 1',
      source_access_denied: 'failed 1',
      waits: 'awaiting_source_access 1',
    });
  });
});

describe('a new credential of a connector', () => {
  const caller: Caller = {
    accountId: 'account',
    organizationId: 'organization',
    keyId: 'k',
    keyPrefix: 'p',
    keyLabel: 'l',
    keyScope: 'standard',
    requestId: 'r',
  };
  const input: ConnectorInput = {
    source: { kind: 'canvas', config: { baseUrl: 'https://source.example' } },
    name: 'c',
    credential: null,
    schedule: 'manual',
    enabled: true,
    defaultAclMode: 'restricted',
    extractContentFromVideoFrames: null,
  };

  it.each([
    ['waits', true],
    ['source_unreachable', true],
    ['document_encrypted', false],
    ['ready', false],
  ])('requests a sync if files could not be read: %s, %p', async (name, asks) => {
    await ended([name], 1);
    const rings: number[] = [];
    const tools = { app: world.test.app, wakeUp: (milliseconds: number) => rings.push(milliseconds) };
    expect((await replaceConnector(tools, caller, world.connectorId, { ...input, name: 'other' })).syncPending).toBe(
      false,
    );
    expect(
      (await replaceConnector(tools, caller, world.connectorId, { ...input, credential: 'disabled', enabled: false }))
        .syncPending,
    ).toBe(false);
    expect(
      (await replaceConnector(tools, caller, world.connectorId, { ...input, credential: 'new' })).syncPending,
    ).toBe(asks);
    expect(rings).toEqual(asks ? [0] : []);
  });
});
