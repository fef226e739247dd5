import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { SpeechDouble } from '../../adapters/speech/openai/test-server.ts';
import { openStudio, tone } from '../../media/testing/recordings.ts';
import { chanceOf } from '../fuzz/mutations.ts';
import { extensionOf, recordingFormats } from '../fuzz/recordings.ts';
import { skipWithReason } from '../support/servers.ts';
import { content, until } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';

/** Mutations of each format. */
const mutations = 3;
/** Number of chunks of the long recording, which has no pause. */
const chunks = 10;

const studio = await openStudio();
if ('unavailable' in studio) skipWithReason('recordings through the whole program', studio.unavailable);
else
  describe('recordings through the whole program', () => {
    const double = new SpeechDouble();
    let program: TestProgram;
    beforeAll(async () => {
      program = await startTestProgram({ PLY_SPEECH_URL: await double.start(), PLY_TRANSCRIBER_WORKERS: '1' });
    });
    afterAll(async () => {
      await program.end();
      await double.stop();
      studio.close();
    });

    it('have a final state however they are damaged, and the program keeps running', async () => {
      const jobs: { format: string; jobId: string; codes: readonly string[] }[] = [];
      for (const { name: format, originals, mutations: kinds, codes } of recordingFormats(studio)) {
        const files = await originals();
        for (let seed = 1; seed <= mutations; seed++) {
          const chance = chanceOf(seed * 1000 + jobs.length);
          const filename = `damaged-${seed}-${format}.${extensionOf(format)}`;
          const kind = /^(mp4|mov|mkv|webm|avi)$/.test(extensionOf(format)) ? 'video' : 'audio';
          const { jobId } = await program.standard.register({
            filename,
            kind,
            extractContentFromVideoFrames: kind === 'video' && seed === 1,
            ...program.source.put(filename, chance.of(kinds)(chance.of(files), chance, files)),
          });
          jobs.push({ format, jobId, codes });
        }
      }
      for (const { format, jobId, codes } of jobs) {
        const { state, errorCode } = await until(
          () => program.standard.job(jobId),
          (job) => ['ready', 'failed'].includes(job.state),
        );
        expect(`${format}: ${state === 'ready' ? 'read' : errorCode}`).toBe(
          `${format}: ${codes.find((code) => code === (state === 'ready' ? 'read' : errorCode)) ?? 'one of its codes'}`,
        );
      }
      expect(program.process.unexpectedExits).toBe(0);
      const sound = await program.standard.register({
        filename: 'sound.mp3',
        kind: 'audio',
        ...program.source.put('sound.mp3', readFileSync(await studio.make('sound.mp3', ...tone(4)))),
      });
      await program.standard.reaches(sound.jobId, 'ready');
      const { items } = await until(
        () => program.standard.search({ query: 'queen of clubs', filter: { assetIds: [sound.assetId] } }),
        (answer) => answer.items.length > 0,
      );
      expect(items[0]?.location).toEqual({
        startSeconds: expect.any(Number),
        endSeconds: expect.any(Number),
        playFromSeconds: expect.any(Number),
        timingPrecision: 'word',
      });
    });

    it('repeat only the chunk in progress after a kill, and are charged once', async () => {
      const seconds = chunks * 26.5;
      const recording = program.source.put(
        'long.mp3',
        readFileSync(await studio.make('long.mp3', ...tone(seconds), '-ar', '16000', '-b:a', '32k')),
      );
      double.milliseconds = 300;
      const before = double.seen.length;
      const asked = (): number => double.seen.length - before;
      const { jobId, assetId } = await program.standard.register({ filename: 'long.mp3', kind: 'audio', ...recording });
      for (const killedAfter of [3, 6]) {
        await until(
          () => Promise.resolve(asked()),
          (count) => count >= killedAfter,
        );
        await pause(100);
        await program.process.kill();
        await program.start();
      }
      await until(
        () => program.standard.job(jobId),
        ({ state }) => state === 'ready',
      );
      expect(asked()).toBeGreaterThanOrEqual(chunks);
      // Each of the two kills repeats at most one chunk.
      expect(asked()).toBeLessThanOrEqual(chunks + 2);
      expect(program.source.count('long.mp3')).toBe(1);
      const { segments } = await program.standard.get<{ segments: { start: number }[] }>(
        200,
        'GET',
        `${content}/assets/${assetId}/transcript`,
      );
      expect(segments.length).toBeGreaterThanOrEqual(chunks - 1);
      expect(segments.map(({ start }) => start)).toEqual(segments.map(({ start }) => start).toSorted((a, b) => a - b));
    });
  });
