import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { newRun, noFacts } from '../../../mixins/indexing/runs.ts';
import { assets, type Asset } from '../../../models/asset.ts';
import { contentClaims, type Run } from '../../../models/job.ts';
import { systemScope } from '../../../models/scope.ts';
import { derivedNames } from '../../../models/transcript.ts';
import { testAsset } from '../../../test/support/asset.ts';
import { skipWithReason } from '../../../test/support/servers.ts';
import { openStudio, tone } from '../../../media/testing/recordings.ts';
import { openSourceServer } from '../testing/source.ts';
import { openStage } from '../testing/stage.ts';

const studio = await openStudio();
if ('unavailable' in studio) skipWithReason('identical recordings', studio.unavailable);
else
  describe('identical recordings of an account', () => {
    let stage: Awaited<ReturnType<typeof openStage>>;
    let source: Awaited<ReturnType<typeof openSourceServer>>;
    let digest = '';
    beforeAll(async () => {
      stage = await openStage();
      source = await openSourceServer();
    });
    beforeEach(async () => {
      await stage.test.app.blobs.remove('derived/');
      await stage.test.app.records.collection(contentClaims, systemScope).removeMany({}, 10);
      const content = readFileSync(await studio.make('a.mp3', ...tone(2)));
      digest = createHash('sha256').update(content).digest('hex');
      source.serve(content);
    });
    afterAll(async () => {
      await stage.close();
      await source.close();
      studio.close();
    });

    const transcript =
      '{"id":"1","text":"hello","start":0,"end":1,"speaker":null,"language":"en","words":[],"timingPrecision":"segment"}\n';

    function readyRun(jobId: string, revision: number, purpose: Run['purpose']): Run {
      return { ...newRun(jobId, revision, revision), purpose, phase: 'ended', state: 'ready' };
    }

    /** Another asset that holds the content, with its transcript in its active revision. */
    async function another(fields: Partial<Asset> = {}, text = transcript): Promise<void> {
      const { app } = stage.test;
      const revision = fields.run?.revision ?? 1;
      const other = testAsset({
        _id: 'other',
        organizationId: 'sister',
        kind: 'audio',
        activeRevision: revision,
        facts: { ...noFacts, sha256: digest },
        run: readyRun('job-other', 1, 'index'),
        ...fields,
      });
      await app.records.collection(assets, systemScope).put(other);
      await app.records.collection(contentClaims, systemScope).put({
        _id: `${other.accountId}:${digest}`,
        accountId: other.accountId,
        assetId: 'other',
        jobId: other.run.jobId,
      });
      await app.blobs.write(`derived/${other.organizationId}/other/${revision}/transcript.ndjson`, Buffer.from(text));
    }

    const run = (fields: Partial<Asset> = {}): ReturnType<typeof stage.run> =>
      stage.run({ filename: 'a.mp3', sourceUrl: source.url, ...fields });

    it('are transcribed once, and the transcript is copied', async () => {
      await another();
      expect(await run()).toMatchObject({ next: 'embedding', facts: { duplicateOf: 'other', sha256: digest } });
      expect((await stage.blob('transcript.ndjson')).toString()).toBe(transcript);
      expect(await stage.names()).toEqual(['transcript.ndjson']);
    });

    it('are copied with slides', async () => {
      await another();
      await stage.test.app.blobs.write('derived/sister/other/1/slides.ndjson', Buffer.from('{}\n'));
      await run();
      expect(await stage.names()).toEqual(['slides.ndjson', 'transcript.ndjson']);
    });

    it('are copied without later corrections', async () => {
      await another({ run: readyRun('job-corrected', 2, 'correct') }, transcript.replace('hello', 'secret'));
      await stage.test.app.blobs.write(`derived/sister/other/2/${derivedNames.uncorrected}`, Buffer.from(transcript));
      expect((await run()).next).toBe('embedding');
      expect((await stage.blob('transcript.ndjson')).toString()).toBe(transcript);
      expect(await stage.names()).toEqual(['transcript.ndjson']);
    });

    it.each<[string, Partial<Asset>, Partial<Asset>]>([
      ['on another track', { audioTrack: 0 }, {}],
      ['in another language', {}, { language: 'de' }],
      ['in another account', { accountId: 'stranger' }, {}],
      ['that was deleted', { deletedAt: 1 }, {}],
      ['that is still being transcribed', { run: newRun('job-other', 1, 0), activeRevision: null }, {}],
      ['that was read of other bytes since', { facts: { ...noFacts, sha256: '0'.repeat(64) } }, {}],
    ])('are transcribed again beside one %s', async (_which, otherFields, fields) => {
      await another(otherFields);
      expect(await run(fields)).toMatchObject({ next: 'transcribing', facts: { duplicateOf: null } });
    });

    it('are transcribed again if the transcript was removed', async () => {
      await another();
      await stage.test.app.blobs.remove('derived/sister/other/');
      expect((await run()).next).toBe('transcribing');
    });

    it('are not recognized by a claimed digest only', async () => {
      await another();
      source.serve(readFileSync(await studio.make('b.mp3', ...tone(2, 880))));
      expect(await run({ contentSha256: digest })).toMatchObject({
        next: 'transcribing',
        facts: { duplicateOf: null, warnings: [{ code: 'content_digest_differs' }] },
      });
    });
  });
