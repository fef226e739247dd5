import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { indexing } from '../../../mixins/indexing/kind.ts';
import { advance } from '../../../mixins/indexing/runs.ts';
import { stageWorker } from '../../../mixins/work/worker.ts';
import { dispatch } from '../../../mixins/work/transitions.ts';
import { assets, type Asset } from '../../../models/asset.ts';
import { scopeOf } from '../../../models/scope.ts';
import { testAsset } from '../../../test/support/asset.ts';
import { skipWithReason } from '../../../test/support/servers.ts';
import { openStudio, tone } from '../../../media/testing/recordings.ts';
import { openSourceServer } from '../testing/source.ts';
import { openStage } from '../testing/stage.ts';

const studio = await openStudio();
if ('unavailable' in studio) skipWithReason('jobs of recordings', studio.unavailable);
else
  describe('jobs of recordings', () => {
    afterAll(() => studio.close());

    it('wait for their transcription, or end with their code', async () => {
      const stage = await openStage();
      const source = await openSourceServer();
      const { app } = stage.test;
      const collection = app.records.collection(assets, scopeOf('organization'));
      const worker = stageWorker(
        app,
        indexing(app, () => Promise.resolve()),
        {
          stage: 'extracting',
          slots: 2,
          work: async ({ document, signal }) => {
            const { next, facts, outbox } = await stage.run(document, signal);
            return (asset, now) => advance(asset, next ?? 'embedding', facts, outbox, now);
          },
          changed: () => undefined,
        },
      );
      /** Hands the asset's run to the stage and waits until the stage has let go of it. */
      const done = async (asset: Asset): Promise<Asset> => {
        await collection.insert(asset);
        const given = dispatch(asset, 'test', app.records.time());
        await collection.update(asset._id, given.filter, given.change);
        await app.queue.publish(
          'extracting',
          {
            organizationId: 'organization',
            documentId: asset._id,
            jobId: asset.run.jobId,
            stageSeq: asset.run.stageSeq,
            attempt: 1,
          },
          asset._id,
        );
        for (;;) {
          const now = await collection.get(asset._id);
          if (now !== null && now.run.phase !== 'dispatched' && now.run.phase !== 'working') return now;
          await pause(20);
        }
      };
      try {
        await worker.start();
        source.serve(readFileSync(await studio.make('a.mp3', ...tone(2))));
        const heard = await done(testAsset({ _id: 'heard', kind: 'audio', filename: 'a.mp3', sourceUrl: source.url }));
        expect(heard.run).toMatchObject({
          phase: 'waiting',
          state: 'queued',
          stage: 'transcribing',
          stageSeq: 2,
          facts: { duplicateOf: null },
        });
        expect(heard.outbox).toMatchObject([{ metric: 'source_bytes' }]);
        source.serve(Buffer.from('#EXTM3U\n'));
        const refused = await done(
          testAsset({ _id: 'refused', kind: 'video', filename: 'a.mp4', sourceUrl: source.url }),
        );
        expect(refused.run).toMatchObject({ phase: 'ended', state: 'failed', errorCode: 'media_unreadable' });
      } finally {
        await worker.stop(1000);
        await source.close();
        await stage.close();
      }
    });
  });
