import type { Blobs } from '../../adapters/blobs/port.ts';
import { readBlocks } from '../../mixins/blocks/blocks.ts';
import { readTranscript } from '../../mixins/transcript/transcript.ts';
import type { Kind } from '../../models/asset.ts';
import { textNames } from '../../models/transcript.ts';
import { passagesOf, type NewPassage } from './passages.ts';
import { recordingPassages } from './transcript-passages.ts';

/** Where a revision's text is stored. */
export interface TextLocation {
  /** Key of the revision's folder, ending in a slash. */
  folder: string;
  kind: Kind;
  /** Language of the asset, `multi` where it names none. */
  language: string;
}

/** The store of the text. */
type TextBlobs = Pick<Blobs, 'read'>;

/** Keys of the blobs that contain a revision's text. */
export function textKeys({ folder, kind }: TextLocation): string[] {
  return textNames(kind).map((name) => `${folder}${name}`);
}

/** The items; none where their blob is missing: a recording may have no speech, or no text on the screen. */
async function* orNone<T>(items: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* items;
  } catch (error) {
    if (!(error instanceof Error) || error.name !== 'BlobNotFound') throw error;
  }
}

/**
 * The passages of a revision: of a document from its blocks, of a recording from its transcript and its slides.
 * @param onRead receives the bytes read so far, of all blobs together
 * @throws BlobNotFound where a document has no blocks
 */
export function revisionText(
  blobs: TextBlobs,
  location: TextLocation,
  onRead: (bytes: number) => void,
): AsyncIterable<NewPassage> {
  const { kind, language } = location;
  const [first = '', second = ''] = textKeys(location);
  if (kind === 'document') return passagesOf(readBlocks(blobs, first, onRead), { language });
  const taken = [0, 0];
  const count =
    (of: number) =>
    (bytes: number): void => {
      taken[of] = bytes;
      onRead(taken.reduce((sum, each) => sum + each, 0));
    };
  const segments = orNone(readTranscript(blobs, first, count(0)));
  const slides = orNone(readBlocks(blobs, second, count(1)));
  return recordingPassages({ segments, slides }, { language });
}
