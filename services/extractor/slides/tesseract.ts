import { ExtractionFailure } from '../../../models/extraction-failure.ts';
import { ByteFeed } from '../../../media/byte-feed.ts';
import { runMedia } from '../../../media/media-process.ts';
import type { Confinement } from '../../../media/confinement.ts';
import { pgmOf, type Picture } from './picture.ts';

/** How a picture is read. */
export interface TesseractTask {
  program: string;
  confinement: Confinement;
  /** Names of tesseract's languages, joined by `+`. */
  languages: string;
  /** Timeout of a picture, in milliseconds. */
  milliseconds: number;
  signal: AbortSignal;
}

const maxOutput = 4 * 2 ** 20;
/** Minimum confidence of a word (0 to 100); below it, words are mostly graphics. */
const minConfidence = 40;
/** A line must contain a word with this confidence. */
const sureConfidence = 60;

/** Arguments to read a picture from standard input and write words with their confidence. */
function tesseractArguments(languages: string): string[] {
  return ['stdin', 'stdout', '-l', languages, '--psm', '3', 'tsv'];
}

/**
 * Reads the lines of text on a picture in a separate process. Null if it exceeds its time or memory: one picture must
 * not fail the recording.
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

/**
 * The lines of text in tesseract's tab-separated output. Columns: level, page, block, paragraph, line, word, left, top,
 * width, height, confidence, text (tesseract's manual, `tsv`).
 */
export function linesOfTsv(output: string): string[] {
  const lines = new Map<string, { words: string[]; isSure: boolean }>();
  for (const row of output.split('\n')) {
    const [level, page, block, paragraph, line, , , , , , confidence, text] = row.split('\t');
    const word = text?.trim() ?? '';
    const certainty = Number(confidence);
    if (level !== '5' || word === '' || !(certainty >= minConfidence)) continue;
    const name = [page, block, paragraph, line].join(' ');
    const found = lines.get(name) ?? { words: [], isSure: false };
    found.words.push(word);
    found.isSure ||=
      certainty >= sureConfidence &&
      /[\p{L}\p{N}]{2}|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u.test(word);
    lines.set(name, found);
  }
  return [...lines.values()].filter(({ isSure }) => isSure).map(({ words }) => words.join(' '));
}
