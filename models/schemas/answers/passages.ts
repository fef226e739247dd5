import { kind } from '../assets.ts';
import { answer, boolean, count, id, listOf, metadata, ordinal, orNull, text } from './answer.ts';
import { location } from './search.ts';

/** The whole text of a passage. */
const passageText = answer('PassageText', {
  passageId: text,
  /** Whether it is the one that was asked for. */
  asked: boolean,
  text,
  location,
  speaker: orNull(text),
  language: orNull(text),
});

/** A passage with those around it, in the order of the file. */
export const passageAnswer = answer('Passage', {
  assetId: id,
  externalId: text,
  filename: text,
  kind,
  revision: ordinal,
  metadata,
  passages: listOf(passageText),
});

/** Passages of a file in its order. */
export const passagesAnswer = answer('FilePassages', {
  assetId: id,
  /** Null, and no passage, until the file is indexed. */
  revision: orNull(ordinal),
  items: listOf(
    answer('FilePassage', { passageId: text, text, location, speaker: orNull(text), language: orNull(text) }),
  ),
  /** What to send as `from` for those that follow; null after the last one. */
  next: orNull(count),
});
