import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { LinkView } from '../../models/bucket.ts';
import type { VideoView } from '../../models/video.ts';
import { freePort } from '../servers/ports.ts';
import { skipWithReason } from '../support/servers.ts';
import { clip } from './support/clips.ts';
import { content, until } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';
import { createLibrary, createVideo, sendPart } from './support/storage.ts';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'ply-odd-'));
const filters = (await run('ffmpeg', ['-v', 'error', '-filters'])).stdout;
const hasToneMapping = / zscale /.test(filters) && / tonemap /.test(filters);

let program: TestProgram;
let port: number;
let libraryId: string;
beforeAll(async () => {
  port = await freePort();
  program = await startTestProgram({ PLY_DELIVERY_PORT: String(port), PLY_ENCODER_THREADS: '1' });
  libraryId = (await createLibrary(program.admin, { processing: { ladder: [240], thumbnails: false } })).id;
});
afterAll(async () => {
  await program.end();
  rmSync(folder, { recursive: true, force: true });
});

/** Encodes a source; returns the video and the address of its playlist on this machine, with the host to ask for. */
async function encoded(bytes: Buffer<ArrayBuffer>): Promise<{ video: VideoView; url: string; host: string }> {
  const { standard } = program;
  const { id, upload } = await createVideo(standard, libraryId, { size: bytes.length });
  for (const { number, url } of upload.parts)
    await sendPart(url, bytes.subarray((number - 1) * upload.partSize, number * upload.partSize));
  await standard.get(200, 'POST', `${content}/uploads/${upload.id}/complete`);
  const video = await until(
    () => standard.get<VideoView>(200, 'GET', `${content}/videos/${id}`),
    ({ status }) => status === 'ready' || status === 'failed',
    90_000,
  );
  expect(video).toMatchObject({ status: 'ready', errorCode: null });
  const link = await standard.get<LinkView>(200, 'POST', `${content}/sign`, {
    body: { bucketId: libraryId, videoId: id },
  });
  const { host, pathname } = new URL(link.nativeUrl ?? '');
  return { video, url: `http://127.0.0.1:${port}${pathname}`, host };
}

/** What ffprobe says of the picture of a video's playlist. */
async function pictureOf({ url, host }: { url: string; host: string }): Promise<{ [field: string]: unknown }> {
  const { stdout } = await run('ffprobe', [
    ...['-v', 'error', '-headers', `Host: ${host}\r\n`, '-select_streams', 'v:0', '-show_streams', '-of', 'json', url],
  ]);
  const { streams }: { streams: { [field: string]: unknown }[] } = JSON.parse(stdout);
  return streams[0] ?? {};
}

/** Decodes a video as players do. @param given options behind the input; what they write to the output is returned */
async function decoded({ url, host }: { url: string; host: string }, given: readonly string[]): Promise<Buffer> {
  const { stdout } = await run('ffmpeg', ['-v', 'error', '-headers', `Host: ${host}\r\n`, '-i', url, ...given, '-'], {
    encoding: 'buffer',
    maxBuffer: 2 ** 28,
  });
  return stdout;
}

/** Samples of the sound, mono, 48,000 a second. */
async function soundOf(of: { url: string; host: string }): Promise<Int16Array> {
  const bytes = await decoded(of, ['-vn', '-ac', '1', '-ar', '48000', '-f', 's16le']);
  return new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length - (bytes.length % 2)));
}

/** Mean brightness of each frame, 0 to 255. */
async function brightnessOf(of: { url: string; host: string }): Promise<number[]> {
  const pixels = ['-an', '-vf', 'scale=1:1:flags=area,format=gray', '-f', 'rawvideo'];
  return [...(await decoded(of, pixels))];
}

const pq = ['-x265-params', 'log-level=none:colorprim=bt2020:transfer=smpte2084:colormatrix=bt2020nc'];
const hdr = ['-c:v', 'libx265', '-pix_fmt', 'yuv420p10le', '-color_trc', 'smpte2084', ...pq];

