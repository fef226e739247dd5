import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  audioArguments,
  audioGrid,
  renditionArguments,
  type AudioRange,
  type PictureSource,
} from './video-commands.ts';

const run = promisify(execFile);
const options = { encoding: 'buffer', maxBuffer: 64 * 2 ** 20 } as const;

/** A white picture of one frame and a beep, both every two seconds. */
const flash = "color=black:s=64x64:r=25:d=8,drawbox=c=white:t=fill:enable='lt(mod(t,2),0.04)'";
const beep = "aevalsrc='if(lt(mod(t,2),0.04),sin(2*PI*1000*t),0)':s=48000:d=8";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ply-offset-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The header and the segments of a folder as one file. */
async function joined(name: string): Promise<string> {
  const segments = (await readdir(join(folder, name))).filter((each) => each.startsWith('seg-')).sort();
  const parts = await Promise.all(['init.mp4', ...segments].map((part) => readFile(join(folder, name, part))));
  await writeFile(join(folder, `${name}.mp4`), Buffer.concat(parts));
  return join(folder, `${name}.mp4`);
}

/** Seconds at which something begins, where `isThere` says of each sample whether it is. */
function beginnings(samples: number, rate: number, isThere: (sample: number) => boolean): number[] {
  const found: number[] = [];
  let last = -Infinity;
  for (let at = 0; at < samples; at += 1) {
    if (!isThere(at)) continue;
    if (at - last > rate / 2) found.push(at / rate);
    last = at;
  }
  return found;
}

