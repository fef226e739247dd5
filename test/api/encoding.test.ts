import type { VideoView } from '../../models/video.ts';
import type { ObjectView } from '../../models/storage-object.ts';
import { clip } from './support/clips.ts';
import { content, expectRefused, until, type Client } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';
import { createLibrary, createVideo, sendPart } from './support/storage.ts';

let program: TestProgram;
let client: Client;
beforeAll(async () => {
  program = await startTestProgram({ PLY_ENCODER_THREADS: '1' });
  client = program.standard;
});
afterAll(() => program.end());

const library = (processing: object): Promise<string> =>
  createLibrary(program.admin, { processing }).then(({ id }) => id);
const read = (id: string): Promise<VideoView> => client.get(200, 'GET', `${content}/videos/${id}`);
const reaches = (id: string, ...statuses: string[]): Promise<VideoView> =>
  until(
    () => read(id),
    ({ status }) => statuses.includes(status),
  );

/** Uploads a source and answers the id of its video. */
async function put(libraryId: string, bytes: Buffer<ArrayBuffer>, fields: object = {}): Promise<string> {
  const { id, upload } = await createVideo(client, libraryId, { size: bytes.length, ...fields });
  await sendPart(upload.parts[0]?.url, bytes);
  await client.get(200, 'POST', `${content}/uploads/${upload.id}/complete`);
  return id;
}

async function keysOf(libraryId: string, prefix: string): Promise<string[]> {
  const { items } = await client.get<{ items: ObjectView[] }>(
    200,
    'GET',
    `${content}/buckets/${libraryId}/objects?limit=1000&prefix=${prefix}`,
  );
  return items.map(({ key }) => key);
}

