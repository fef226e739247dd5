import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { findPrograms } from '../programs.ts';

const run = promisify(execFile);

/** Makes recordings with ffmpeg in a folder of its own. */
export interface Studio {
  folder: string;
  /** Makes a file by ffmpeg's arguments (inputs and options), once for each name. Returns its path. */
  make(name: string, ...args: string[]): Promise<string>;
  close(): void;
}

/** Opens a studio; if there is no ffmpeg, tells why. */
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

/** ffmpeg's arguments for sound that a generator makes, such as `sine=frequency=440:duration=3`. */
export function lavfi(generator: string): string[] {
  return ['-f', 'lavfi', '-i', generator];
}

/** A tone of so many seconds. */
export function tone(seconds: number, frequency = 440): string[] {
  return lavfi(`sine=frequency=${frequency}:duration=${seconds}`);
}

/** Moving pictures of so many seconds. */
export function pictures(seconds: number): string[] {
  return [...lavfi(`testsrc=size=160x120:rate=10:duration=${seconds}`)];
}

const clipsFolder = fileURLToPath(new URL('../../../shared/data/samples/audio/', import.meta.url));

/** Paths of the clips of speech that may lie beside the project; empty if there are none. */
export function speechClips(): string[] {
  try {
    return readdirSync(clipsFolder)
      .filter((name) => /\.(wav|flac)$/.test(name))
      .toSorted()
      .map((name) => join(clipsFolder, name));
  } catch {
    // There are no samples on this machine; the caller says so.
    return [];
  }
}

/**
 * Where the words of a clip stand, in seconds, as it was aligned: silences are words that begin with `<`. Null if that
 * is not known.
 */
export function wordTimes(clip: string): { start: number; end: number; word: string }[] | null {
  let text: string;
  try {
    text = readFileSync(clip.replace(/\.wav$/, '.align.json'), 'utf8');
  } catch {
    // This clip was not aligned.
    return null;
  }
  const { w: words } = JSON.parse(text.split('\n')[0] ?? '') as { w: { b: number; d: number; t: string }[] };
  return words.map(({ b, d, t }) => ({ start: b, end: b + d, word: t }));
}
