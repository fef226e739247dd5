import { readFileSync } from 'node:fs';
import { skipWithReason } from '../test/support/servers.ts';
import { ByteFeed } from './byte-feed.ts';
import { sniffContainer, sniffedBytes } from './containers.ts';
import { probe } from './probe.ts';
import { findPrograms } from './programs.ts';
import { singleTrack } from './single-track.ts';
import { lavfi, openStudio, pictures, tone } from './testing/recordings.ts';

const studio = await openStudio();
const found = await findPrograms('');
if ('unavailable' in studio || 'missing' in found)
  skipWithReason('recordings of a single track', 'unavailable' in studio ? studio.unavailable : 'there is no ffprobe');
else
  describe('containers with a single track', () => {
    afterAll(() => studio.close());

    /** An ID3v2 tag with the given number of bytes after its header. */
    const tag = (bytes: number): Buffer =>
      Buffer.concat([
        Buffer.from('ID3\x04\0\0', 'latin1'),
        Buffer.from([21, 14, 7, 0].map((shift) => (bytes >> shift) & 0x7f)),
        Buffer.alloc(bytes),
      ]);
    const cover = [
      ...tone(1),
      ...pictures(1),
      '-map',
      '0:a',
      '-map',
      '1:v',
      '-frames:v',
      '1',
      '-c:v',
      'png',
      '-disposition:v',
      'attached_pic',
    ];

    it.each([
      ['a.wav', tone(2)],
      ['stereo.mp3', [...tone(2), '-ac', '2']],
      ['stereo.aac', [...tone(2), '-ac', '2']],
      ['stereo.flac', [...tone(2), '-ac', '2']],
      ['surround.aac', [...tone(1), '-af', 'pan=7.1|c2=c0']],
      ['surround.wav', [...tone(1), '-af', 'pan=5.1|c2=c0', '-c:a', 'pcm_s24le']],
      ['a.mp3', [...tone(30), '-q:a', '3']],
      ['cover.mp3', cover],
      ['a.aac', tone(2)],
      ['a.flac', tone(2.5)],
      ['cover.flac', cover],
      ['high.flac', [...lavfi('sine=duration=3:sample_rate=96000'), '-sample_fmt', 's32']],
    ])('%s: agrees with ffprobe', async (name, args) => {
      const content = readFileSync(await studio.make(name, ...args));
      const container = sniffContainer(content.subarray(0, sniffedBytes), name);
      if (container === null) throw new Error('it is of no container');
      const confinement = { prefix: [], used: [], network: 'none' as const };
      const asked = await probe({
        ffprobe: found.programs.ffprobe,
        confinement,
        container,
        feed: new ByteFeed(
          (async function* () {
            yield content;
          })(),
        ),
        signal: new AbortController().signal,
      });
      const track = singleTrack(container, content.subarray(0, sniffedBytes), content.length);
      expect(track).toEqual({ ...asked, seconds: track?.seconds });
      // From a pipe, ffprobe knows only the length of FLAC.
      if (container === 'flac') expect(track?.seconds).toBe(asked.seconds);
    });

    it('reads the length of a FLAC after tags, if it is declared', async () => {
      const content = readFileSync(await studio.make('a.flac', ...tone(2.5)));
      expect(singleTrack('flac', Buffer.concat([tag(300), tag(0), content]), null)).toMatchObject({ seconds: 2.5 });
      const unknown = Buffer.from(content);
      unknown.writeUInt8(unknown.readUInt8(21) & 0xf0, 21);
      unknown.writeUInt32BE(0, 22);
      expect(singleTrack('flac', unknown, null)).toMatchObject({ seconds: null });
    });

    it('reads the channels of a WAV after other chunks', async () => {
      const content = readFileSync(await studio.make('a.wav', ...tone(2)));
      const chunk = Buffer.concat([Buffer.from('bext\x03\x01\0\0', 'latin1'), Buffer.alloc(260)]);
      expect(
        singleTrack('wav', Buffer.concat([content.subarray(0, 12), chunk, content.subarray(12)]), null),
      ).toMatchObject({ soundTracks: [{ channels: 1 }] });
    });

    it.each([
      '-b:a 64k -ar 44100',
      '-q:a 3 -ar 48000 -ac 2',
      '-b:a 32k -ar 22050',
      '-b:a 32k -ar 22050 -ac 2',
      '-b:a 16k -ar 8000',
    ])('reads the length of an MP3 made with %s, if its first frame declares it', async (options) => {
      const content = readFileSync(
        await studio.make(`${options.replaceAll(/[^a-z0-9]/g, '')}.mp3`, ...tone(30), ...options.split(' ')),
      );
      const { seconds } = singleTrack('mp3', Buffer.concat([tag(900), content]), null) ?? {};
      expect(Math.abs((seconds ?? 0) - 30)).toBeLessThan(0.2);
      const without = Buffer.from(content);
      for (const name of ['Xing', 'Info'])
        if (without.includes(name)) without.write('    ', without.indexOf(name), 'latin1');
      expect(singleTrack('mp3', without, without.length)).toMatchObject({ seconds: null });
    });

    it("reads the length of an MP3 of Fraunhofer's encoder", () => {
      const frame = Buffer.alloc(200);
      frame.set([0xff, 0xfb, 0x90, 0x00]);
      frame.write('VBRI', 36, 'latin1');
      frame.writeUInt32BE(11_484, 36 + 14);
      expect(singleTrack('mp3', frame, null)?.seconds).toBeCloseTo((11_484 * 1152) / 44_100);
      for (let length = 4; length < 54; length++)
        expect(singleTrack('mp3', frame.subarray(0, length), null)).toMatchObject({ seconds: null });
    });

    it('limits the length of a WAV to the existing samples', async () => {
      const content = readFileSync(await studio.make('a.wav', ...tone(2)));
      const offset = content.indexOf('data') + 4;
      const saying = (bytes: number): Buffer => {
        const changed = Buffer.from(content);
        changed.writeUInt32LE(bytes, offset);
        return changed.subarray(0, sniffedBytes);
      };
      const sound = content.length - offset - 4;
      for (const bytes of [sound, 0, 0xffff_ffff])
        expect(singleTrack('wav', saying(bytes), content.length)?.seconds).toBeCloseTo(2);
      expect(singleTrack('wav', saying(sound / 2), content.length)?.seconds).toBeCloseTo(1);
      expect(singleTrack('wav', saying(sound), null)?.seconds).toBeNull();
      expect(singleTrack('wav', saying(sound), 10)?.seconds).toBeNull();
    });

    it('requires ffprobe if the header is not at the beginning', () => {
      const riff = Buffer.from('RIFF\0\0\0\0WAVEbext\xf0\xff\xff\x0f', 'latin1');
      expect(singleTrack('wav', Buffer.concat([riff, Buffer.alloc(100)]), null)).toBeNull();
      expect(singleTrack('wav', riff.subarray(0, 14), null)).toBeNull();
      for (const container of ['flac', 'mp3', 'aac'] as const)
        expect(singleTrack(container, tag(sniffedBytes).subarray(0, sniffedBytes), null)).toBeNull();
      expect(singleTrack('flac', Buffer.from('fLaC\x04'), null)).toBeNull();
      expect(
        singleTrack('flac', Buffer.concat([Buffer.from('fLaC\x04', 'latin1'), Buffer.alloc(100)]), null),
      ).toBeNull();
    });
  });

it.each(['mov', 'matroska', 'avi', 'ogg', 'mpegts', 'w64', 'loas'] as const)('requires ffprobe for %s', (container) => {
  expect(singleTrack(container, Buffer.alloc(sniffedBytes), null)).toBeNull();
});
