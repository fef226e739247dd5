import { assets as assetsDefinition, type Asset } from '../../models/asset.ts';
import type { Stage } from '../../models/job.ts';
import { systemScope } from '../../models/scope.ts';
import { testAsset } from '../../test/support/asset.ts';
import { testHouse, type TestHouse } from '../../test/support/house.ts';
import { Backlog } from './backlog.ts';

describe('what waits, as the metrics tell it', () => {
  let test: TestHouse;
  beforeEach(async () => {
    test = await testHouse();
  });
  afterEach(() => test.close());

  async function waiting(id: string, organizationId: string, stage: Stage, queuedAt: number, more: Partial<Asset> = {}): Promise<void> {
    const asset = testAsset({ _id: id, organizationId, externalId: id, externalKey: id, ...more });
    await test.house.records.collection(assetsDefinition, systemScope).insert({ ...asset, run: { ...asset.run, jobId: `job-${id}`, phase: 'waiting', state: 'queued', stage, queuedAt } });
  }

  async function told(name: string, stage?: Stage): Promise<number | undefined> {
    const metric = await test.house.metrics.registry.getSingleMetric(name)?.get();
    return metric?.values.find(({ labels }) => stage === undefined || labels['stage'] === stage)?.value;
  }

  it('counts the jobs of each stage and finds the oldest over all organizations', async () => {
    const now = test.house.ambient.now();
    await waiting('a', 'one', 'extracting', now - 5_000);
    await waiting('b', 'one', 'extracting', now - 2_000);
    await waiting('c', 'two', 'extracting', now - 90_000);
    await waiting('d', 'two', 'embedding', now - 1_000);
    const backlog = new Backlog(test.house, test.house.records.collection(assetsDefinition, systemScope), ['extracting', 'transcribing', 'embedding']);
    await backlog.tell();
    expect(await told('ply_jobs_waiting', 'extracting')).toBe(3);
    expect(await told('ply_jobs_waiting', 'transcribing')).toBe(0);
    expect(await told('ply_jobs_waiting', 'embedding')).toBe(1);
    expect(await told('ply_jobs_oldest_waiting_seconds', 'extracting')).toBeGreaterThanOrEqual(90);
    expect(await told('ply_jobs_oldest_waiting_seconds', 'extracting')).toBeLessThan(120);
    expect(await told('ply_jobs_oldest_waiting_seconds', 'transcribing')).toBe(0);
    expect(await told('ply_outbox_oldest_seconds')).toBe(0);
    expect(await told('ply_jobs_under_way', 'extracting')).toBe(0);
  });

  it('counts what workers have in hand apart', async () => {
    const now = test.house.ambient.now();
    const assets = test.house.records.collection(assetsDefinition, systemScope);
    await waiting('a', 'one', 'transcribing', now);
    await waiting('b', 'two', 'transcribing', now);
    await assets.update('a', {}, { set: { 'run.phase': 'working' } });
    await new Backlog(test.house, assets, ['transcribing']).tell();
    expect([await told('ply_jobs_waiting', 'transcribing'), await told('ply_jobs_under_way', 'transcribing')]).toEqual([1, 1]);
  });

  it('tells by how much the oldest outbox is overdue', async () => {
    const now = test.house.records.time();
    await waiting('a', 'one', 'extracting', now, { outboxDue: now - 40_000, outbox: [{ id: 'x', kind: 'discard', notBefore: 0, revision: 1 }] });
    await new Backlog(test.house, test.house.records.collection(assetsDefinition, systemScope), ['extracting']).tell();
    const age = await told('ply_outbox_oldest_seconds');
    expect(age).toBeGreaterThanOrEqual(40);
    expect(age).toBeLessThan(70);
  });
});
