import { assets as assetsDefinition, type Asset } from '../../models/asset.ts';
import type { Stage } from '../../models/job.ts';
import { systemScope } from '../../models/scope.ts';
import { testAsset } from '../../test/support/asset.ts';
import { testApp, type TestApp } from '../../test/support/app.ts';
import { Backlog } from './backlog.ts';

describe('the metrics of the backlog', () => {
  let test: TestApp;
  beforeEach(async () => {
    test = await testApp();
  });
  afterEach(() => test.close());

  async function waiting(
    id: string,
    organizationId: string,
    stage: Stage,
    queuedAt: number,
    more: Partial<Asset> = {},
  ): Promise<void> {
    const asset = testAsset({ _id: id, organizationId, externalId: id, externalKey: id, ...more });
    await test.app.records.collection(assetsDefinition, systemScope).insert({
      ...asset,
      run: { ...asset.run, jobId: `job-${id}`, phase: 'waiting', state: 'queued', stage, queuedAt },
    });
  }

  async function value(name: string, stage?: Stage): Promise<number | undefined> {
    const metric = await test.app.metrics.registry.getSingleMetric(name)?.get();
    return metric?.values.find(({ labels }) => stage === undefined || labels['stage'] === stage)?.value;
  }

  it('counts the jobs of each stage and finds the oldest over all organizations', async () => {
    const now = test.app.runtime.now();
    await waiting('a', 'one', 'extracting', now - 5_000);
    await waiting('b', 'one', 'extracting', now - 2_000);
    await waiting('c', 'two', 'extracting', now - 90_000);
    await waiting('d', 'two', 'embedding', now - 1_000);
    const backlog = new Backlog(test.app, ['extracting', 'transcribing', 'embedding'], () => 7);
    await backlog.update();
    expect(await value('ply_jobs_waiting', 'extracting')).toBe(3);
    expect(await value('ply_jobs_waiting', 'transcribing')).toBe(0);
    expect(await value('ply_jobs_waiting', 'embedding')).toBe(1);
    expect(await value('ply_jobs_oldest_waiting_seconds', 'extracting')).toBeGreaterThanOrEqual(90);
    expect(await value('ply_jobs_oldest_waiting_seconds', 'extracting')).toBeLessThan(120);
    expect(await value('ply_jobs_oldest_waiting_seconds', 'transcribing')).toBe(0);
    expect(await value('ply_outbox_oldest_seconds')).toBe(0);
    expect(await value('ply_jobs_under_way', 'extracting')).toBe(0);
    expect(await value('ply_stage_slots', 'embedding')).toBe(7);
    expect(await value('ply_library_files')).toBe(4);
  });

  it('counts running jobs separately', async () => {
    const now = test.app.runtime.now();
    const assets = test.app.records.collection(assetsDefinition, systemScope);
    await waiting('a', 'one', 'transcribing', now);
    await waiting('b', 'two', 'transcribing', now);
    await assets.update('a', {}, { set: { 'run.phase': 'working' } });
    await new Backlog(test.app, ['transcribing'], () => 7).update();
    expect([
      await value('ply_jobs_waiting', 'transcribing'),
      await value('ply_jobs_under_way', 'transcribing'),
    ]).toEqual([1, 1]);
  });

  it('reports by how much the oldest outbox is overdue', async () => {
    const now = test.app.records.time();
    await waiting('a', 'one', 'extracting', now, {
      outboxDue: now - 40_000,
      outbox: [{ id: 'x', kind: 'discard', notBefore: 0, revision: 1 }],
    });
    await new Backlog(test.app, ['extracting'], () => 7).update();
    const age = await value('ply_outbox_oldest_seconds');
    expect(age).toBeGreaterThanOrEqual(40);
    expect(age).toBeLessThan(70);
  });
});
