import type { Location } from '../../block.ts';
import { kind } from '../assets.ts';
import {
  annotated,
  answer,
  boolean,
  count,
  described,
  fraction,
  id,
  listOf,
  literals,
  metadata,
  optionalAnswer,
  ordinal,
  orNull,
  seconds,
  text,
  texts,
} from './answer.ts';

/** A marked part of a snippet, in UTF-16 code units, end exclusive. */
const highlight = answer('Highlight', { start: count, end: count });

/** Where a passage is in its file. */
export const location = answer('Location', {
  startSeconds: optionalAnswer(annotated(seconds, { description: 'Recordings: where the passage begins.' })),
  endSeconds: optionalAnswer(annotated(seconds, { description: 'Recordings: where the passage ends.' })),
  playFromSeconds: optionalAnswer(
    annotated(seconds, { description: 'Recordings: where to start playing, shortly before what the query matched.' }),
  ),
  timingPrecision: optionalAnswer(literals('segment', 'word')),
  source: optionalAnswer(
    described<'slide'>({ const: 'slide', description: 'Present where the text was read from the picture.' }),
  ),
  page: optionalAnswer(ordinal),
  charStart: optionalAnswer(annotated(count, { description: 'UTF-16 units from the start of the page or file.' })),
  charEnd: optionalAnswer(annotated(count, { description: 'Exclusive.' })),
  block: optionalAnswer(ordinal),
  heading: optionalAnswer(text),
  row: optionalAnswer(ordinal),
  column: optionalAnswer(ordinal),
  sheet: optionalAnswer(text),
  lineStart: optionalAnswer(ordinal),
  lineEnd: optionalAnswer(ordinal),
  element: optionalAnswer(ordinal),
  resource: optionalAnswer(annotated(text, { description: 'Courses: the file inside the package.' })),
  title: optionalAnswer(annotated(text, { description: 'Courses: what the author called it.' })),
  slide: optionalAnswer(ordinal),
}) satisfies { json: object; value?: Location };

const momentFields = {
  snippet: text,
  highlights: listOf(highlight),
  location,
  relevance: fraction,
  confidence: annotated(literals('high', 'moderate', 'low'), { title: 'Confidence' }),
  matchType: annotated(literals('keyword', 'semantic', 'both'), { title: 'MatchType' }),
  speaker: orNull(text),
  language: orNull(text),
};

/** A found passage inside a grouped result. */
export const moment = answer('Moment', momentFields);

const itemFields = {
  assetId: id,
  filename: text,
  kind,
  revision: ordinal,
  ...momentFields,
  score: described<number>({ type: 'number' }),
  metadata,
  sourceReference: answer('SourceReference', { externalId: text, sourceUrl: text, sourceVersion: text }),
  pinned: boolean,
};

/** One result of a search. */
export const searchItem = answer('SearchItem', {
  ...itemFields,
  /** With group `file`. */
  momentCount: optionalAnswer(count),
  moments: optionalAnswer(annotated(listOf(moment), { maxItems: 20 })),
});

/** Answer of a search. */
export const searchAnswer = answer('SearchResult', {
  items: listOf(searchItem),
  withheldAsWeak: count,
  hasMore: boolean,
  terms: texts,
  searchId: id,
});

/** A passage that was offered to an answer. */
export const citation = answer('Citation', {
  ...itemFields,
  /** The number in brackets in the answer: 1, 2, 3, ... */
  number: ordinal,
  /** Whether the answer uses it; true for all where the answer cites nothing. */
  cited: boolean,
});

/** A written answer with the passages that were offered to it. */
export const writtenAnswer = answer('Answer', {
  searchId: id,
  /** Text with numbers of citations in brackets; null if no passage was good enough. */
  answer: orNull(text),
  citations: annotated(listOf(citation), { maxItems: 12 }),
  withheldAsWeak: count,
});

/** A file that is similar to another. */
export const relatedItem = answer('RelatedFile', {
  assetId: id,
  externalId: text,
  filename: text,
  kind,
  metadata,
  similarity: fraction,
});

/** Files that are similar to a file. */
export const relatedAnswer = answer('RelatedFiles', {
  searchId: id,
  assetId: id,
  items: annotated(listOf(relatedItem), { maxItems: 50 }),
});
