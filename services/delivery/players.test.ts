import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { linkKeyOf } from '../../mixins/storage/signing-key.ts';
import type { Bucket } from '../../models/bucket.ts';
import { signDirectory } from '../../models/links/sign.ts';
import { ensureProgram, runProgram } from '../../scripts/setup/system.ts';
import { startEdges, type TestEdge, type TestEdges } from '../../test/support/edge.ts';
import { skipWithReason } from '../../test/support/servers.ts';

const seconds = 12;
const folder = mkdtempSync(join(tmpdir(), 'ply-players-'));
const types: Readonly<Record<string, string>> = {
  '.m3u8': 'application/vnd.apple.mpegurl',
  '.m4s': 'video/iso.segment',
  '.mp4': 'video/mp4',
};

/** Two renditions and one audio rendition, as the encoder lays them out: playlists, fMP4 segments, key frames aligned. */
async function makeVideo(): Promise<string | null> {
  const present = await ensureProgram(['ffmpeg', '-version'], ['ffmpeg']);
  if (!present.ok) return present.reason;
  const inputs = [
    '-f',
    'lavfi',
    '-i',
    `testsrc2=s=640x360:r=25:d=${seconds}`,
    '-f',
    'lavfi',
    '-i',
    `sine=d=${seconds}`,
  ];
  const made = await runProgram(
    'ffmpeg',
    [
      ...['-v', 'error', ...inputs, '-filter_complex', '[0:v]split=2[a][b];[a]scale=426:240[low]'],
      ...[
        '-map',
        '[low]',
        '-map',
        '[b]',
        '-map',
        '1:a',
        '-c:v',
        'libx264',
        '-preset',
        'ultrafast',
        '-pix_fmt',
        'yuv420p',
      ],
      ...['-g', '50', '-sc_threshold', '0', '-c:a', 'aac', '-f', 'hls', '-hls_time', '4', '-hls_playlist_type', 'vod'],
      ...[
        '-hls_segment_type',
        'fmp4',
        '-hls_fmp4_init_filename',
        'init_%v.mp4',
        '-hls_segment_filename',
        '%v/%03d.m4s',
      ],
      ...[
        '-var_stream_map',
        'v:0,agroup:a v:1,agroup:a a:0,agroup:a',
        '-master_pl_name',
        'master.m3u8',
        '%v/list.m3u8',
      ],
    ],
    { folder },
  );
  return made.ok ? null : made.reason;
}

const unavailable = await makeVideo();
if (unavailable !== null) skipWithReason('players of a video', unavailable);
else {
  let stage: TestEdges;
  let edge: TestEdge;
  let bucket: Bucket;
  beforeAll(async () => {
    stage = await startEdges(1);
    [edge] = stage.edges as [TestEdge];
    bucket = await stage.addBucket({ kind: 'video' });
    for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
      const contentType = types[extname(name)];
      if (contentType !== undefined)
        await stage.put(bucket, `videos/v1/${name}`, readFileSync(join(folder, name)), { contentType });
    }
  }, 60_000);
  afterAll(async () => {
    await stage.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Both forms of a link to the video. */
  const links = (): { path: string; nativePath: string } => {
    const key = linkKeyOf(stage.test.app, bucket);
    if (key === null) throw new Error('no key');
    const expires = Math.floor(Date.now() / 1000) + 600;
    const { query, nativePrefix } = signDirectory('pl1d', key, 'videos/v1', { expires });
    return { path: `/videos/v1/master.m3u8?${query}`, nativePath: `${nativePrefix}/videos/v1/master.m3u8` };
  };

  it.each(['path', 'nativePath'] as const)('ffprobe reads the whole video from its %s', async (form) => {
    const read = await runProgram('ffprobe', [
      ...['-v', 'error', '-headers', `Host: ${bucket.name}.localhost\r\n`],
      ...['-show_entries', 'format=duration:stream=codec_type,height', '-of', 'json'],
      `http://127.0.0.1:${edge.port}${links()[form]}`,
    ]);
    if (!read.ok) throw new Error(read.reason);
    const { format, streams } = JSON.parse(read.output) as {
      format: { duration: string };
      streams: { codec_type: string; height?: number }[];
    };
    expect(Math.abs(Number(format.duration) - seconds)).toBeLessThan(0.2);
    expect(streams.flatMap(({ height }) => (height === undefined ? [] : [height])).toSorted()).toEqual([240, 360]);
    expect(streams.some(({ codec_type }) => codec_type === 'audio')).toBe(true);
  });
}
