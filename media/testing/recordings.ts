import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findPrograms } from '../programs.ts';

const run = promisify(execFile);

/** Creates test recordings with ffmpeg in a temporary folder. */
export interface Studio {
  folder: string;
  /** Creates a file from ffmpeg's arguments (inputs and options), once for each name. Returns its path. */
  make(name: string, ...args: string[]): Promise<string>;
  close(): void;
}

/** Opens a studio, or returns the reason why ffmpeg is unavailable. */
export async function openStudio(): Promise<Studio | { unavailable: string }> {
  const found = await findPrograms(tmpdir());
  if ('missing' in found) return { unavailable: found.missing };
  const folder = mkdtempSync(join(tmpdir(), 'ply-studio-'));
  return {
    folder,
    make: async (name, ...args) => {
      const path = join(folder, name);
      await run(found.programs.ffmpeg, ['-nostdin', '-v', 'error', '-y', ...args, path]);
      return path;
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** ffmpeg's arguments for generated audio, such as `sine=frequency=440:duration=3`. */
export function lavfi(generator: string): string[] {
  return ['-f', 'lavfi', '-i', generator];
}

/** A tone of the given length. */
export function tone(seconds: number, frequency = 440): string[] {
  return lavfi(`sine=frequency=${frequency}:duration=${seconds}`);
}

/** Video of the given length. */
export function pictures(seconds: number): string[] {
  return [...lavfi(`testsrc=size=160x120:rate=10:duration=${seconds}`)];
}

const clipsFolder = fileURLToPath(new URL('../../../shared/data/samples/audio/', import.meta.url));

/** Paths of optional speech samples outside the project; empty if there are none. */
export function speechClips(): string[] {
  try {
    return readdirSync(clipsFolder)
      .filter((name) => /\.(wav|flac)$/.test(name))
      .toSorted()
      .map((name) => join(clipsFolder, name));
  } catch {
    // No samples on this machine; the caller reports it.
    return [];
  }
}

/** Times of a clip's words, in seconds; silences are words that begin with `<`. Null if the clip is not aligned. */
export function wordTimes(clip: string): { start: number; end: number; word: string }[] | null {
  let text: string;
  try {
    text = readFileSync(clip.replace(/\.wav$/, '.align.json'), 'utf8');
  } catch {
    // Not aligned.
    return null;
  }
  const { w: words } = JSON.parse(text.split('\n')[0] ?? '') as { w: { b: number; d: number; t: string }[] };
  return words.map(({ b, d, t }) => ({ start: b, end: b + d, word: t }));
}