describe('an odd film', () => {
  if (!hasToneMapping) skipWithReason('HDR to SDR', 'ffmpeg has no zscale and tonemap');
  else
    it('in HDR becomes SDR, and darker than it would be without tone mapping', async () => {
      const bytes = await clip({ seconds: 1, sound: false }, hdr);
      const film = await encoded(bytes);
      expect(await pictureOf(film)).toMatchObject({
        codec_name: 'h264',
        pix_fmt: 'yuv420p',
        color_transfer: 'bt709',
        color_primaries: 'bt709',
        color_space: 'bt709',
      });
      const flat = await brightnessOf(await encoded(await clip({ seconds: 1, sound: false })));
      const mapped = await brightnessOf(film);
      expect(Math.abs((mapped[5] ?? 0) - (flat[5] ?? 0))).toBeGreaterThan(8);
    }, 120_000);

  it('that is interlaced is progressive afterwards', async () => {
    const fields = ['-vf', 'interlace', '-flags', '+ildct+ilme', '-field_order', 'tt', '-x264opts', 'tff=1'];
    const film = await encoded(await clip({ seconds: 1, size: '320x240', rate: 50, sound: false }, fields));
    const bytes = await decoded(film, ['-an', '-vf', 'idet,metadata=print:file=-', '-f', 'null']);
    const last = (name: string): number =>
      Number([...bytes.toString().matchAll(new RegExp(`${name}=(\\d+)`, 'g'))].at(-1)?.[1]);
    expect(last('multiple.progressive')).toBeGreaterThan(3 * (last('multiple.tff') + last('multiple.bff')));
  }, 120_000);

  it('with several audio tracks has the default one', async () => {
    const tracks = ['-filter_complex', '[1]asplit[low][a];[a]asetrate=96000,aresample=44100[high]'];
    const mapped = ['-map', '0', '-map', '[low]', '-map', '[high]'];
    const film = await encoded(
      await clip({ seconds: 4 }, [...tracks, ...mapped, '-disposition:a:0', '0', '-disposition:a:1', 'default']),
    );
    const samples = await soundOf(film);
    const middle = samples.subarray(24_000, 72_000);
    const crossings = middle.reduce(
      (sum, value, at) => sum + Number(at > 0 && value >= 0 !== (middle[at - 1] ?? 0) >= 0),
      0,
    );
    expect(crossings / 2).toBeGreaterThan(940);
    expect(crossings / 2).toBeLessThan(975);
  }, 120_000);

  it('in 8K is made in the ladder', async () => {
    const film = await encoded(await clip({ seconds: 1, size: '7680x4320', rate: 2, sound: false }));
    expect(film.video).toMatchObject({ width: 7680, height: 4320, renditions: [{ height: 240, width: 426 }] });
  }, 180_000);

  it('with odd sides has even ones afterwards', async () => {
    const odd = ['-vf', 'scale=321:181,setsar=1', '-pix_fmt', 'yuv444p'];
    const film = await encoded(await clip({ seconds: 1, sound: false }, odd));
    expect(film.video).toMatchObject({ width: 321, height: 181, renditions: [{ height: 180, width: 318 }] });
    expect(await pictureOf(film)).toMatchObject({ pix_fmt: 'yuv420p', width: 318, height: 180 });
  }, 120_000);

  it('of stills for minutes has a frame a second', async () => {
    const film = await encoded(await clip({ seconds: 600, rate: 0.1, sound: false }));
    expect(film.video).toMatchObject({ durationSeconds: 600, encodingMinutes: 10 });
    expect(await pictureOf(film)).toMatchObject({ r_frame_rate: '1/1' });
    expect((await brightnessOf(film)).length).toBe(600);
  }, 180_000);

  it('whose sound is longer keeps all of the sound', async () => {
    const film = await encoded(await clip({ seconds: 9 }, ['-vf', 'trim=end=2']));
    expect((await soundOf(film)).length / 48_000).toBeGreaterThan(8.8);
    expect(film.video.durationSeconds).toBeGreaterThan(8.8);
    // The last picture stays, because players in browsers wait for one.
    expect((await brightnessOf(film)).length / 30).toBeCloseTo(film.video.durationSeconds ?? 0, 1);
  }, 120_000);

  it('with flashes and beeps has them together, to 20 ms', async () => {
    // A white picture and a tone for a tenth of a second, every two seconds.
    const flashes = ['-vf', "drawbox=c=black:t=fill,drawbox=c=white:t=fill:enable='lt(mod(t,2),0.1)'"];
    const beeps = ['-af', "asetnsamples=n=48,volume='if(lt(mod(t,2),0.1),1,0)':eval=frame"];
    const film = await encoded(
      await clip({ seconds: 9, rate: 25 }, [...flashes, ...beeps, '-c:a', 'pcm_s16le'], 'clip.mkv'),
    );
    const flashAt = (await brightnessOf(film)).flatMap((value, at, all) =>
      value > 128 && (all[at - 1] ?? 0) <= 128 ? [at / 25] : [],
    );
    const samples = await soundOf(film);
    const beepAt: number[] = [];
    for (const [at, value] of samples.entries())
      if (Math.abs(value) > 1500 && at / 48_000 - (beepAt.at(-1) ?? -1) > 1) beepAt.push(at / 48_000);
    expect(flashAt).toHaveLength(5);
    expect(beepAt).toHaveLength(5);
    // The encoder takes the place of the first 21 ms of sound.
    const offsets = flashAt.map((flash, at) => flash - (beepAt[at] ?? 0)).slice(1);
    expect(offsets.filter((offset) => Math.abs(offset) >= 0.02)).toEqual([]);
  }, 120_000);
});
