import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { skipWithReason } from '../../../test/support/servers.ts';
import { lavfi, openStudio, pictures, tone } from '../../../media/testing/recordings.ts';
import { openStage } from '../testing/stage.ts';
import { staged } from '../testing/staged.ts';

const studio = await openStudio();
if ('unavailable' in studio) skipWithReason('recordings', studio.unavailable);
else
  describe('recordings', () => {
    const on = staged(studio);

    /** Makes a recording, serves it and runs the stage over it. */
    const extract = async (
      name: string,
      args: string[],
      fields: Parameters<typeof on.stage.run>[0] = {},
      served: Parameters<typeof on.source.serve>[1] = {},
    ): ReturnType<typeof on.stage.run> => {
      const content = readFileSync(await studio.make(name, ...args));
      on.source.serve(content, served);
      return on.stage.run({
        filename: name,
        sourceUrl: on.source.url,
        kind: /\.(mp4|mov|mkv|webm|avi)$/.test(name) ? 'video' : 'audio',
        ...fields,
      });
    };

    const picture = ['-pix_fmt', 'yuv420p'];
    it.each([
      ['a.mp3', tone(2)],
      ['a.wav', tone(2)],
      ['a.flac', tone(2)],
      ['a.m4a', tone(2)],
      ['a.ogg', tone(2)],
      ['a.aac', tone(2)],
      ['a.mp4', [...tone(2), ...pictures(2), ...picture]],
      ['first.mp4', [...tone(2), ...pictures(2), ...picture, '-movflags', '+faststart']],
      ['fragments.mp4', [...tone(2), ...pictures(2), ...picture, '-movflags', 'frag_keyframe+empty_moov']],
      ['a.mov', [...tone(2), ...pictures(2), ...picture]],
      ['a.mkv', [...tone(2), ...pictures(2), ...picture]],
      ['a.webm', [...tone(2), ...pictures(2), '-c:v', 'libvpx', '-c:a', 'libvorbis']],
      ['a.avi', [...tone(2), ...pictures(2), ...picture]],
      // Containers that are met under the names of others.
      ['transport.ts', [...tone(2), ...pictures(2), ...picture], 'transport.mp4'],
      ['wave.w64', tone(2), 'wave.wav'],
      ['frames.latm', [...tone(2), '-c:a', 'aac'], 'frames.aac'],
    ])('of %s become a chunk of sound', async (name, args, filename = name) => {
      const { next, facts, outbox } = await extract(name, args, { filename });
      const content = readFileSync(`${studio.folder}/${name}`);
      expect({ next, bytes: facts.bytes, sha256: facts.sha256, warnings: facts.warnings }).toEqual({
        next: 'transcribing',
        bytes: content.length,
        sha256: createHash('sha256').update(content).digest('hex'),
        warnings: [],
      });
      expect(outbox).toMatchObject([{ kind: 'usage', metric: 'source_bytes', quantity: content.length }]);
      const sound = await on.stage.sound();
      expect(sound.seconds).toBeCloseTo(2, 0);
      expect(sound.chunks).toHaveLength(1);
      const wav = await on.stage.blob('sound-00001.wav');
      expect([wav.toString('latin1', 0, 4), wav.readUInt32LE(24), wav.readUInt16LE(22), wav.readUInt16LE(34)]).toEqual([
        'RIFF',
        16_000,
        1,
        16,
      ]);
      expect((wav.length - 44) / 32_000).toBeCloseTo(2, 0);
    });

    it('with the index at the end are read in order, with the index read separately', async () => {
      await extract('a.mp4', [...tone(2), ...pictures(2), ...picture]);
      expect(on.source.asked).toEqual([
        null,
        expect.stringMatching(/^bytes=\d+-\d+$/),
        expect.stringMatching(/^bytes=\d+-\d+$/),
      ]);
      const direct = createHash('sha256')
        .update(await on.stage.blob('sound-00001.wav'))
        .digest('hex');
      // The same sound comes out where the source has no ranges, through the work folder, which is left clean.
      await extract('a.mp4', [...tone(2), ...pictures(2), ...picture], {}, { ranges: false });
      expect(on.source.asked).toEqual([null]);
      expect(
        createHash('sha256')
          .update(await on.stage.blob('sound-00001.wav'))
          .digest('hex'),
      ).toBe(direct);
      // Nor does it matter where the source only says that it has them.
      const content = readFileSync(`${studio.folder}/a.mp4`);
      on.source.serve(content, {
        behaviour: (response) => {
          on.source.well(response, null);
        },
      });
      await on.stage.run({ filename: 'a.mp4', kind: 'video', sourceUrl: on.source.url });
      expect(on.source.asked).toEqual([null, expect.stringMatching(/^bytes=/)]);
      expect(
        createHash('sha256')
          .update(await on.stage.blob('sound-00001.wav'))
          .digest('hex'),
      ).toBe(direct);
      expect(on.stage.leftovers()).toEqual([]);
    });

    it('have reproducible results', async () => {
      const args = [...tone(40), '-b:a', '32k'];
      await extract('long.mp3', args);
      const [first, names] = [await on.stage.sound(), await on.stage.names()];
      await extract('long.mp3', args);
      expect([await on.stage.sound(), await on.stage.names()]).toEqual([first, names]);
      expect(first.chunks).toMatchObject([{ start: 0, end: 28 }, { start: 26.5 }]);
    });

    it('are read on the requested track', async () => {
      const tracks = [
        ...lavfi('anullsrc=duration=2'),
        ...tone(2),
        ...pictures(2),
        '-shortest',
        '-map',
        '0:a',
        '-map',
        '1:a',
        '-map',
        '2:v',
        ...picture,
      ];
      expect((await extract('tracks.mkv', tracks, { audioTrack: 1 })).next).toBe('transcribing');
      const silent = await extract('tracks.mkv', tracks, { audioTrack: 0 });
      expect(silent).toMatchObject({ next: 'embedding', facts: { warnings: [{ code: 'indexed_nothing' }] } });
      on.source.serve(readFileSync(`${studio.folder}/tracks.mkv`));
      expect(
        await on.stage.failure({ filename: 'tracks.mkv', kind: 'video', sourceUrl: on.source.url, audioTrack: 2 }),
      ).toEqual({ code: 'audio_track_not_found', outcome: 'definite' });
    });

    it('have times from the start of the recording, even if a track starts late', async () => {
      const late = [...pictures(6), '-itsoffset', '3', ...tone(2), '-map', '0:v', '-map', '1:a', ...picture];
      await extract('late.mp4', late);
      const sound = await on.stage.sound();
      // A chunk begins a margin before its sound.
      expect(sound.chunks[0]?.start).toBeCloseTo(2.7, 1);
      expect(sound.seconds).toBeCloseTo(5, 0);
    });

    const late3 = lavfi('sine=frequency=440:duration=3,adelay=3000');
    const still = ['-frames:v', '1'];
    it.each([
      [
        'from a browser, live, its times from 100 s on',
        'live.webm',
        [...pictures(6), ...late3, '-c:v', 'libvpx', '-c:a', 'libopus', '-live', '1', '-output_ts_offset', '100'],
      ],
      [
        'in fragments, the sound with an offset',
        'dash.mp4',
        [
          ...pictures(6),
          '-itsoffset',
          '3',
          ...tone(3),
          '-map',
          '0:v',
          '-map',
          '1:a',
          ...picture,
          '-bf',
          '0',
          '-movflags',
          'frag_keyframe+empty_moov+default_base_moof',
        ],
      ],
      [
        'whose pictures begin late',
        'pictures-late.mp4',
        ['-itsoffset', '2', ...pictures(4), ...late3, '-map', '0:v', '-map', '1:a', ...picture],
      ],
      [
        'of 5.1 channels, 96 kHz and 24 bits',
        'surround.wav',
        [...late3, '-af', 'pan=5.1|c2=c0', '-ar', '96000', '-c:a', 'pcm_s24le'],
      ],
      ['of 8 kHz in floating point', 'float.wav', [...late3, '-ar', '8000', '-c:a', 'pcm_f32le']],
      [
        'with a cover picture',
        'cover.m4a',
        [
          ...late3,
          ...pictures(1),
          '-map',
          '0:a',
          '-map',
          '1:v',
          ...still,
          '-c:v',
          'mjpeg',
          '-pix_fmt',
          'yuvj420p',
          '-disposition:v',
          'attached_pic',
        ],
      ],
      ['of Opus', 'opus.ogg', [...late3, '-c:a', 'libopus']],
      ['without loss', 'alac.m4a', [...late3, '-c:a', 'alac']],
      ['of Windows Media sound', 'wma.avi', [...pictures(6), ...late3, '-c:a', 'wmav2']],
    ])('%s have their sound at its time', async (_what, name, args) => {
      expect(await extract(name, args)).toMatchObject({ next: 'transcribing', facts: { warnings: [] } });
      const { seconds, chunks } = await on.stage.sound();
      expect(seconds).toBeCloseTo(6, 0);
      // A chunk begins a margin before its sound.
      expect(chunks.map(({ start }) => start)).toEqual([expect.closeTo(2.7, 0)]);
      expect(Math.abs((chunks[0]?.start ?? 0) - 2.7)).toBeLessThan(0.15);
    });

    it('cut without re-encoding start at the cut', async () => {
      const whole = await studio.make('whole.mp4', ...pictures(6), ...late3, ...picture);
      await extract('cut.mp4', ['-ss', '2', '-i', whole, '-c', 'copy']);
      expect(Math.abs(((await on.stage.sound()).chunks[0]?.start ?? 0) - 0.7)).toBeLessThan(0.15);
    });

    it('without sound have nothing to transcribe', async () => {
      expect(await extract('silence.mp3', [...lavfi('anullsrc'), '-t', '2'])).toMatchObject({
        next: 'embedding',
        facts: { warnings: [{ code: 'indexed_nothing', detail: 'The recording is silent.' }] },
      });
      expect((await on.stage.blob('transcript.ndjson')).length).toBe(0);
      expect(await extract('mute.mp4', [...pictures(2), ...picture], { audioTrack: 1 })).toMatchObject({
        next: 'embedding',
        facts: { warnings: [{ code: 'indexed_nothing', detail: 'The recording has no sound track.' }] },
      });
    });

    it('that are too long fail, by their header or their content', async () => {
      const short = await openStage({ PLY_MAX_AUDIO_SECONDS: '3' });
      try {
        const content = readFileSync(await studio.make('five.mp3', ...tone(5)));
        on.source.serve(content);
        expect(await short.failure({ filename: 'five.mp3', sourceUrl: on.source.url })).toEqual({
          code: 'audio_too_long',
          outcome: 'definite',
        });
        // A stream of frames tells no length.
        on.source.serve(readFileSync(await studio.make('five.aac', ...tone(5))));
        expect(await short.failure({ filename: 'five.aac', sourceUrl: on.source.url })).toEqual({
          code: 'audio_too_long',
          outcome: 'definite',
        });
      } finally {
        await short.close();
      }
    });

    it('are compared with the registered digest', async () => {
      const content = readFileSync(await studio.make('a.mp3', ...tone(2)));
      on.source.serve(content);
      const digest = createHash('sha256').update(content).digest('hex');
      expect(
        (await on.stage.run({ filename: 'a.mp3', sourceUrl: on.source.url, sourceVersion: `sha256:${digest}` })).facts
          .sha256,
      ).toBe(digest);
      expect(
        await on.stage.failure({
          filename: 'a.mp3',
          sourceUrl: on.source.url,
          sourceVersion: `sha256:${'0'.repeat(64)}`,
        }),
      ).toEqual({ code: 'source_version_changed', outcome: 'definite' });
      expect(
        (await on.stage.run({ filename: 'a.mp3', sourceUrl: on.source.url, contentSha256: '0'.repeat(64) })).facts
          .warnings,
      ).toMatchObject([{ code: 'content_digest_differs' }]);
    });

    it('stop if aborted', async () => {
      on.source.serve(readFileSync(await studio.make('a.mp3', ...tone(2))), {
        behaviour: (response) => {
          response.writeHead(200, { ETag: '"1"' }).write('ID3');
        },
      });
      const calledOff = new AbortController();
      setTimeout(() => calledOff.abort(new Error('called off')), 300);
      await expect(on.stage.run({ filename: 'a.mp3', sourceUrl: on.source.url }, calledOff.signal)).rejects.toThrow(
        /called off/,
      );
    });
  });
