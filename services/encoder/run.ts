import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ByteFeed } from '../../media/byte-feed.ts';
import { runMedia, type MediaEnd } from '../../media/media-process.ts';
import type { MediaToolbox } from '../../media/toolbox.ts';

/** Longest text that a program may print, in characters. */
const maxOutput = 2 ** 20;

/** The work on one video in this process: its folder, its programs, and what ends it. */
export interface Workshop {
  folder: string;
  media: MediaToolbox;
  /** Threads of one program. */
  threads: number;
  signal: AbortSignal;
}

/** Runs ffmpeg or ffprobe, confined, without input. Returns what it printed. */
export async function runProgram(
  { media, signal }: Pick<Workshop, 'media' | 'signal'>,
  program: 'ffmpeg' | 'ffprobe',
  given: readonly string[],
): Promise<MediaEnd & { output: string }> {
  const { programs, confinement } = await media.tools();
  let output = '';
  const end = await runMedia({
    program: programs[program],
    arguments: given,
    confinement,
    feed: new ByteFeed(nothing()),
    outputs: [
      async (bytes) => {
        for await (const chunk of bytes)
          // Progress of ffmpeg: only that there is some counts.
          if (program === 'ffprobe' && output.length < maxOutput) output += Buffer.from(chunk).toString('utf8');
      },
    ],
    signal,
  });
  return { ...end, output };
}

async function* nothing(): AsyncGenerator<Uint8Array> {
  // No input.
}

/** Makes an empty folder for one run; `use` gets its path, and it is removed afterwards. */
export async function inFolder<T>({ folder }: Workshop, name: string, use: (path: string) => Promise<T>): Promise<T> {
  const path = join(folder, name);
  await rm(path, { recursive: true, force: true });
  await mkdir(path, { recursive: true, mode: 0o700 });
  try {
    return await use(path);
  } finally {
    await rm(path, { recursive: true, force: true });
  }
}
