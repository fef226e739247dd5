import { kind } from '../assets.ts';
import { answer, boolean, count, fraction, id, listOf, literals, metadata, ordinal, orNull, text } from './answer.ts';
import type { Infer } from '../schema.ts';
import { location } from './search.ts';

/*
 * What the tools for language models answer: of a search's fields those that a model can use, and the id by which the
 * passage is read.
 */

const passage = {
  passageId: text,
  assetId: id,
  externalId: text,
  filename: text,
  kind,
  snippet: text,
  location,
  relevance: fraction,
  confidence: literals('high', 'moderate', 'low'),
  speaker: orNull(text),
  language: orNull(text),
  metadata,
};

const foundPassage = answer('FoundPassage', passage);
/** A passage that was found. */
export type FoundPassage = Infer<typeof foundPassage>;

/** What the tool `search` answers. */
export const searchToolAnswer = answer('FoundPassages', {
  items: listOf(foundPassage),
  hasMore: boolean,
  withheldAsWeak: count,
  searchId: id,
});

/** What the tool `answer` answers. */
export const answerToolAnswer = answer('AnswerWithPassages', {
  answer: orNull(text),
  citations: listOf(answer('CitedPassage', { number: ordinal, cited: boolean, ...passage })),
  withheldAsWeak: count,
  searchId: id,
});
