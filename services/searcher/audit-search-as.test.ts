import { ServiceBroker, type Context } from 'moleculer';
import { pino } from 'pino';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closeStores, openStores, type Stores } from '../../adapters/open.ts';
import { call } from '../../mixins/actions/call.ts';
import { ParamsValidator } from '../../mixins/middlewares/params-validator.ts';
import type { ActionInput } from '../../mixins/actions/table.ts';
import { Metrics } from '../../mixins/metrics.ts';
import { systemRuntime } from '../../models/runtime.ts';
import { assets } from '../../models/asset.ts';
import { accounts } from '../../models/organization.ts';
import { readConfiguration } from '../../models/configuration/configuration.ts';
import { Refusal } from '../../models/errors.ts';
import { tuningRecords } from '../../models/tuning.ts';
import { searcherService } from './searcher.service.ts';

const organizationId = '6e3ad0c8-0000-4000-8000-00000000000a';
const actor = { kind: 'plycdn', id: null, label: 'command line', prefix: null } as const;
const request = { query: 'turbine', limit: 20, offset: 0, group: null, filter: {}, principals: ['group:staff'] };

let folder: string;
let stores: Stores;
let broker: ServiceBroker;
const metrics = new Metrics();
/** The calls made, in order. */
let done: string[] = [];
let record: (search: ActionInput<'accounts.recordSearchAs'>) => Promise<{ accountId: string }>;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ply-search-as-'));
  const configuration = readConfiguration({
    PLY_DATA_DIR: folder,
    PLY_EMBEDDING_THREADS: '0',
    PLY_READER_THREADS: '1',
  });
  const log = pino({ level: 'silent' });
  stores = await openStores({ configuration, runtime: systemRuntime, log, nodeId: 'test', modelFolders: [folder] });
  await stores.records.prepare([accounts, assets, tuningRecords]);
  const passages = new Proxy(stores.passages, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return (...given: unknown[]): unknown => {
        done.push(`passages.${String(name)}`);
        return Reflect.apply(method, target, given);
      };
    },
  });
  broker = new ServiceBroker({ logger: false, validator: new ParamsValidator() });
  broker.createService({
    name: 'accounts',
    actions: { recordSearchAs: (context: Context<ActionInput<'accounts.recordSearchAs'>>) => record(context.params) },
  });
  broker.createService(searcherService({ configuration, runtime: systemRuntime, log, metrics, ...stores, passages }));
  await broker.start();
});

afterAll(async () => {
  await broker.stop();
  await closeStores(stores);
  rmSync(folder, { recursive: true });
});

beforeEach(() => (done = []));

describe('a search as another reader', () => {
  it('is recorded before anything is searched', async () => {
    const recorded: ActionInput<'accounts.recordSearchAs'>[] = [];
    record = async (search) => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      recorded.push(search);
      done.push('recorded');
      return { accountId: 'account' };
    };
    const { searchId, items } = await call(broker, 'searcher.searchAs', { organizationId, actor, request });
    expect(items).toEqual([]);
    expect(recorded).toEqual([{ searchId, organizationId, actor, principals: ['group:staff'] }]);
    expect(done[0]).toBe('recorded');
    expect(done.length).toBeGreaterThan(1);
  });

  it('does not run if the audit row cannot be written, and counts the failure', async () => {
    record = () => Promise.reject(new Error('the store is away'));
    await expect(call(broker, 'searcher.searchAs', { organizationId, actor, request })).rejects.toMatchObject({
      type: 'audit_unavailable',
      code: 503,
      retryable: true,
    });
    expect(done).toEqual([]);
    expect(await metrics.registry.metrics()).toMatch(/^ply_audit_failures_total\S* 1$/m);
  });

  it('does not run for an unknown organization or without principals', async () => {
    record = () => Promise.reject(new Refusal('organization_forbidden'));
    await expect(call(broker, 'searcher.searchAs', { organizationId, actor, request })).rejects.toMatchObject({
      type: 'organization_forbidden',
    });
    for (const principals of [null, []])
      await expect(
        call(broker, 'searcher.searchAs', { organizationId, actor, request: { ...request, principals } }),
      ).rejects.toMatchObject({ type: 'validation_error' });
    expect(done).toEqual([]);
  });
});
