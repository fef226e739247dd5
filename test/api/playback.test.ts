import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, get, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Parser, type Manifest } from 'm3u8-parser';
import type { LinkView } from '../../models/bucket.ts';
import { projectRoot } from '../../scripts/setup/paths.mjs';
import { freePort } from '../servers/ports.ts';
import { openBrowser } from '../support/browser.ts';
import { skipWithReason } from '../support/servers.ts';
import { clip } from './support/clips.ts';
import { content, until } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';
import { createLibrary, createVideo, sendPart } from './support/storage.ts';

const run = promisify(execFile);
/** Length of the film in seconds; its end is hard to compress. */
const seconds = 14;

const folder = mkdtempSync(join(tmpdir(), 'ply-playback-'));
const browser = await openBrowser();
let program: TestProgram;
let port: number;
let pages: Server;
let libraryId: string;
let links: LinkView;
beforeAll(async () => {
  pages = createServer(({ url = '' }, response) => {
    const { pathname } = new URL(url, 'http://localhost');
    const isServed = /^\/(?:examples\/player\.html|node_modules\/hls\.js\/dist\/hls\.min\.js)$/.test(pathname);
    response.writeHead(isServed ? 200 : 404, {
      'content-type': extname(pathname) === '.js' ? 'text/javascript' : 'text/html',
    });
    response.end(isServed ? readFileSync(join(projectRoot, pathname)) : '');
  });
  await new Promise<void>((resolve) => pages.listen(0, '127.0.0.1', () => resolve()));
  port = await freePort();
  program = await startTestProgram({ PLY_DELIVERY_PORT: String(port), PLY_ENCODER_THREADS: '1' });
  const { admin } = program;
  ({ id: libraryId } = await createLibrary(admin, { processing: { ladder: [240, 360], thumbnails: false } }));
  // Pages of one origin may read the playlists, those of the other may not.
  await admin.get(200, 'PATCH', `${content}/buckets/${libraryId}`, {
    body: { cors: { allowedOrigins: [originOf('localhost')] } },
  });
  const noise = `noise=alls=40:allf=t:enable='gt(t,11)'`;
  links = await linksOf(await clip({ seconds, size: '640x360', rate: 25 }, ['-vf', noise, '-crf', '30']));
}, 300_000);
afterAll(async () => {
  if (typeof browser !== 'string') await browser.close();
  pages.close();
  pages.closeAllConnections();
  await program.end();
  rmSync(folder, { recursive: true, force: true });
});

/** Has a film encoded, and signs it. */
async function linksOf(film: Buffer<ArrayBuffer>): Promise<LinkView> {
  const { standard } = program;
  const { id: videoId, upload } = await createVideo(standard, libraryId, { size: film.length });
  for (const { number, url } of upload.parts)
    await sendPart(url, film.subarray((number - 1) * upload.partSize, number * upload.partSize));
  await standard.get(200, 'POST', `${content}/uploads/${upload.id}/complete`);
  const video = await until(
    () => standard.get<{ status: string }>(200, 'GET', `${content}/videos/${videoId}`),
    ({ status }) => status === 'ready' || status === 'failed',
    240_000,
  );
  expect(video.status).toBe('ready');
  return standard.get(200, 'POST', `${content}/sign`, { body: { bucketId: libraryId, videoId } });
}
const originOf = (host: string): string => `http://${host}:${(pages.address() as AddressInfo).port}`;

/** Reads a file of the video. @param path relative to the master playlist */
function read(path: string): Promise<Buffer> {
  const { host, href } = new URL(path, links.nativeUrl ?? '');
  const address = href.replace(`https://${host}`, `http://127.0.0.1:${port}`);
  return new Promise((resolve, reject) => {
    get(address, { headers: { host } }, (answer) => {
      if (answer.statusCode === 200) resolve(Array.fromAsync(answer as AsyncIterable<Buffer>).then(Buffer.concat));
      else reject(new Error(`${path} was answered ${answer.statusCode}`));
    }).once('error', reject);
  });
}

/** A playlist as a parser of players reads it, and its text. */
async function playlist(path: string): Promise<{ text: string; manifest: Manifest }> {
  const text = (await read(path)).toString('utf8');
  const parser = new Parser();
  parser.push(text);
  parser.end();
  return { text, manifest: parser.manifest };
}

/** A segment of a rendition: its seconds, bytes, and bits per second. */
interface Measured {
  seconds: number;
  bytes: number;
  rate: number;
}

/** Reads all segments of a playlist and checks what holds for each playlist of segments. */
async function measured(path: string): Promise<{ segments: Measured[]; init: Buffer; first: Buffer[] }> {
  const { text, manifest } = await playlist(path);
  expect(text).toContain('#EXT-X-INDEPENDENT-SEGMENTS');
  expect(manifest).toMatchObject({ playlistType: 'VOD', endList: true, mediaSequence: 0, discontinuityStarts: [] });
  const target = manifest.targetDuration ?? 0;
  const at = path.slice(0, path.lastIndexOf('/') + 1);
  const listed = manifest.segments;
  const init = await read(`${at}${listed[0]?.map?.uri ?? ''}`);
  const first: Buffer[] = [];
  const segments: Measured[] = [];
  for (const [number, { uri, duration }] of listed.entries()) {
    expect(Math.round(duration)).toBeLessThanOrEqual(target);
    // Only the last one may be short: players estimate the bandwidth by whole segments.
    if (number < listed.length - 1) expect(duration).toBeGreaterThan(target / 2);
    const bytes = await read(`${at}${uri}`);
    first.push(bytes);
    segments.push({ seconds: duration, bytes: bytes.length, rate: (8 * bytes.length) / duration });
  }
  return { segments, init, first };
}

