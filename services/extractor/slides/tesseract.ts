import { ExtractionFailure } from '../../../models/extraction-failure.ts';
import { ByteFeed } from '../../../media/byte-feed.ts';
import { runMedia } from '../../../media/media-process.ts';
import type { Confinement } from '../../../media/confinement.ts';
import { pgmOf, type Picture } from './picture.ts';
import { linesOfTsv } from './tesseract-output.ts';

/** How a picture is read. */
export interface TesseractTask {
  program: string;
  confinement: Confinement;
  /** Names of tesseract's languages, joined by `+`. */
  languages: string;
  /** Most time for one picture, in milliseconds. */
  milliseconds: number;
  signal: AbortSignal;
}

const maxOutput = 4 * 2 ** 20;

/** Arguments that read a picture from the standard input and write words with their certainty. */
function tesseractArguments(languages: string): string[] {
  return ['stdin', 'stdout', '-l', languages, '--psm', '3', 'tsv'];
}

/**
 * Reads the lines of text on a picture, in a process of its own. Null if it could not be read in its time and memory:
 * one picture is no reason to give up a recording.
 * @throws the signal's reason
 */
export async function readPicture(task: TesseractTask, picture: Picture): Promise<string[] | null> {
  const late = AbortSignal.timeout(task.milliseconds);
  let output = '';
  try {
    const end = await runMedia({
      program: task.program,
      arguments: tesseractArguments(task.languages),
      confinement: task.confinement,
      environment: { OMP_THREAD_LIMIT: '1' },
      feed: new ByteFeed(once(pgmOf(picture))),
      outputs: [
        async (bytes) => {
          for await (const chunk of bytes) {
            output += Buffer.from(chunk).toString('utf8');
            if (output.length > maxOutput)
              throw new ExtractionFailure('media_unreadable', 'a picture has too many words');
          }
        },
      ],
      signal: AbortSignal.any([task.signal, late]),
    });
    return end.code === 0 ? linesOfTsv(output) : null;
  } catch (error) {
    task.signal.throwIfAborted();
    if (late.aborted || error instanceof ExtractionFailure) return null;
    throw error;
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
