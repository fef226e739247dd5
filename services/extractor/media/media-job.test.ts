import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { stageWorker } from '../../../mixins/runs/stage-worker.ts';
import { dispatch } from '../../../mixins/runs/transitions.ts';
import { assets, type Asset } from '../../../models/asset.ts';
import { scopeOf } from '../../../models/scope.ts';
import { testAsset } from '../../../test/support/asset.ts';
import { skipLoudly } from '../../../test/support/servers.ts';
import { openStudio, tone } from './testing/recordings.ts';
import { openSourceServer } from './testing/source.ts';
import { openStage } from './testing/stage.ts';

const studio = await openStudio();
if ('unavailable' in studio) skipLoudly('jobs over recordings', studio.unavailable);
else describe('jobs over recordings', () => {
  afterAll(() => studio.close());

  it('wait for their transcription, or end with their code', async () => {
    const stage = await openStage();
    const source = await openSourceServer();
    const { house } = stage.test;
    const collection = house.records.collection(assets, scopeOf('organization'));
    const worker = stageWorker(house, { stage: 'extracting', slots: 2, work: ({ asset, signal }) => stage.run(asset, signal), recordUsage: () => Promise.resolve(), freed: () => undefined, left: () => undefined });
    /** Hands the asset's run to the stage and waits until the stage has let go of it. */
    const done = async (asset: Asset): Promise<Asset> => {
      await collection.insert(asset);
      const given = dispatch(asset, 'test', house.records.time());
      await collection.update(asset._id, given.filter, given.change);
      await house.queue.publish('extracting', { organizationId: 'organization', assetId: asset._id, jobId: asset.run.jobId, stageSeq: asset.run.stageSeq, attempt: 1 }, asset._id);
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
      expect(heard.run).toMatchObject({ phase: 'waiting', state: 'queued', stage: 'transcribing', stageSeq: 2, facts: { duplicateOf: null } });
      expect(heard.outbox).toMatchObject([{ metric: 'source_bytes' }]);
      source.serve(Buffer.from('#EXTM3U\n'));
      const refused = await done(testAsset({ _id: 'refused', kind: 'video', filename: 'a.mp4', sourceUrl: source.url }));
      expect(refused.run).toMatchObject({ phase: 'ended', state: 'failed', errorCode: 'media_unreadable' });
    } finally {
      await worker.stop(1000);
      await source.close();
      await stage.close();
    }
  });
});
