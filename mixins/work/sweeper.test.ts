import { indexing } from '../indexing/kind.ts';
import { newRun } from '../indexing/runs.ts';
import { endOutboxDelayMs } from './transitions.ts';
import { assets as assetsDefinition } from '../../models/asset.ts';
import { systemScope } from '../../models/scope.ts';
import { testAsset } from '../../test/support/asset.ts';
import { testApp } from '../../test/support/app.ts';
import { Sweeper } from './sweeper.ts';

describe('the sweeper', () => {
  it('counts jobs that failed after lost workers', async () => {
    const test = await testApp();
    try {
      const { app } = test;
      const assets = app.records.collection(assetsDefinition, systemScope);
      const lease = { owner: 'gone', token: 1, until: 1, held: 1 };
      const run = {
        ...newRun('job', 1, 0),
        phase: 'working' as const,
        state: 'extracting' as const,
        dueAt: 1,
        token: 1,
        lease,
        lostLeases: 7,
      };
      await assets.insert(testAsset({ _id: 'lost', run }));
      expect(
        await new Sweeper(
          app,
          indexing(app, () => Promise.resolve()),
        ).round(),
      ).toBe(1);
      expect((await assets.get('lost'))?.run).toMatchObject({ state: 'failed', errorCode: 'worker_lost' });
      expect(await app.metrics.registry.metrics()).toContain(
        'ply_jobs_ended_total{state="failed",code="worker_lost"} 1',
      );
    } finally {
      await test.close();
    }
  });

  it('counts an expired lease once, however many sweepers notice it', async () => {
    const test = await testApp();
    try {
      const { app } = test;
      const assets = app.records.collection(assetsDefinition, systemScope);
      const run = {
        ...newRun('job', 1, 0),
        phase: 'working' as const,
        state: 'extracting' as const,
        dueAt: 1,
        token: 1,
        lease: { owner: 'gone', token: 1 },
      };
      await assets.insert(testAsset({ _id: 'expired', run }));
      const sweepers = [1, 2, 3].map(
        () =>
          new Sweeper(
            app,
            indexing(app, () => Promise.resolve()),
          ),
      );
      const moved = await Promise.all(sweepers.map((sweeper) => sweeper.round()));
      expect(moved.toSorted()).toEqual([0, 0, 1]);
      expect(await app.metrics.registry.metrics()).toContain('ply_leases_lost_total{stage="extracting"} 1\n');
    } finally {
      await test.close();
    }
  });

  it.each([endOutboxDelayMs, 30_000])(
    'delivers the outbox of an earlier process immediately (due in %i ms)',
    async (due) => {
      const test = await testApp();
      try {
        const { app } = test;
        const assets = app.records.collection(assetsDefinition, systemScope);
        const now = app.records.time();
        const outbox = [
          { id: 'read', kind: 'usage' as const, metric: 'source_bytes' as const, quantity: 7, at: now, notBefore: now },
        ];
        const ended = {
          ...newRun('job', 1, 0),
          phase: 'ended' as const,
          state: 'ready' as const,
          dueAt: null,
        };
        await assets.insert(testAsset({ _id: 'ended', run: ended, outbox, outboxDue: now + due }));
        const reported: string[] = [];
        const sweeper = new Sweeper(
          app,
          indexing(app, (events) => Promise.resolve(reported.push(...events.map(({ _id }) => _id)))),
        );
        expect(await sweeper.drainOutboxes()).toBe(0);
        await sweeper.takeOverFromEarlierProcesses();
        expect(await sweeper.drainOutboxes()).toBe(1);
        expect(reported).toEqual(['read']);
      } finally {
        await test.close();
      }
    },
  );
});