const lengthOf = (segments: readonly Measured[]): number => segments.reduce((sum, each) => sum + each.seconds, 0);
const peakOf = (segments: readonly Measured[]): number => Math.max(...segments.map(({ rate }) => rate));

describe('the playlists of a video', () => {
  it('keep the rules that native players rely on, and tell the truth', async () => {
    const { text, manifest } = await playlist('master.m3u8');
    expect(text).toContain('#EXT-X-INDEPENDENT-SEGMENTS');
    const [audio] = Object.values(manifest.mediaGroups?.AUDIO?.['audio'] ?? {});
    const sound = await measured(audio?.uri ?? '');
    expect(lengthOf(sound.segments)).toBeCloseTo(seconds, 0);
    const renditions = manifest.playlists ?? [];
    expect(renditions.map(({ attributes }) => attributes?.RESOLUTION)).toEqual([
      { width: 426, height: 240 },
      { width: 640, height: 360 },
    ]);
    const times: number[][] = [];
    for (const { uri, attributes = {} } of renditions) {
      const { segments, init, first } = await measured(uri ?? '');
      times.push(segments.map((segment) => segment.seconds));
      expect(Math.abs(lengthOf(segments) - seconds)).toBeLessThan(0.05);
      const peak = peakOf(segments) + peakOf(sound.segments);
      const bandwidth = Number(attributes.BANDWIDTH);
      expect(bandwidth).toBeGreaterThanOrEqual(Math.floor(peak));
      expect(bandwidth).toBeLessThanOrEqual(1.1 * peak);
      const mean = (8 * [...segments, ...sound.segments].reduce((sum, { bytes }) => sum + bytes, 0)) / seconds;
      expect(Math.abs(Number(attributes['AVERAGE-BANDWIDTH']) / mean - 1)).toBeLessThan(0.1);
      // Each segment alone, behind its header, begins with a picture that needs no other.
      for (const segment of first) {
        const path = join(folder, 'alone.mp4');
        writeFileSync(path, Buffer.concat([init, segment]));
        const { stdout } = await run('ffprobe', [
          ...['-v', 'error', '-select_streams', 'v:0', '-read_intervals', '%+#1', '-of', 'json', path],
          ...['-show_entries', 'packet=flags:stream=profile,level,width,height,avg_frame_rate'],
        ]);
        const { packets, streams }: { packets: { flags: string }[]; streams: { level: number; profile: string }[] } =
          JSON.parse(stdout);
        expect(packets[0]?.flags).toMatch(/^K/);
        const level = streams[0]?.level.toString(16).padStart(2, '0');
        expect(streams[0]?.profile).toBe('High');
        expect(attributes.CODECS).toMatch(new RegExp(`^avc1\\.6400${level},mp4a\\.40\\.2$`));
      }
    }
    // Players change the quality at any segment.
    expect(times[1]).toEqual(times[0]);
  }, 120_000);
});

if (typeof browser === 'string') skipWithReason('the example page in Chromium', browser);
else
  describe('the example page plays a film', () => {
    const evaluate = <T>(expression: string): Promise<T> => browser.evaluate<T>(expression);
    const said = "document.getElementById('state').textContent";
    const reaches = async (expression: string): Promise<void> => {
      for (let waited = 0; !(await evaluate<boolean>(expression)); waited += 100) {
        if (waited > 60_000) throw new Error(`${expression} does not come true: ${await evaluate<string>(said)}`);
        await pause(100);
      }
    };
    const open = async (host: string, query: Record<string, string>): Promise<void> => {
      const asked = new URLSearchParams({ ...query, port: String(port), start: '3' });
      await browser.open(`${originOf(host)}/examples/player.html?${asked.toString()}`);
      await evaluate('(video.muted = true, video.play().catch(() => 0), 0)');
      await reaches('video.currentTime > 3.5');
      expect(Math.abs((await evaluate<number>('video.duration')) - seconds)).toBeLessThan(0.2);
      await evaluate('video.currentTime = 9');
      await reaches('video.currentTime > 9.3 && !video.seeking');
      expect(await evaluate<string>(said)).toBe('');
    };

    it('with a link as POST /sign answers it, seeks, and changes the quality', async () => {
      await open('localhost', { url: links.url });
      expect(await evaluate<number>('hls.levels.length')).toBe(2);
      for (const [level, height] of [
        ['1', 360],
        ['0', 240],
      ]) {
        await evaluate(`(quality.value = '${level}', quality.dispatchEvent(new Event('change')))`);
        await reaches(`video.videoHeight === ${height} && !video.seeking`);
      }
    }, 200_000);

    it('goes on while the sound does, minutes after the picture, to its end', async () => {
      // The sound ends with one of its segments.
      const film = await clip({ seconds: 198, size: '320x180', rate: 25 }, ['-vf', 'trim=end=8']);
      const asked = new URLSearchParams({ url: (await linksOf(film)).url, port: String(port), start: '150' });
      await browser.open(`${originOf('localhost')}/examples/player.html?${asked.toString()}`);
      await evaluate('(video.muted = true, video.play().catch(() => 0), 0)');
      for (const second of [150, 6, 90, 196]) {
        await evaluate(`video.currentTime = ${second}`);
        await reaches(`video.currentTime > ${second + 0.5} && !video.seeking`);
      }
      await reaches('video.ended');
      expect(await evaluate<number>('hls.levels.length')).toBe(1);
    }, 200_000);

    it.each(['url', 'nativeUrl'] as const)(
      'that scripts may not read, by its %s',
      async (form) => {
        await open('127.0.0.1', { [form === 'url' ? 'url' : 'native']: links[form] ?? '' });
      },
      200_000,
    );
  });