describe('the commands of an encoding', () => {
  it('keep picture and sound together, also where a run begins in the middle', async () => {
    const path = join(folder, 'source.mkv');
    const made = ['-c:v', 'libx264', '-preset', 'ultrafast', '-threads', '1', '-c:a', 'pcm_s16le', path];
    await run('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', flash, '-f', 'lavfi', '-i', beep, ...made]);
    const source: PictureSource = {
      ...{ container: 'matroska', path, videoIndex: 0, frameRate: { num: 25, den: 1 } },
      ...{ isInterlaced: false, toneMap: false, threads: 1 },
    };
    for (const name of ['video', 'audio']) await mkdir(join(folder, name));
    const target = { width: 64, height: 64, maxKbps: 400, folder: join(folder, 'video') };
    for (const segment of [0, 1])
      await run('ffmpeg', renditionArguments(source, { from: 150 * segment, frames: 150, segment }, [target]));
    await run('ffmpeg', audioArguments(source, 1, { from: 0, to: audioGrid, seconds: null }, join(folder, 'audio')));
    const gray = ['-f', 'rawvideo', '-pix_fmt', 'gray', '-'];
    const pictures = (await run('ffmpeg', ['-v', 'error', '-i', await joined('video'), ...gray], options)).stdout;
    const pcm = ['-f', 's16le', '-ac', '1', '-ar', '48000', '-'];
    // As browsers play it: without edit lists.
    const given = ['-v', 'error', '-ignore_editlist', '1', '-i', await joined('audio'), ...pcm];
    const sound = (await run('ffmpeg', given, options)).stdout;
    const shown = (
      await run('ffprobe', [
        '-v',
        'error',
        '-show_entries',
        'packet=pts_time',
        '-of',
        'csv=p=0',
        join(folder, 'video.mp4'),
      ])
    ).stdout;
    expect(
      shown
        .trim()
        .split('\n')
        .map((line) => Number.parseFloat(line)),
    ).toEqual(Array.from({ length: 200 }, (_, frame) => frame / 25));
    const flashes = beginnings(pictures.length / 4096, 25, (frame) => (pictures[frame * 4096] ?? 0) > 128);
    const beeps = beginnings(sound.length / 2, 48_000, (sample) => Math.abs(sound.readInt16LE(2 * sample)) > 8000);
    expect(flashes).toEqual([0, 2, 4, 6]);
    // What the encoder puts before the first samples takes the place of them.
    beeps.slice(1).forEach((at, index) => expect(Math.abs(at - 2 * (index + 1))).toBeLessThan(0.02));
    expect(beeps).toHaveLength(4);
  }, 60_000);

  it('make as many frames of an interlaced source as of another', async () => {
    const path = join(folder, 'fields.mp4');
    const fields = ['-vf', 'interlace', '-flags', '+ildct+ilme', '-x264opts', 'tff=1', '-pix_fmt', 'yuv420p', path];
    await run('ffmpeg', [
      '-v',
      'error',
      '-f',
      'lavfi',
      '-i',
      'testsrc2=s=64x64:r=50:d=4',
      '-c:v',
      'libx264',
      ...fields,
    ]);
    const source: PictureSource = {
      ...{ container: 'mov', path, videoIndex: 0, frameRate: { num: 25, den: 1 } },
      ...{ isInterlaced: true, toneMap: false, threads: 1 },
    };
    const target = { width: 64, height: 64, maxKbps: 400, folder: join(folder, 'fields') };
    await mkdir(target.folder);
    await run('ffmpeg', renditionArguments(source, { from: 0, frames: 60, segment: 0 }, [target]));
    const entries = ['-v', 'error', '-show_entries', 'packet=pts_time', '-of', 'csv=p=0', await joined('fields')];
    const times = (await run('ffprobe', entries)).stdout
      .trim()
      .split('\n')
      .map((line) => Number.parseFloat(line));
    expect([times.length, times.at(-1)]).toEqual([60, 59 / 25]);
  }, 60_000);

  it.each([
    ['ends before the picture', 'sine=d=3'],
    ['has no samples', 'anullsrc,atrim=end_sample=0'],
  ])(
    'go on with silence where the sound %s',
    async (name, sound) => {
      const path = join(folder, `${name}.mp4`);
      const inputs = ['-f', 'lavfi', '-i', 'testsrc2=s=64x64:r=5:d=8', '-f', 'lavfi', '-i', sound];
      const written = ['-pix_fmt', 'yuv420p', '-c:a', 'aac', '-movflags', 'empty_moov+frag_keyframe', path];
      await run('ffmpeg', ['-v', 'error', ...inputs, '-c:v', 'libx264', ...written]);
      const to = join(folder, name);
      await mkdir(to);
      const range = { from: 0, to: audioGrid, seconds: 8 };
      await run('ffmpeg', audioArguments({ container: 'mov', path, threads: 1 }, 1, range, to));
      const playlist = await readFile(join(to, 'index.m3u8'), 'utf8');
      const lengths = [...playlist.matchAll(/#EXTINF:([\d.]+)/g)].map(([, length]) => Number(length));
      expect(lengths.reduce((sum, length) => sum + length, 0)).toBeCloseTo(8, 3);
    },
    60_000,
  );

  it('join the sound of several runs without a gap', async () => {
    const path = join(folder, 'tone.mkv');
    await run('ffmpeg', ['-v', 'error', '-f', 'lavfi', '-i', 'sine=f=441:d=110', '-c:a', 'pcm_s16le', path]);
    const source = { container: 'matroska', path, threads: 1 } as const;
    const made = async (name: string, ranges: readonly AudioRange[]): Promise<{ names: string[]; pcm: Buffer }> => {
      const names: string[] = [];
      await mkdir(join(folder, name));
      for (const range of ranges) {
        const { from, to } = range;
        const part = `${name}-${from}`;
        await mkdir(join(folder, part));
        await run('ffmpeg', audioArguments(source, 0, range, join(folder, part)));
        for (const file of await readdir(join(folder, part))) {
          const number = Number(/^seg-(\d+)/.exec(file)?.[1] ?? Number.NaN);
          if (number < from || number >= to || (file === 'init.mp4' && from > 0)) continue;
          await rename(join(folder, part, file), join(folder, name, file));
          if (!Number.isNaN(number)) names.push(file);
        }
      }
      const pcm = ['-f', 's16le', '-ac', '1', '-ar', '48000', '-'];
      const given = ['-v', 'error', '-ignore_editlist', '1', '-i', await joined(name), ...pcm];
      return { names: names.sort(), pcm: (await run('ffmpeg', given, options)).stdout };
    };
    const grid = audioGrid;
    const whole = await made('whole', [{ from: 0, to: 3 * grid, seconds: null }]);
    const runs = await made(
      'runs',
      [0, 1, 2].map((at) => ({ from: at * grid, to: (at + 1) * grid, seconds: null })),
    );
    expect(runs.names).toEqual(whole.names);
    expect(runs.names).toHaveLength(19);
    expect(runs.pcm.length).toBe(whole.pcm.length);
    const times = async (name: string): Promise<string> =>
      (
        await run('ffprobe', [
          ...['-v', 'error', '-show_entries', 'packet=pts,duration', '-of', 'csv=p=0'],
          join(folder, `${name}.mp4`),
        ])
      ).stdout;
    expect(await times('runs')).toBe(await times('whole'));
    // The tone has an amplitude of 4,096: a frame that does not follow from the one before it would lack half of it.
    let largest = 0;
    for (let at = 0; at < whole.pcm.length; at += 2)
      largest = Math.max(largest, Math.abs(runs.pcm.readInt16LE(at) - whole.pcm.readInt16LE(at)));
    expect(largest).toBeLessThan(200);
  }, 60_000);
});
