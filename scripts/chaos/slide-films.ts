import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { ensureProgram, runProgram } from '../setup/system.ts';
import { recordingMilliseconds, recordingOf } from './recordings.ts';

/** Pictures of a film that are read for their text: it shows so many, one after another. */
export const framesPerFilm = 2;

/** Why no film can be made or read here; null if they can. */
export async function filmsUnavailable(): Promise<string | null> {
  for (const program of ['ffmpeg', 'tesseract']) {
    const present = await ensureProgram([program, program === 'ffmpeg' ? '-version' : '--version'], [program]);
    if (!present.ok) return present.reason;
  }
  return null;
}

/**
 * A generated recording (`recordingOf`) with pictures of text, in Matroska with sound as samples, so that its length is
 * exact. The pictures of two films differ: what is read of a picture is shared by the files of an account.
 */
export async function slideFilmOf(number: number): Promise<Uint8Array> {
  const folder = await mkdtemp(join(tmpdir(), 'ply-chaos-film-'));
  try {
    const [sound, film] = [join(folder, 'sound.wav'), join(folder, 'film.mkv')];
    await writeFile(sound, recordingOf(number));
    const seconds = recordingMilliseconds / 1000;
    const made = await runProgram('ffmpeg', [
      ...['-v', 'error', '-f', 'lavfi', '-i', `color=white:s=640x360:r=4:d=${seconds}`, '-i', sound],
      ...['-vf', pictures(number, seconds), '-c:v', 'libx264', '-preset', 'ultrafast', '-pix_fmt', 'yuv420p'],
      ...['-c:a', 'copy', film],
    ]);
    if (!made.ok) throw new Error(`ffmpeg: ${made.reason}`);
    return await readFile(film);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** A filter of ffmpeg that draws a text for each part of a film. */
function pictures(number: number, seconds: number): string {
  const fonts = join(dirname(createRequire(import.meta.url).resolve('pdfjs-dist/package.json')), 'standard_fonts');
  const length = seconds / framesPerFilm;
  return Array.from({ length: framesPerFilm }, (_, part) => {
    const text = `Chapter ${part + 1} of film ${number}`;
    const when = `gte(t,${part * length})*lt(t,${(part + 1) * length})`;
    const place = `fontsize=44:x=60:y=${100 + part * 120}`;
    return `drawtext=fontfile=${join(fonts, 'LiberationSans-Regular.ttf')}:text='${text}':${place}:enable='${when}'`;
  }).join(',');
}
