import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { SpeechDouble } from '../../adapters/speech/openai/test-server.ts';
import type { LinkView } from '../../models/bucket.ts';
import type { PlaybackLink, SearchItem } from '../../models/api.ts';
import type { ObjectView } from '../../models/storage-object.ts';
import { ensureProgram, runProgram } from '../../scripts/setup/system.ts';
import { freePort } from '../servers/ports.ts';
import { skipWithReason } from '../support/servers.ts';
import { content, expectRefused, until } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';
import { createLibrary, createVideo, sendPart } from './support/storage.ts';

/** A film of two slides, six seconds each, with a tone that the double of a speech server takes for words. */
async function makeFilm(film: string): Promise<string | null> {
  for (const program of ['ffmpeg', 'tesseract']) {
    const present = await ensureProgram([program, program === 'ffmpeg' ? '-version' : '--version'], [program]);
    if (!present.ok) return present.reason;
  }
  const fonts = join(dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json')), 'standard_fonts');
  const slides = ['Harvest report of the valley', 'Wheat prices rose by 17 percent'].map(
    (text, at) =>
      `drawtext=fontfile=${join(fonts, 'LiberationSans-Regular.ttf')}:text='${text}':fontsize=44:x=60:y=${120 + at * 120}:enable='between(t,${at * 6},${at * 6 + 5.99})'`,
  );
  const made = await runProgram('ffmpeg', [
    ...['-v', 'error', '-f', 'lavfi', '-i', 'color=white:s=854x480:r=10:d=12', '-f', 'lavfi', '-i', 'sine=d=12'],
    ...['-vf', slides.join(','), '-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p', '-c:a', 'aac', film],
  ]);
  return made.ok ? null : made.reason;
}

const folder = mkdtempSync(join(tmpdir(), 'ply-film-search-'));
const unavailable = await makeFilm(join(folder, 'film.mp4'));

if (unavailable !== null) skipWithReason('a film that is searched and played from the moment', unavailable);
else
  describe('a film of a library that is registered as an asset', () => {
    const double = new SpeechDouble();
    let program: TestProgram;
    let port: number;
    beforeAll(async () => {
      port = await freePort();
      program = await startTestProgram({
        PLY_SPEECH_URL: await double.start(),
        PLY_DELIVERY_PORT: String(port),
        PLY_ENCODER_THREADS: '1',
      });
    });
    afterAll(async () => {
      await program.end();
      await double.stop();
      rmSync(folder, { recursive: true, force: true });
    });

    it('is found by what is said and shown, and plays as a signed stream', async () => {
      const { admin, standard } = program;
      const library = await createLibrary(admin, { processing: { ladder: [240], thumbnails: false } });
      const bytes = readFileSync(join(folder, 'film.mp4'));
      const { id: videoId, sourceKey, upload } = await createVideo(standard, library.id, { size: bytes.length });
      await sendPart(upload.parts[0]?.url, bytes);
      const { etag } = await standard.get<ObjectView>(200, 'POST', `${content}/uploads/${upload.id}/complete`);
      const { assetId } = await standard.indexed({
        filename: 'film.mp4',
        kind: 'video',
        sourceUrl: `${library.deliveryBaseUrl}/${sourceKey}`,
        sourceVersion: etag,
        extractContentFromVideoFrames: true,
      });
      expect(await standard.asset(assetId)).toMatchObject({ bucketId: library.id, sourceAccessMode: null });
      const found = async (query: string): Promise<SearchItem['location'] | undefined> =>
        (await standard.search({ query })).items[0]?.location;
      const said = await found('queen of clubs');
      expect(said).toMatchObject({ playFromSeconds: expect.any(Number), timingPrecision: 'word' });
      const shown = await found('wheat prices');
      expect(shown).toMatchObject({ source: 'slide', playFromSeconds: 6, startSeconds: 6, endSeconds: 12 });

      await until(
        () => standard.get<{ status: string }>(200, 'GET', `${content}/videos/${videoId}`),
        ({ status }) => status === 'ready',
        120_000,
      );
      const path = `${content}/assets/${assetId}/playback`;
      const link = await standard.get<PlaybackLink>(200, 'GET', path);
      const signed = await standard.get<LinkView>(200, 'POST', `${content}/sign`, {
        body: { bucketId: library.id, videoId },
      });
      const folderOf = (url: string | null | undefined): string => (url ?? '').replace(/[~?].*?(?=\/videos|$)/, '');
      expect(link.format).toBe('hls');
      expect(folderOf(link.url)).toBe(folderOf(signed.url));
      const { host, pathname } = new URL(link.nativeUrl ?? '');
      const read = await runProgram('ffprobe', [
        ...['-v', 'error', '-headers', `Host: ${host}\r\n`, '-show_entries', 'format=duration', '-of', 'csv=p=0'],
        `http://127.0.0.1:${port}${pathname}`,
      ]);
      expect(read.ok ? Math.round(Number(read.output)) : read.reason).toBe(12);

      await standard.get(202, 'DELETE', `${content}/videos/${videoId}`);
      expectRefused(await standard.ask('GET', path), [409, 'asset_not_playable']);
    }, 200_000);
  });
