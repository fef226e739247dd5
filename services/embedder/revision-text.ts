import type { Blobs } from '../../adapters/blobs/port.ts';
import { readBlocks } from '../../mixins/blocks/blocks.ts';
import { readTranscript } from '../../mixins/transcript/transcript.ts';
import type { Kind } from '../../models/asset.ts';
import type { Passage } from '../../models/passage.ts';
import { derivedNames } from '../../models/transcript.ts';
import { passagesOf } from './passages.ts';
import { recordingPassages } from './transcript-passages.ts';

/** What a revision's passages are made of. */
export interface RevisionText {
  /** Names of the blobs, in the revision's folder. */
  names: readonly string[];
  /** @throws BlobNotFound where a document has no blocks. */
  passages: AsyncIterable<Passage>;
}

/** The same items; none where their blob is not there: a recording may have nothing to hear, or nothing to read. */
async function* ifThere<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* items;
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'BlobNotFound') throw error;
  }
}

/**
 * The text of a revision as passages: of a document its blocks, of a recording its transcript and what stands on its screen.
 * @param folder key of the revision's folder, with its slash
 * @param read is told how many bytes have been read so far, of all blobs together
 */
export function revisionText(blobs: Blobs, { folder, kind, language }: { folder: string; kind: Kind; language: string }, read: (bytes: number) => void): RevisionText {
  if (kind === 'document') {
    const names = ['blocks.ndjson'];
    return { names, passages: passagesOf(readBlocks(blobs, `${folder}blocks.ndjson`, read), { language }) };
  }
  const names = [derivedNames.transcript, derivedNames.slides];
  const taken = [0, 0];
  const count = (place: number) => (bytes: number): void => {
    taken[place] = bytes;
    read(taken.reduce((sum, each) => sum + each, 0));
  };
  const segments = ifThere(readTranscript(blobs, `${folder}${derivedNames.transcript}`, count(0)));
  const slides = ifThere(readBlocks(blobs, `${folder}${derivedNames.slides}`, count(1)));
  return { names, passages: recordingPassages({ segments, slides }, { language }) };
}
