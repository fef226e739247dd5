import type { Blobs } from '../../adapters/blobs/port.ts';
import { readBlocks } from '../../mixins/blocks/blocks.ts';
import { readTranscript } from '../../mixins/transcript/transcript.ts';
import type { Kind } from '../../models/asset.ts';
import type { Passage } from '../../models/passage.ts';
import { textNames } from '../../models/transcript.ts';
import { passagesOf } from './passages.ts';
import { recordingPassages } from './transcript-passages.ts';

/** Where the text of a revision stands. */
export interface TextPlace {
  /** Key of the revision's folder, with its slash. */
  folder: string;
  kind: Kind;
  /** Language of the asset, `multi` where it names none. */
  language: string;
}

/** Where its blobs are read from. */
export type TextBlobs = Pick<Blobs, 'read'>;

/** Keys of the blobs that a revision's text is in. */
export function textKeys({ folder, kind }: TextPlace): string[] {
  return textNames(kind).map((name) => `${folder}${name}`);
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
 * @param read is told how many bytes have been read so far, of all blobs together
 * @throws BlobNotFound where a document has no blocks
 */
export function revisionText(blobs: TextBlobs, place: TextPlace, read: (bytes: number) => void): AsyncIterable<Passage> {
  const { kind, language } = place;
  const [first = '', second = ''] = textKeys(place);
  if (kind === 'document') return passagesOf(readBlocks(blobs, first, read), { language });
  const taken = [0, 0];
  const count = (of: number) => (bytes: number): void => {
    taken[of] = bytes;
    read(taken.reduce((sum, each) => sum + each, 0));
  };
  const segments = ifThere(readTranscript(blobs, first, count(0)));
  const slides = ifThere(readBlocks(blobs, second, count(1)));
  return recordingPassages({ segments, slides }, { language });
}
