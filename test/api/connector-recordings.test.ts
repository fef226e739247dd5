import { readFileSync } from 'node:fs';
import { SpeechDouble } from '../../adapters/speech/openai/test-server.ts';
import { openStudio, pictures, tone } from '../../media/testing/recordings.ts';
import { s3TestKey, startS3Gateway } from '../servers/s3.ts';
import { skipWithReason } from '../support/servers.ts';
import { content, until } from './support/client.ts';
import { finds, summary, testBucket, UsedConnector } from './support/connectors.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';

const [server, studio] = await Promise.all([startS3Gateway(), openStudio()]);
const absent = typeof server === 'string' ? server : 'unavailable' in studio ? studio.unavailable : null;

if (typeof server === 'string' || 'unavailable' in studio)
  skipWithReason('recordings of a bucket that nobody may read without its key', absent ?? '');
else
  describe('recordings of a private bucket', () => {
    const double = new SpeechDouble();
    let program: TestProgram;
    beforeAll(async () => {
      program = await startTestProgram({ PLY_SPEECH_URL: await double.start(), PLY_TRANSCRIBER_WORKERS: '1' });
    });
    afterAll(async () => {
      await program.end();
      await Promise.all([double.stop(), server.stop()]);
      studio.close();
    });

    it("are read with the connector's key, in ranges if necessary, and found", async () => {
      const bucket = await testBucket(server, 'recordings');
      // An MP4 with its index at the end, which is read separately.
      await bucket.put(
        'talks/film.mp4',
        readFileSync(
          await studio.make('film.mp4', ...pictures(4), ...tone(4), '-shortest', '-c:v', 'mpeg4', '-c:a', 'aac'),
        ),
      );
      await bucket.put('talks/sound.mp3', readFileSync(await studio.make('sound.mp3', ...tone(4))));
      const connector = await UsedConnector.create(program.standard, { name: 'recordings', ...bucket.body });
      expect(await connector.settled(90_000)).toEqual(summary({ new: 2 }));
      const assets = await connector.assets();
      expect(
        assets
          .map(({ filename, kind, latestJob, sourceAccessMode }) => [
            filename,
            kind,
            latestJob?.state,
            latestJob?.errorCode,
            sourceAccessMode,
          ])
          .toSorted(),
      ).toEqual([
        ['film.mp4', 'video', 'ready', null, null],
        ['sound.mp3', 'audio', 'ready', null, null],
      ]);
      // Addresses in responses contain no key, and cannot be read without one.
      for (const { sourceUrl } of assets) {
        expect(sourceUrl).not.toContain('?');
        expect((await fetch(sourceUrl)).status).toBe(403);
      }
      // The organization may see them; a transcript has times.
      await finds(program.standard, 'queen of clubs', []);
      const reader = { principals: [`org:${program.organizationId}`] };
      await finds(program.standard, 'queen of clubs', ['film.mp4', 'sound.mp3'], reader);
      const { items } = await until(
        () => program.standard.search({ query: 'queen of clubs', ...reader }),
        (answer) => answer.items.length > 0,
      );
      expect(items[0]?.location).toEqual({
        startSeconds: expect.any(Number),
        endSeconds: expect.any(Number),
        playFromSeconds: expect.any(Number),
        timingPrecision: 'word',
      });
      const { segments } = await program.standard.get<{ segments: { words: unknown[] }[] }>(
        200,
        'GET',
        `${content}/assets/${assets[0]?.assetId}/transcript`,
      );
      expect(segments.length).toBeGreaterThan(0);

      // Only the recording whose content changed is read again.
      const heard = double.seen.length;
      await bucket.put('talks/sound.mp3', readFileSync(await studio.make('sound-2.mp3', ...tone(5, 550))));
      expect(await connector.settled(90_000)).toEqual(summary({ changed: 1, unchanged: 1 }));
      expect(await connector.asset('sound.mp3')).toMatchObject({ activeRevision: 2 });
      expect(await connector.asset('film.mp4')).toMatchObject({ activeRevision: 1 });
      expect(double.seen.length).toBe(heard + 1);
      expect(readFileSync(program.logFile, 'utf8')).not.toContain(s3TestKey.secretAccessKey);
      bucket.close();
    });
  });
