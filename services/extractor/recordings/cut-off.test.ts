import { readFileSync } from 'node:fs';
import { skipWithReason } from '../../../test/support/servers.ts';
import { openStudio, pictures, tone } from '../../../media/testing/recordings.ts';
import { staged } from '../testing/staged.ts';

const studio = await openStudio();
if ('unavailable' in studio) skipWithReason('truncated recordings', studio.unavailable);
else
  describe('truncated recordings', () => {
    const on = staged(studio);

    const video = [...tone(20), ...pictures(20), '-pix_fmt', 'yuv420p'];
    it.each([
      ['first.mp4', [...video, '-movflags', '+faststart']],
      ['fragments.mp4', [...video, '-movflags', 'frag_keyframe+empty_moov', '-g', '10']],
      ['a.mkv', video],
      ['a.webm', [...tone(20), ...pictures(20), '-c:v', 'libvpx', '-c:a', 'libopus']],
      ['a.avi', video],
      ['a.wav', tone(20)],
      ['a.w64', tone(20)],
      ['a.flac', tone(20)],
      ['a.ogg', [...tone(20), '-b:a', '64k']],
      ['a.mp3', tone(20)],
    ])('(%s) are read as far as they go, and say so', async (name, args) => {
      const content = readFileSync(await studio.make(name, ...args));
      const run = (bytes: Buffer): ReturnType<typeof on.stage.run> => {
        on.source.serve(bytes);
        return on.stage.run({
          filename: name,
          kind: /mp4|mkv|webm|avi/.test(name) ? 'video' : 'audio',
          sourceUrl: on.source.url,
        });
      };
      expect(await run(content)).toMatchObject({ next: 'transcribing', facts: { warnings: [] } });
      expect((await on.stage.sound()).seconds).toBeCloseTo(20, 0);
      expect(await run(content.subarray(0, content.length * 0.6))).toMatchObject({
        next: 'transcribing',
        facts: { bytes: Math.floor(content.length * 0.6), warnings: [{ code: 'recording_cut_off' }] },
      });
      const { seconds, chunks } = await on.stage.sound();
      expect(seconds).toBeGreaterThan(6);
      expect(seconds).toBeLessThan(16);
      expect(chunks.length).toBeGreaterThan(0);
    });
  });
