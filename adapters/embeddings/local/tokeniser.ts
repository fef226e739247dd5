import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { vocabularyFiles, type Tokeniser } from './manifest.ts';
import { Unigram } from './unigram.ts';
import { readUnigram } from './unigram-file.ts';
import { WordPiece } from './word-piece.ts';

/** Opens the tokeniser of the model in `folder`. @throws Error if its vocabulary is missing or corrupt. */
export function openTokeniser(
  kind: Tokeniser,
  folder: string,
): { encode(text: string, limit: number): readonly number[] } {
  const bytes = readFileSync(join(folder, vocabularyFiles[kind]));
  if (kind === 'wordpiece') return new WordPiece(bytes.toString('utf8'));
  // A copy, because a Buffer may be a part of a larger one.
  return new Unigram(readUnigram(Uint8Array.from(bytes).buffer));
}
