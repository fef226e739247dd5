import * as transitions from '../../mixins/runs/transitions.ts';
import { assets as assetsDefinition } from '../../models/asset.ts';
import { systemScope } from '../../models/scope.ts';
import { testAsset } from '../../test/support/asset.ts';
import { testHouse } from '../../test/support/house.ts';
import { Sweeper } from './sweeper.ts';

describe('the sweeper', () => {
  it('counts a job that lost its workers until it was given up, for the alerts', async () => {
    const test = await testHouse();
    try {
      const { house } = test;
      const assets = house.records.collection(assetsDefinition, systemScope);
      const lease = { owner: 'gone', token: 1, until: 1, held: 1 };
      const run = { ...transitions.newRun('job', 1, 0), phase: 'working' as const, state: 'extracting' as const, dueAt: 1, token: 1, lease, lostLeases: 7 };
      await assets.insert(testAsset({ _id: 'lost', run }));
      expect(await new Sweeper(house, assets, () => Promise.resolve({ recorded: 0 })).round()).toBe(1);
      expect((await assets.get('lost'))?.run).toMatchObject({ state: 'failed', errorCode: 'worker_lost' });
      expect(await house.metrics.registry.metrics()).toContain('ply_jobs_ended_total{state="failed",code="worker_lost"} 1');
    } finally {
      await test.close();
    }
  });

  it.each([transitions.settlingMs, 30_000])('carries out at once what a run of an earlier process owed at its end, also what could not be told (due in %i ms)', async (due) => {
    const test = await testHouse();
    try {
      const { house } = test;
      const assets = house.records.collection(assetsDefinition, systemScope);
      const now = house.records.time();
      const outbox = [{ id: 'read', kind: 'usage' as const, metric: 'source_bytes' as const, quantity: 7, at: now, notBefore: now }];
      const ended = { ...transitions.newRun('job', 1, 0), phase: 'ended' as const, state: 'ready' as const, dueAt: null };
      await assets.insert(testAsset({ _id: 'ended', run: ended, outbox, outboxDue: now + due }));
      const told: string[] = [];
      const sweeper = new Sweeper(house, assets, (events) => Promise.resolve(told.push(...events.map(({ _id }) => _id))));
      expect(await sweeper.drainOutboxes()).toBe(0);
      await sweeper.takeOverFromEarlierProcesses();
      expect(await sweeper.drainOutboxes()).toBe(1);
      expect(told).toEqual(['read']);
    } finally {
      await test.close();
    }
  });
});
