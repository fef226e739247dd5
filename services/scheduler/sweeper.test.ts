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
});
