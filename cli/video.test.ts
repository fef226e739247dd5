import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { UploadView } from '../models/upload.ts';
import type { LibraryView, VideoView } from '../models/video.ts';
import { projectRoot } from '../scripts/setup/paths.mjs';
import { clip } from '../test/api/support/clips.ts';
import { content, until } from '../test/api/support/client.ts';
import { startTestProgram, type TestProgram } from '../test/api/support/program.ts';
import { commandLine, type CommandLine } from '../test/support/command-line.ts';
import { timeText } from './video.ts';

const mebibyte = 2 ** 20;
let program: TestProgram;
let environment: Record<string, string>;
let ply: CommandLine;
const folder = mkdtempSync(join(tmpdir(), 'ply-video-'));

beforeAll(async () => {
  program = await startTestProgram({ PLY_ENCODER_THREADS: '1', PLY_STORAGE_REQUESTS_PER_MINUTE: '100000' });
  environment = { PLY_DATA_DIR: join(program.folder, 'data'), PLY_API_URL: program.url };
  ply = commandLine(environment, folder);
});
afterAll(async () => {
  await program.end();
  rmSync(folder, { recursive: true });
});

async function videosIn(name: string): Promise<VideoView[]> {
  const { items } = await program.standard.get<{ items: LibraryView[] }>(200, 'GET', `${content}/libraries`);
  const id = items.find((library) => library.name === name)?.id ?? '';
  return (await program.standard.get<{ items: VideoView[] }>(200, 'GET', `${content}/libraries/${id}/videos`)).items;
}

describe('ply video', () => {
  it('creates a library, uploads films, waits until they are ready, and uploads none a second time', async () => {
    expect((await ply(['video'])).output).toMatch(/^There are no libraries\./);
    expect(await ply(['video', 'create', 'films'])).toMatchObject({
      code: 0,
      output: 'films (in-west) takes videos: npm run ply -- video put films <file>',
    });
    mkdirSync(join(folder, 'reel'));
    writeFileSync(join(folder, 'reel', 'short.mp4'), await clip({ seconds: 2, size: '320x240' }));
    writeFileSync(join(folder, 'reel', 'broken.mkv'), 'no film');
    writeFileSync(join(folder, 'reel', 'notes.txt'), 'of other kinds');
    const first = await ply(['video', 'put', 'films', 'reel']);
    expect(first.code).toBe(1);
    // A film of two seconds may be ready before its state is asked for the first time.
    expect(first.output).toMatch(
      /^short\.mp4 is (playable|ready) after [\d.]+ s \(240p\), video [-0-9a-f]{36}\n {4}http:\/\/films\.localhost:\d+\/\S+\/master\.m3u8$/m,
    );
    expect(first.output).toMatch(/^short\.mp4 is ready /m);
    expect(first.errors).toMatch(/2 videos uploaded \(0\.\d MiB\); 0 there before; 1 ready; 1 file is no video\./);
    expect(first.errors).toContain('1 failed, video_unreadable\n');
    const again = await ply(['video', 'put', 'films', 'reel/short.mp4']);
    expect([again.code, again.output]).toEqual([0, expect.stringMatching(/\n0 videos uploaded .*; 1 there before; 1/)]);
    const [short, ...more] = (await videosIn('films')).filter(({ status }) => status === 'ready');
    expect([short?.title, more]).toEqual(['short', []]);
    const listed = (await ply(['video', 'list', 'films'])).output.split('\n');
    const { items } = await program.standard.get<{ items: LibraryView[] }>(200, 'GET', `${content}/libraries`);
    expect((await ply(['video', 'list', items[0]?.id ?? ''])).output.split('\n')).toEqual(listed);
    expect(listed.map((line) => line.replace(/^\S+ +/, ''))).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/^ready +0:02 {2}240p {2}short$/),
        expect.stringMatching(/^failed +video_unreadable {2}broken$/),
      ]),
    );
    expect((await ply(['video', 'list'])).output).toMatch(/^films +active +in-west +2 videos {2}/);
    const named = await ply(['video', 'put', 'films', 'reel/short.mp4', 'reel/broken.mkv', '--title', 'Both']);
    expect(named.errors).toBe('--title is for one file.');
  }, 60_000);

  it('goes on with an upload that was killed, as the same video', async () => {
    // A film followed by bytes that belong to no box: it is large, and is encoded quickly.
    const padding = Buffer.concat([Buffer.from('08000000', 'hex'), Buffer.from('free')]);
    padding.writeUInt32BE(100 * mebibyte);
    const film = Buffer.concat([await clip({ seconds: 1 }), padding, randomBytes(100 * mebibyte - 8)]);
    writeFileSync(join(folder, 'long.mp4'), film);
    await ply(['video', 'create', 'long']);
    const killed = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', 'cli/ply.ts', 'video', 'put', 'long', join(folder, 'long.mp4')],
      { cwd: projectRoot, env: { PATH: process.env['PATH'], ...environment }, stdio: 'ignore' },
    );
    const kept = join(program.folder, 'data', 'unfinished-uploads');
    const uploadId = await until(
      () => {
        const [name] = existsSync(kept) ? readdirSync(kept).filter((each) => each.endsWith('.json')) : [];
        if (name === undefined) return Promise.resolve('');
        const { uploadId: found }: { uploadId: string } = JSON.parse(readFileSync(join(kept, name), 'utf8'));
        return Promise.resolve(found);
      },
      (id) => id !== '',
    );
    const read = (): Promise<UploadView> => program.standard.get(200, 'GET', `${content}/uploads/${uploadId}`);
    await until(read, ({ received }) => received.length > 0);
    killed.kill('SIGKILL');
    expect((await read()).state).toBe('open');
    const again = await ply(['video', 'put', 'long', 'long.mp4', '--no-wait']);
    expect([again.code, again.errors]).toEqual([0, '']);
    const [video, ...more] = await videosIn('long');
    expect([video?.uploadId, more]).toEqual([uploadId, []]);
    expect(await read()).toMatchObject({ state: 'completed', videoId: video?.id });
    const followed = await ply(['video', 'put', 'long', 'long.mp4']);
    expect(followed.output).toContain('0 videos uploaded (0.0 MiB); 1 there before; 1 ready.');
    expect((await ply(['video', 'takedown', video?.id ?? ''])).output).toMatch(/^long is taken down/);
    expect((await ply(['video', 'list', 'long'])).output).toMatch(/long {2}\(taken down\)$/);
    expect((await ply(['video', 'reinstate', video?.id ?? ''])).output).toBe('long is played again.');
  }, 90_000);

  it('says what is wrong', async () => {
    expect((await ply(['video', 'put', 'none', '.'])).errors).toMatch(/^There is no library none\./);
    expect((await ply(['video', 'what'])).errors).toMatch(/^Unknown: video what\./);
  });
});

it.each([
  [0.4, '0:00'],
  [59.6, '1:00'],
  [3723, '1:02:03'],
])('shows %d seconds as %s', (seconds, text) => {
  expect(timeText(seconds)).toBe(text);
});
