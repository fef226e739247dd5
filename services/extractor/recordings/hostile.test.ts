import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import { skipWithReason } from '../../../test/support/servers.ts';
import { openStudio, pictures, tone } from '../../../media/testing/recordings.ts';
import { staged } from '../testing/staged.ts';

const studio = await openStudio();
if ('unavailable' in studio) skipWithReason('malicious recordings', studio.unavailable);
else
  describe('malicious recordings', () => {
    const on = staged(studio, { PLY_MAX_FILE_BYTES: String(2 ** 20) });

    const video = { filename: 'x.mp4', kind: 'video' } as const;
    const mp4 = async (...options: string[]): Promise<Buffer> =>
      readFileSync(
        await studio.make(`made${options.length}.mp4`, ...tone(3), ...pictures(3), '-pix_fmt', 'yuv420p', ...options),
      );
    const failure = (fields: Parameters<typeof on.stage.failure>[0] = {}): ReturnType<typeof on.stage.failure> =>
      on.stage.failure({ ...video, sourceUrl: on.source.url, ...fields });
    const unreadable = { code: 'media_unreadable', outcome: 'definite' };
    const unreachable = { code: 'source_unreachable', outcome: 'temporary' };

    describe('that are playlists of other files are refused', () => {
      const visits: string[] = [];
      const canary = createServer((request, response) => {
        visits.push(request.url ?? '');
        response.end();
      });
      beforeAll(() => new Promise<void>((done) => canary.listen(0, '127.0.0.1', () => done())));
      afterAll(() => new Promise<void>((done) => canary.close(() => done())));
      const address = (): string => `http://127.0.0.1:${(canary.address() as AddressInfo).port}/other.ts`;

      it.each([
        [
          'HLS',
          () =>
            `#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\n${address()}\n#EXTINF:10,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n`,
        ],
        ['concat', () => `ffconcat version 1.0\nfile '${address()}'\nfile '/etc/passwd'\n`],
        [
          'DASH',
          () =>
            `<?xml version="1.0"?><MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static"><Period><AdaptationSet><Representation><BaseURL>${address()}</BaseURL></Representation></AdaptationSet></Period></MPD>`,
        ],
        ['SMIL', () => `<smil><body><video src="${address()}"/></body></smil>`],
        ['SDP', () => 'v=0\no=- 0 0 IN IP4 127.0.0.1\nc=IN IP4 127.0.0.1\nm=audio 5004 RTP/AVP 0\n'],
        ['image list', () => 'P6\n1 1\n255\nabc'],
      ])('(%s) are not read, and lead nowhere', async (_format, content) => {
        on.source.serve(Buffer.from(content()));
        expect(await failure()).toEqual(unreadable);
        expect(visits).toEqual([]);
      });

      it('with samples in another file do not read it', async () => {
        const content = await mp4();
        // The data reference `url ` with the flag "in this file" becomes one with an address (ISO/IEC 14496-12, 8.7.2).
        const at = content.indexOf('url \0\0\0\x01', 0, 'latin1');
        expect(at).toBeGreaterThan(0);
        const moved = Buffer.from(content);
        for (let place = at; place > 0; place = moved.indexOf('url \0\0\0\x01', place + 1, 'latin1'))
          moved.writeUInt8(0, place + 7);
        on.source.serve(moved);
        await failure();
        expect(visits).toEqual([]);
      });
    });

    it('with impossible picture sizes are not decoded', async () => {
      const content = Buffer.from(await mp4());
      for (let at = content.indexOf('avc1'); at > 0; at = content.indexOf('avc1', at + 4))
        content.writeUInt32BE(0xfffffff0, at + 28);
      on.source.serve(content);
      // The sound is as sound as it was.
      expect(await on.stage.run({ ...video, sourceUrl: on.source.url })).toMatchObject({ next: 'transcribing' });
    });

    it('with a wrong length in the header have their actual length', async () => {
      const content = Buffer.from(await mp4());
      const at = content.indexOf('mvhd');
      content.writeUInt32BE(content.readUInt32BE(at + 16) * 1000, at + 20);
      on.source.serve(content);
      expect(await on.stage.run({ ...video, sourceUrl: on.source.url })).toMatchObject({ next: 'transcribing' });
      expect((await on.stage.sound()).seconds).toBeCloseTo(3, 0);
      // Total samples of a FLAC: the last 36 bits of these 8 bytes (RFC 9639, 8.2).
      const flac = readFileSync(await studio.make('lying.flac', ...tone(3)));
      flac.writeUInt32BE(0xffffffff, 22);
      on.source.serve(flac);
      expect(await on.stage.run({ filename: 'x.flac', kind: 'audio', sourceUrl: on.source.url })).toMatchObject({
        next: 'transcribing',
      });
      expect((await on.stage.sound()).seconds).toBeCloseTo(3, 0);
      // Frames that the decoder passes over without a word: that is no silence.
      const frameless = Buffer.from(flac).fill(0, flac.indexOf(Buffer.from([0xff, 0xf8]), 42));
      frameless.writeUInt32BE(3 * 44_100, 22);
      on.source.serve(frameless);
      expect(await on.stage.failure({ filename: 'x.flac', kind: 'audio', sourceUrl: on.source.url })).toEqual({
        code: 'media_unreadable',
        outcome: 'definite',
      });
      // All bits of the length set: it was not known when the header was written.
      const unknown = await mp4('-movflags', 'frag_keyframe+empty_moov');
      unknown.fill(0xff, unknown.indexOf('mvhd') + 20, unknown.indexOf('mvhd') + 24);
      on.source.serve(unknown);
      expect(await on.stage.run({ ...video, sourceUrl: on.source.url })).toMatchObject({ next: 'transcribing' });
      expect((await on.stage.sound()).seconds).toBeCloseTo(3, 0);
    });

    it('without a length in the header are read to the end', async () => {
      for (const size of [0, 0xffffffff, 0x7ffff000]) {
        const wav = readFileSync(
          await studio.make('piped.wav', ...tone(3), '-ar', '8000', '-c:a', 'pcm_u8', '-bitexact'),
        );
        wav.writeUInt32LE(size, 4);
        wav.writeUInt32LE(size, 40);
        on.source.serve(wav);
        expect(await on.stage.run({ filename: 'x.wav', sourceUrl: on.source.url })).toMatchObject({
          next: 'transcribing',
        });
        expect((await on.stage.sound()).seconds).toBeCloseTo(3, 0);
      }
    });

    it('that are truncated, empty or noise fail with a code', async () => {
      const content = await mp4();
      for (const broken of [
        Buffer.alloc(0),
        Buffer.alloc(100_000),
        content.subarray(0, 2000),
        content.subarray(0, content.length - 500),
        Buffer.from(content.map((byte, at) => (at < 40 ? byte : byte ^ 0x5a))),
      ]) {
        on.source.serve(broken);
        expect(await failure()).toEqual(unreadable);
      }
    });

    it('with wrong box sizes fail with a code, or are read', async () => {
      const content = await mp4();
      const ends: (string | null)[] = [];
      for (const box of ['stco', 'stbl', 'moov', 'mdat']) {
        for (const size of [0, 1, 4, 0x7fffffff]) {
          const lying = Buffer.from(content);
          lying.writeUInt32BE(size, content.indexOf(box) - 4);
          on.source.serve(lying);
          ends.push((await failure())?.code ?? null);
        }
      }
      const counting = Buffer.from(content);
      counting.writeUInt32BE(0xffffffff, content.indexOf('stco') + 8);
      on.source.serve(counting);
      ends.push((await failure())?.code ?? null);
      expect(ends.filter((end) => end !== null && end !== 'media_unreadable')).toEqual([]);
      expect(ends.filter((end) => end === 'media_unreadable').length).toBeGreaterThan(8);
    });

    it.each([
      ['mp4', [...pictures(3), '-pix_fmt', 'yuv420p']],
      ['mkv', []],
      ['avi', []],
      ['mp3', []],
      ['wav', []],
      ['flac', []],
      ['ogg', []],
      ['aac', []],
    ])('(%s) that were damaged anywhere end with a code, or with what is left', async (extension, options) => {
      const content = readFileSync(await studio.make(`whole.${extension}`, ...tone(3), ...options));
      const change = fc.record({
        at: fc.double({ min: 0, max: 0.999, noNaN: true }),
        bytes: fc.uint8Array({ minLength: 1, maxLength: 40 }),
        cut: fc.boolean(),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(change, { minLength: 1, maxLength: 5 }), async (changes) => {
          let damaged = Buffer.from(content);
          for (const { at, bytes, cut } of changes) {
            const from = Math.floor(damaged.length * at);
            if (cut && changes.length > 2) damaged = damaged.subarray(0, Math.max(from, 1));
            else damaged.set(bytes.subarray(0, damaged.length - from), from);
          }
          on.source.serve(damaged);
          const end = await failure({ filename: `x.${extension}` });
          expect(end === null ? 'read' : end.code).toMatch(/^(read|media_unreadable|audio_too_long)$/);
        }),
        { numRuns: Number(process.env['PLY_TEST_MUTATIONS'] ?? 6) },
      );
    });

    it('from a very slow source are retried later', async () => {
      const content = await mp4();
      on.source.serve(content, {
        behaviour: (response) => {
          response.writeHead(200, { ETag: '"1"', 'Content-Length': content.length });
          let at = 0;
          const drip = setInterval(() => response.write(content.subarray(at, ++at)), 300);
          response.once('close', () => clearInterval(drip));
        },
      });
      expect(await failure()).toEqual(unreachable);
    });

    it('without an end are too large', async () => {
      const beginning = readFileSync(await studio.make('endless.mp3', ...tone(10)));
      on.source.serve(beginning, {
        behaviour: (response) => {
          response.writeHead(200, { ETag: '"1"' });
          const more = (): void => {
            if (response.destroyed) return;
            if (response.write(beginning)) setImmediate(more);
            else response.once('drain', more);
          };
          more();
        },
      });
      expect(await failure({ filename: 'x.mp3', kind: 'audio' })).toEqual({
        code: 'source_too_large',
        outcome: 'definite',
      });
      on.source.serve(beginning, {
        behaviour: (response) => {
          response.writeHead(200, { ETag: '"1"', 'Content-Length': 2 ** 40 }).write(beginning);
        },
      });
      expect(await failure({ filename: 'x.mp3', kind: 'audio' })).toEqual({
        code: 'source_too_large',
        outcome: 'definite',
      });
    });

    it('continue after a broken connection', async () => {
      const content = readFileSync(await studio.make('minute.mp3', ...tone(60)));
      on.source.serve(content, {
        behaviour: (response, { part, attempt }) => {
          if (attempt > 1) return on.source.well(response, part);
          response.writeHead(200, { ETag: '"1"', 'Accept-Ranges': 'bytes', 'Content-Length': content.length });
          response.write(content.subarray(0, 200_000));
          setTimeout(() => response.destroy(), 200);
        },
      });
      expect(await on.stage.run({ filename: 'x.mp3', sourceUrl: on.source.url })).toMatchObject({
        next: 'transcribing',
        facts: { bytes: content.length },
      });
      expect(on.source.asked).toHaveLength(2);
      expect((await on.stage.sound()).seconds).toBeCloseTo(60, 0);
    });

    it('are retried later if the connection breaks repeatedly', async () => {
      const content = await mp4();
      on.source.serve(content, {
        behaviour: (response) => {
          response.writeHead(200, { ETag: '"1"', 'Content-Length': content.length });
          response.write(content.subarray(0, content.length / 2));
          setTimeout(() => response.destroy(), 100);
        },
      });
      expect(await failure()).toEqual(unreachable);
    });

    it('that change during the read are another version', async () => {
      const content = readFileSync(await studio.make('minute.mp3', ...tone(60)));
      on.source.serve(content, {
        behaviour: (response, { attempt }) => {
          if (attempt > 1) return response.writeHead(412).end();
          response.writeHead(200, { ETag: '"1"', 'Accept-Ranges': 'bytes', 'Content-Length': content.length });
          response.write(content.subarray(0, 200_000));
          setTimeout(() => response.destroy(), 200);
        },
      });
      expect(await failure({ filename: 'x.mp3', kind: 'audio' })).toEqual({
        code: 'source_version_changed',
        outcome: 'definite',
      });
      on.source.serve(content, { etag: '"2"' });
      expect(await failure({ filename: 'x.mp3', kind: 'audio' })).toEqual({
        code: 'source_version_changed',
        outcome: 'definite',
      });
    });

    it('whose index changes are another version', async () => {
      const content = await mp4();
      const other = Buffer.from(content);
      other.writeUInt8(1, content.indexOf('mvhd') + 5);
      on.source.serve(content, {
        behaviour: (response, { part }) => {
          if (part === null) return on.source.well(response, part);
          response
            .writeHead(206, { ETag: '"1"', 'Content-Range': `bytes ${part.from}-${part.to - 1}/${content.length}` })
            .end(other.subarray(part.from, part.to));
        },
      });
      expect(await failure()).toEqual({ code: 'source_version_changed', outcome: 'definite' });
    });

    it('with a redirect wait for access', async () => {
      on.source.serve(Buffer.alloc(1), {
        behaviour: (response) => {
          response.writeHead(302, { Location: 'http://127.0.0.1:1/' }).end();
        },
      });
      expect(await failure()).toEqual({ code: 'source_access_denied', outcome: 'access' });
    });

    it('leave nothing in the work folder', () => {
      expect(on.stage.leftovers()).toEqual([]);
    });
  });
