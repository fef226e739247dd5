import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ServiceBroker, type Context } from 'moleculer';
import { pino } from 'pino';
import { closeStores, openStores, type Stores } from '../../adapters/open.ts';
import { call } from '../../mixins/actions/call.ts';
import { ParamsValidator } from '../../mixins/middlewares/params-validator.ts';
import type { ActionInput } from '../../mixins/actions/table.ts';
import { Metrics } from '../../mixins/metrics.ts';
import { systemRuntime } from '../../models/runtime.ts';
import { analyse } from '../../models/analyser/analyser.ts';
import type { Caller } from '../../models/api.ts';
import { assets, type Asset } from '../../models/asset.ts';
import { accounts } from '../../models/organization.ts';
import { readConfiguration } from '../../models/configuration/configuration.ts';
import { scopeOf } from '../../models/scope.ts';
import { tuningRecords } from '../../models/tuning.ts';
import { searcherService } from './searcher.service.ts';
import { testAsset } from '../../test/support/asset.ts';

const organizationId = '6e3ad0c8-0000-4000-8000-00000000000a';
const emptyOrganizationId = '6e3ad0c8-0000-4000-8000-00000000000b';

function callerOf(organization: string): Caller {
  return {
    accountId: 'account',
    organizationId: organization,
    keyId: 'key',
    keyPrefix: 'ply_test',
    keyLabel: 'test',
    keyScope: 'standard',
    requestId: 'request',
  };
}

function assetOf(id: string): Asset {
  const facts = { bytes: 1, sha256: null, passages: 1, warnings: [], duplicateOf: null, embeddingModel: null };
  return testAsset({
    _id: id,
    organizationId,
    filename: `${id}.txt`,
    sourceUrl: `https://example.com/${id}.txt`,
    sourceVersion: 'v1',
    activeRevision: 1,
    facts,
  });
}

describe('the searcher', () => {
  let folder: string;
  let stores: Stores;
  let broker: ServiceBroker;
  const counted: string[] = [];
  const stale: object[] = [];
  let countedBefore = '';

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'ply-searcher-'));
    const configuration = readConfiguration({
      PLY_DATA_DIR: folder,
      PLY_EMBEDDING_THREADS: '0',
      PLY_READER_THREADS: '1',
    });
    const log = pino({ level: 'silent' });
    stores = await openStores({ configuration, runtime: systemRuntime, log, nodeId: 'test', modelFolders: [folder] });
    await stores.records.prepare([accounts, assets, tuningRecords]);
    const text = 'The turbine blade cracked near its root.';
    const words = analyse(text, 'en');
    await stores.passages.write(scopeOf(organizationId), { assetId: 'turbine', revision: 1, embeddingModel: null }, [
      {
        ordinal: 0,
        text,
        stems: words.map((word) => word.stem).join(' '),
        length: words.length,
        location: { lineStart: 1, lineEnd: 1 },
        language: null,
        speaker: null,
        analysedAs: 'en',
        vector: null,
      },
    ]);
    await stores.passages.publish(scopeOf(organizationId), 1, 1, {
      assetId: 'turbine',
      attributesVersion: 1,
      aclMode: 'open',
      principals: [],
      kind: 'document',
      externalId: 'turbine',
      metadata: {},
      collections: [],
      createdAt: 1,
      present: true,
    });
    await stores.records.collection(assets, scopeOf(organizationId)).insert(assetOf('turbine'));
    broker = new ServiceBroker({ logger: false, validator: new ParamsValidator() });
    broker.createService({
      name: 'ledger',
      actions: {
        record: (context: Context<ActionInput<'ledger.record'>>) => {
          counted.push(...context.params.events.map((event) => event._id));
          return { recorded: context.params.events.length };
        },
      },
    });
    broker.createService({
      name: 'registrar',
      events: { 'index.stale': { handler: (context: Context<object>) => void stale.push(context.params) } },
    });
    broker.createService(
      searcherService({ configuration, runtime: systemRuntime, log, metrics: new Metrics(), ...stores }),
    );
    await broker.start();
  });

  afterAll(async () => {
    await closeStores(stores);
    rmSync(folder, { recursive: true });
  });

  it('notifies the registrar of rows whose file no longer exists', async () => {
    const gone = '6e3ad0c8-0000-4000-8000-0000000000dd';
    const words = analyse('A zeppelin over the lake.', 'en');
    await stores.passages.write(scopeOf(organizationId), { assetId: gone, revision: 1, embeddingModel: null }, [
      {
        ordinal: 0,
        text: 'A zeppelin over the lake.',
        stems: words.map((word) => word.stem).join(' '),
        length: words.length,
        location: {},
        language: null,
        speaker: null,
        analysedAs: 'en',
        vector: null,
      },
    ]);
    await stores.passages.publish(scopeOf(organizationId), 1, 1, {
      assetId: gone,
      attributesVersion: 1,
      aclMode: 'open',
      principals: [],
      kind: 'document',
      externalId: gone,
      metadata: {},
      collections: [],
      createdAt: 1,
      present: true,
    });
    const request = { query: 'zeppelin', limit: 20, offset: 0, group: null, filter: {}, principals: null };
    const answer = await call(broker, 'searcher.search', { caller: callerOf(organizationId), request });
    expect(answer.items).toEqual([]);
    while (stale.length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(stale).toEqual([{ organizationId, assetId: gone, revision: 1 }]);
    await stores.passages.removeFile(scopeOf(organizationId), gone);
    countedBefore = `${answer.searchId}:search`;
  });

  it('returns a new id each time, and counts every search once when it stops', async () => {
    const request = { query: 'turbine blades', limit: 20, offset: 0, group: null, filter: {}, principals: null };
    const answers = [
      await call(broker, 'searcher.search', { caller: callerOf(organizationId), request }),
      await call(broker, 'searcher.search', { caller: callerOf(organizationId), request }),
    ];
    const [first, second] = answers;
    expect(first?.items[0]).toMatchObject({
      assetId: 'turbine',
      matchType: 'keyword',
      highlights: [{ start: 4, end: 17 }],
    });
    expect(first?.terms).toEqual(['turbine', 'blades']);
    expect(second?.searchId).not.toBe(first?.searchId);
    expect((await call(broker, 'searcher.search', { caller: callerOf(emptyOrganizationId), request })).items).toEqual(
      [],
    );
    await broker.stop();
    expect(counted.filter((id) => id !== countedBefore).sort()).toEqual(
      answers.map((answer) => `${answer.searchId}:search`).sort(),
    );
  });
});
