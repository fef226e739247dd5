import { readFileSync } from 'node:fs';
import { skipWithReason } from '../../../test/support/servers.ts';
import { openStudio, pictures, tone } from '../../../media/testing/recordings.ts';
import { staged } from '../testing/staged.ts';

const key = [
  '-encryption_scheme',
  'cenc-aes-ctr',
  '-encryption_key',
  '76a6c65c5ea762046bd749a2e632ccbb',
  '-encryption_kid',
  'a7e61c373e219033c21091fa607bf3b8',
];

/** An element of EBML with its size in 8 bytes (RFC 8794, 4 to 6). */
function element(id: string, content: Buffer): Buffer {
  const size = Buffer.alloc(8);
  size.writeBigUInt64BE(BigInt(content.length) | (1n << 56n));
  return Buffer.concat([Buffer.from(id, 'hex'), size, content]);
}

/** Where the content of an element begins, and its length; `at` is the place of its id. */
function contentAt(file: Buffer, at: number, idBytes: number): { from: number; bytes: number } {
  const sizeBytes = Math.clz32(file.readUInt8(at + idBytes)) - 23;
  const first = file.readUInt8(at + idBytes) & ((1 << (8 - sizeBytes)) - 1);
  const bytes = [...file.subarray(at + idBytes + 1, at + idBytes + sizeBytes)].reduce(
    (sum, byte) => sum * 256 + byte,
    first,
  );
  return { from: at + idBytes + sizeBytes, bytes };
}

/**
 * A live WebM of one track that says of itself that it is encrypted (Matroska's ContentEncodings, RFC 9559,
 * 5.1.4.1.31).
 */
function encryptedWebm(file: Buffer): Buffer {
  const id = Buffer.from('1654ae6b', 'hex');
  // The list of places names it first.
  const at = file.indexOf(id, file.indexOf(id) + 4);
  const tracks = contentAt(file, at, 4);
  // A checksum may stand before the track.
  const entryAt = file.indexOf(0xae, tracks.from);
  const entry = contentAt(file, entryAt, 1);
  const encryption = element(
    '5035',
    Buffer.concat([element('47e1', Buffer.from([5])), element('47e2', Buffer.from('0123456789abcdef'))]),
  );
  const encodings = element('6d80', element('6240', Buffer.concat([element('5033', Buffer.from([1])), encryption])));
  const track = element('ae', Buffer.concat([file.subarray(entry.from, entry.from + entry.bytes), encodings]));
  return Buffer.concat([file.subarray(0, at), element('1654ae6b', track), file.subarray(tracks.from + tracks.bytes)]);
}

/** Gives samples another name. */
function renamed(file: Buffer, from: string, to: string): Buffer {
  const changed = Buffer.from(file);
  for (let at = changed.indexOf(from); at >= 0; at = changed.indexOf(from, at + 4)) changed.write(to, at, 'latin1');
  return changed;
}

const studio = await openStudio();
if ('unavailable' in studio) skipWithReason('protected recordings', studio.unavailable);
else
  describe('protected recordings', () => {
    const on = staged(studio);

    const video = [...tone(3), ...pictures(3), '-pix_fmt', 'yuv420p'];
    const made = async (name: string, ...args: string[]): Promise<Buffer> =>
      readFileSync(await studio.make(name, ...args));
    const mediaEncrypted = { code: 'media_encrypted', outcome: 'definite' };

    it.each<[string, string, () => Promise<Buffer>]>([
      ['by common encryption', 'a.mp4', () => made('cenc.mp4', ...video, ...key)],
      [
        'in fragments, as HLS and DASH have them',
        'a.mp4',
        () => made('hls.mp4', ...video, ...key, '-movflags', 'frag_keyframe+empty_moov'),
      ],
      ['by FairPlay', 'a.m4a', async () => renamed(await made('fairplay.m4a', ...tone(3)), 'mp4a', 'drms')],
      ['as audio books are', 'a.m4a', async () => renamed(await made('book.m4a', ...tone(3)), 'mp4a', 'aavd')],
      [
        'in WebM',
        'a.webm',
        async () => encryptedWebm(await made('live.webm', ...tone(3), '-c:a', 'libopus', '-live', '1')),
      ],
    ])('(%s) are reported as encrypted, not as silent', async (_how, filename, content) => {
      on.source.serve(await content());
      expect(
        await on.stage.failure({ filename, kind: filename === 'a.m4a' ? 'audio' : 'video', sourceUrl: on.source.url }),
      ).toEqual(mediaEncrypted);
    });

    it('are readable on an unprotected sound track', async () => {
      const content = await made('tracks.mp4', ...tone(3), ...tone(3), '-map', '0:a', '-map', '1:a');
      const first = content.indexOf('mp4a');
      const half = Buffer.from(content);
      half.write('enca', first, 'latin1');
      on.source.serve(half);
      expect(
        await on.stage.failure({ filename: 'a.mp4', kind: 'video', sourceUrl: on.source.url, audioTrack: 0 }),
      ).toEqual(mediaEncrypted);
      expect(
        await on.stage.run({ filename: 'a.mp4', kind: 'video', sourceUrl: on.source.url, audioTrack: 1 }),
      ).toMatchObject({ next: 'transcribing', facts: { warnings: [] } });
    });

    it('with protected pictures have sound, and a warning about slides', async () => {
      on.source.serve(renamed(await made('pictures.mp4', ...video), 'avc1', 'encv'));
      const { next, facts } = await on.stage.run({
        filename: 'a.mp4',
        kind: 'video',
        sourceUrl: on.source.url,
        extractContentFromVideoFrames: true,
      });
      expect({ next, warnings: facts.warnings }).toEqual({
        next: 'transcribing',
        warnings: [{ code: 'slides_unread', detail: 'The pictures are protected (DRM).' }],
      });
    });
  });
