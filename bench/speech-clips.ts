import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import { sampleRate, wavOf } from '../adapters/speech/wav.ts';
import { speechModelFolder } from '../scripts/setup/paths.mjs';

const samples = join(import.meta.dirname, '../../shared/data/samples/audio');
/** Silence between the clips of the joined recording, in seconds. */
const between = 1;

/** A recording and its text. */
export interface Clip {
  name: string;
  /** WAV: 16 kHz, mono, 16 bits. */
  path: string;
  reference: string;
  /** Its length in seconds. */
  seconds: number;
  /** The clips that it is made of, with their times in it in seconds. */
  parts: readonly { name: string; start: number }[];
}

/** Why the clips cannot be measured here; null if they can. */
export function clipsMissing(): string | null {
  if (!existsSync(join(samples, 'references.tsv'))) return `there are no samples in ${samples}`;
  if (!existsSync(join(speechModelFolder, 'model.json'))) return `there is no speech model in ${speechModelFolder}`;
  try {
    execFileSync('ffmpeg', ['-version'], { stdio: 'ignore' });
  } catch {
    return 'ffmpeg is not installed';
  }
  return null;
}

/** The sample clips as WAV files in a folder: each, and all of them a number of times as one recording. */
export function makeClips(folder: string, times: number): { clips: Clip[]; joined: Clip } {
  const rows = readFileSync(join(samples, 'references.tsv'), 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split('\t'));
  const sounds: Uint8Array[] = [];
  const clips = rows.map(([file = '', reference = '']): Clip => {
    const sound = execFileSync(
      'ffmpeg',
      ['-loglevel', 'error', '-i', join(samples, file), '-ac', '1', '-ar', String(sampleRate), '-f', 's16le', '-'],
      { maxBuffer: 2 ** 28 },
    );
    sounds.push(sound);
    const name = `${basename(file, extname(file))}.wav`;
    writeFileSync(join(folder, name), wavOf(sound));
    const seconds = sound.length / 2 / sampleRate;
    return { name, path: join(folder, name), reference, seconds, parts: [{ name, start: 0 }] };
  });
  const pause = new Uint8Array(between * sampleRate * 2);
  const rounds = Array.from({ length: times });
  const path = join(folder, 'joined.wav');
  writeFileSync(path, wavOf(Buffer.concat(rounds.flatMap(() => sounds.flatMap((sound) => [sound, pause])))));
  let seconds = 0;
  const parts = rounds.flatMap(() =>
    clips.map(({ name, seconds: own }) => {
      const start = seconds;
      seconds += own + between;
      return { name, start };
    }),
  );
  const reference = rounds.flatMap(() => clips.map((clip) => clip.reference)).join(' ');
  return { clips, joined: { name: 'joined.wav', path, reference, seconds, parts } };
}

/**
 * The aligned words of the clip that has them, with their start in seconds. The alignment is by pocketsphinx and has
 * errors of its own.
 */
export function alignedWords(): { name: string; words: { text: string; start: number }[] } {
  const name = 'sense_and_sensibility_01_austen_64kb-0880';
  const { w: words } = JSON.parse(readFileSync(join(samples, `${name}.align.json`), 'utf8')) as {
    w: { b: number; t: string }[];
  };
  return {
    name: `${name}.wav`,
    words: words
      .filter(({ t }) => !t.startsWith('<'))
      .map(({ b, t }) => ({ text: t.replace(/\(\d+\)$/, ''), start: b })),
  };
}

const bareWords = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? [];

/** Word errors (Levenshtein) of a text compared with its reference, and the number of reference words. */
export function wordErrors(reference: string, hypothesis: string): { errors: number; words: number } {
  const [wanted, found] = [bareWords(reference), bareWords(hypothesis)];
  let row = Array.from({ length: found.length + 1 }, (_, index) => index);
  for (const [index, word] of wanted.entries()) {
    const next = [index + 1];
    for (const [index, other] of found.entries())
      next.push(
        Math.min((row[index + 1] ?? 0) + 1, (next[index] ?? 0) + 1, (row[index] ?? 0) + (word === other ? 0 : 1)),
      );
    row = next;
  }
  return { errors: row[found.length] ?? 0, words: wanted.length };
}
