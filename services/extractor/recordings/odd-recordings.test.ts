import { readFileSync } from 'node:fs';
import { skipWithReason } from '../../../test/support/servers.ts';
import { levelOf } from '../../../media/levels.ts';
import { lavfi, openStudio, tone } from '../../../media/testing/recordings.ts';
import { staged } from '../testing/staged.ts';
import { samplesOf } from '../../../media/wav.ts';

const studio = await openStudio();
if ('unavailable' in studio) skipWithReason('unusual recordings', studio.unavailable);
else
  describe('unusual recordings', () => {
    const on = staged(studio);

    const made = async (name: string, ...args: string[]): Promise<Buffer> =>
      readFileSync(await studio.make(name, ...args));
    const extract = (filename: string, content: Buffer): ReturnType<typeof on.stage.run> => {
      on.source.serve(content);
      return on.stage.run({
        filename,
        sourceUrl: on.source.url,
        kind: /\.(mp4|mov|mkv)$/.test(filename) ? 'video' : 'audio',
      });
    };
    /** The levels of a recording's tenths of seconds, in dB; all of it has to be in one chunk from its start. */
    const levels = async (): Promise<number[]> => {
      const samples = samplesOf((await on.stage.blob('sound-00001.wav')).subarray(44));
      return Array.from({ length: Math.floor(samples.length / 1600) }, (_, at) =>
        levelOf(samples.subarray(at * 1600, (at + 1) * 1600)),
      );
    };

    const inverted = [...tone(2), '-af', 'pan=stereo|c0=c0|c1=-1*c0'];
    it.each([
      ['a.wav', inverted],
      ['a.mp3', [...inverted, '-b:a', '128k']],
      ['a.m4a', inverted],
      ['a.flac', inverted],
    ])('(%s) with channels that cancel each other have sound', async (name, args) => {
      expect(await extract(name, await made(name, ...args))).toMatchObject({
        next: 'transcribing',
        facts: { warnings: [] },
      });
      const [first, ...rest] = await levels();
      // As loud as either channel: a tone of ffmpeg's has an eighth of full scale.
      expect(first).toBeGreaterThan(-25);
      expect(rest.length).toBeGreaterThan(18);
      for (const level of rest.slice(0, 18)) expect(Math.abs(level + 21)).toBeLessThan(1);
    });

    it.each([
      ['the right channel', 'right.wav', 'stereo', 1],
      ['the bass channel', 'bass.wav', '5.1', 3],
      ['the bass channel', 'bass.mov', '7.1', 3],
      ['the third of three channels', 'third.wav', '3c', 2],
      ['the last of eight channels', 'eighth.flac', '8c', 7],
      ['the last of sixteen channels', 'last.wav', '16c', 15],
    ])('with sound in %s only (%s) have sound', async (_which, name, layout, channel) => {
      const pcm = name.endsWith('mov') ? ['-c:a', 'pcm_s16le'] : [];
      expect(
        (await extract(name, await made(name, ...tone(2), '-af', `pan=${layout}|c${channel}=c0`, ...pcm))).next,
      ).toBe('transcribing');
      expect(Math.min(...(await levels()).slice(1, 18))).toBeGreaterThan(-45);
    });

    it('with more channels than any speaker layout have sound', async () => {
      const mono = samplesOf((await made('mono.wav', ...tone(2), '-ar', '16000')).subarray(44));
      const channels = 12;
      const samples = Buffer.alloc(mono.length * channels * 2);
      mono.forEach((sample, at) => samples.writeInt16LE(sample, (at * channels + 10) * 2));
      const head = Buffer.from('RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0', 'latin1');
      const rest = Buffer.alloc(22);
      rest.writeUInt16LE(channels, 0);
      rest.writeUInt32LE(16_000, 2);
      rest.writeUInt32LE(32_000 * channels, 6);
      rest.writeUInt16LE(2 * channels, 10);
      rest.writeUInt16LE(16, 12);
      rest.write('data', 14, 'latin1');
      rest.writeUInt32LE(samples.length, 18);
      head.writeUInt32LE(samples.length + 36, 4);
      expect((await extract('desk.wav', Buffer.concat([head, rest, samples]))).next).toBe('transcribing');
      expect(Math.min(...(await levels()).slice(1, 18))).toBeGreaterThan(-40);
    });

    const mono = [...tone(3), '-ac', '1'];
    const stereo = [...tone(3), '-ac', '2'];
    const slow = [...tone(3), '-ar', '22050'];
    it.each([
      ['mono, then stereo', 'a.mp3', mono, stereo],
      ['of one sample rate, then of another', 'b.mp3', slow, stereo],
      ['of one sample rate, then of another', 'b.aac', slow, stereo],
      ['mono, then stereo', 'c.ogg', mono, stereo],
      ['of one sample rate, then of another', 'd.ogg', [...tone(3), '-ar', '48000'], slow],
      ['mono, then stereo', 'e.ts', [...mono, '-c:a', 'ac3'], [...stereo, '-c:a', 'ac3', '-output_ts_offset', '3']],
    ])('(%s) of several parts have them one behind the other (%s)', async (_how, name, first, second) => {
      const content = Buffer.concat([await made(`first-${name}`, ...first), await made(`second-${name}`, ...second)]);
      expect((await extract(name.replace('.ts', '.mp4'), content)).next).toBe('transcribing');
      const { seconds, chunks } = await on.stage.sound();
      expect(Math.abs(seconds - 6)).toBeLessThan(0.3);
      expect(chunks).toEqual([expect.objectContaining({ start: 0 })]);
      // From the first part into the second there is no silence.
      for (const level of (await levels()).slice(1, 57)) expect(level).toBeGreaterThan(-32);
    });

    it('of one sample have sound, and of none are silent', async () => {
      expect(
        (
          await extract(
            'one.wav',
            await made('one.wav', ...lavfi('aevalsrc=0.5:sample_rate=16000'), '-af', 'atrim=end_sample=1'),
          )
        ).next,
      ).toBe('transcribing');
      expect((await on.stage.sound()).seconds).toBeLessThan(0.001);
      expect(await extract('none.wav', await made('none.wav', ...tone(1), '-af', 'atrim=end_sample=0'))).toMatchObject({
        next: 'embedding',
        facts: { warnings: [{ code: 'indexed_nothing' }] },
      });
    });
  });