describe('encoding', () => {
  it('makes a video playable, then ready, with all its files', async () => {
    const libraryId = await library({ ladder: [240, 360, 480], download: true });
    const bytes = await clip({ seconds: 14, size: '640x360' });
    const id = await put(libraryId, bytes);
    const ready = await reaches(id, 'ready', 'failed');
    expect(ready).toMatchObject({
      status: 'ready',
      errorCode: null,
      width: 640,
      height: 360,
      hasAudio: true,
      durationSeconds: 14,
      encodingMinutes: 0.233333,
      poster: true,
      thumbnails: true,
      download: true,
      originalKept: true,
      renditions: [
        { height: 240, width: 426 },
        { height: 360, width: 640 },
      ],
      encoding: { ladder: [240, 360, 480], origins: { ladder: 'library', keepOriginal: 'default' } },
    });
    const keys = await keysOf(libraryId, 'videos/');
    expect(keys.map((key) => key.replace(`videos/${id}/`, ''))).toEqual([
      'download.mp4',
      ...['audio', '240p', '360p']
        .toSorted()
        .flatMap((name) => [
          `e1/${name}/index.m3u8`,
          `e1/${name}/init.mp4`,
          ...[0, 1, 2].map((segment) => `e1/${name}/seg-0000${segment}.m4s`),
        ]),
      'e1/thumbnails/sprite_000.jpg',
      'master.m3u8',
      'poster.jpg',
      'thumbnails.vtt',
    ]);
    expect(ready.storedBytes).toBeGreaterThan(bytes.length);
    await client.get(202, 'DELETE', `${content}/videos/${id}`);
    await until(
      () => keysOf(libraryId, ''),
      (left) => left.length === 0,
    );
  });

  it('keeps no original where the library does not, and then encodes no second time', async () => {
    const libraryId = await library({ ladder: [240], keepOriginal: false, thumbnails: false });
    const id = await put(libraryId, await clip({ seconds: 1, size: '64x36', sound: false }));
    expect(await reaches(id, 'ready', 'failed')).toMatchObject({
      status: 'ready',
      hasAudio: false,
      originalKept: false,
      thumbnails: false,
      download: false,
      renditions: [{ height: 36, width: 64 }],
    });
    await until(
      () => keysOf(libraryId, 'sources/'),
      (left) => left.length === 0,
    );
    expectRefused(await program.admin.ask('POST', `${content}/videos/${id}/reencode`), [409, 'original_not_kept']);
  });

  it('encodes again, and plays meanwhile', async () => {
    const libraryId = await library({ ladder: [240], thumbnails: false });
    const id = await put(libraryId, await clip({ seconds: 1, size: '320x240', sound: false }));
    await reaches(id, 'ready', 'failed');
    await program.admin.get(200, 'PATCH', `${content}/libraries/${libraryId}`, {
      body: { processing: { ladder: [360], thumbnails: true } },
    });
    expectRefused(await client.ask('POST', `${content}/videos/${id}/reencode`), [403, 'admin_key_required']);
    expect(await program.admin.get(202, 'POST', `${content}/videos/${id}/reencode`)).toMatchObject({
      id,
      status: 'queued',
      renditions: [{ height: 240 }],
    });
    expectRefused(await program.admin.ask('POST', `${content}/videos/${id}/reencode`), [409, 'video_not_ready']);
    expect(await reaches(id, 'ready', 'failed')).toMatchObject({
      status: 'ready',
      thumbnails: true,
      encoding: { ladder: [360] },
      renditions: [{ height: 240, width: 320 }],
    });
    const { items } = await client.get<{ items: { action: string; actor: string }[] }>(
      200,
      'GET',
      `${content}/audit?resourceId=${id}`,
    );
    expect(items).toMatchObject([{ action: 'video.reencoded', actor: expect.stringMatching(/^api_key:/) }]);
    const keys = await keysOf(libraryId, `videos/${id}/e`);
    expect(keys.filter((key) => !key.startsWith(`videos/${id}/e2/`))).toEqual([]);
  });

  it('encodes again, and keeps no file that the new settings do not ask for', async () => {
    const libraryId = await library({ ladder: [240], thumbnails: true, download: true });
    const id = await put(libraryId, await clip({ seconds: 1, size: '320x240', sound: false }));
    const first = await reaches(id, 'ready', 'failed');
    expect(first).toMatchObject({ status: 'ready', thumbnails: true, download: true });
    await program.admin.get(200, 'PATCH', `${content}/libraries/${libraryId}`, {
      body: { processing: { thumbnails: false, download: false } },
    });
    await program.admin.get(202, 'POST', `${content}/videos/${id}/reencode`);
    const second = await reaches(id, 'ready', 'failed');
    expect(second).toMatchObject({ status: 'ready', thumbnails: false, download: false });
    expect(second.storedBytes).toBeLessThan(first.storedBytes);
    const beside = (await keysOf(libraryId, `videos/${id}/`)).filter((key) => !key.includes('/e2/'));
    expect(beside).toEqual([`videos/${id}/master.m3u8`, `videos/${id}/poster.jpg`]);
  });

  it.each<[string, () => Promise<Buffer<ArrayBuffer>>, string]>([
    ['text', () => Promise.resolve(Buffer.from('no video')), 'video_unreadable'],
    [
      'a playlist that names other files',
      () => Promise.resolve(Buffer.from('#EXTM3U\n/etc/passwd\n')),
      'video_unreadable',
    ],
    ['a truncated file', async () => Buffer.from((await clip({ seconds: 1 })).subarray(0, 3000)), 'video_unreadable'],
    ['sound alone', () => clip({ seconds: 1 }, ['-vn']), 'video_no_video_stream'],
    [
      'a picture that is too small',
      () => clip({ seconds: 1, size: '16x14', sound: false }),
      'video_resolution_unsupported',
    ],
  ])('fails for %s', async (_, bytes, code) => {
    const id = await put(await library({ ladder: [240] }), await bytes());
    expect(await reaches(id, 'ready', 'failed')).toMatchObject({
      status: 'failed',
      errorCode: code,
      encodingMinutes: null,
      readyAt: null,
    });
  });

  it.each<[string, Parameters<typeof clip>, object]>([
    ['a rotated picture', [{ seconds: 1, sound: false, rotation: 90 }], { width: 180, height: 320 }],
    ['pixels that are no squares', [{ seconds: 1, sound: false }, ['-vf', 'setsar=2']], { width: 640, height: 180 }],
    ['16 pixels a side', [{ seconds: 1, size: '16x16', sound: false }], { width: 16, height: 16 }],
    ['one frame', [{ seconds: 0.04, rate: 25, sound: false }], { width: 320 }],
    ['a variable frame rate', [{ seconds: 2, sound: false }, ['-vf', 'select=mod(n\\,3)', '-vsync', 'vfr']], {}],
    ['sound that is longer', [{ seconds: 2 }, ['-vf', 'trim=end=1']], { hasAudio: true }],
    ['Matroska', [{ seconds: 1 }, [], 'clip.mkv'], { hasAudio: true }],
  ])('takes %s', async (_, given, expected) => {
    const id = await put(await library({ ladder: [240] }), await clip(...given));
    expect(await reaches(id, 'ready', 'failed')).toMatchObject({ status: 'ready', errorCode: null, ...expected });
  });
});
