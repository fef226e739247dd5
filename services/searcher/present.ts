import type { Candidate } from '../../adapters/passages/port.ts';
import type { Highlight, MatchType, Moment, SearchItem } from '../../models/api.ts';
import type { Passage } from '../../models/passage.ts';
import { confidenceOf, type RelevanceModel } from '../../models/relevance/relevance.ts';
import type { AssetRecord } from './check.ts';
import type { MarkedWord } from './highlight.ts';
import type { Hit } from './order.ts';
import { withPlayFrom } from './play-from.ts';
import { snippetOf } from './snippet.ts';
import type { Words } from './words.ts';

/** What showing a passage needs of its query. */
export interface Marking {
  /** The words of a passage that stand for words of the query, in order. */
  marksOf: (candidate: Candidate, passage: Passage, words: Words) => MarkedWord[];
  /** Weight (idf) of each term. */
  weights: readonly number[];
  /** The words of a passage, in its text's order. */
  wordsOf: (passage: Passage) => Words;
}

/** Decimals of a relevance as clients see it. */
const shownSteps = 10_000;

/** A number from 0 to 1 as clients see it: rounded down, so that it never claims the next band. */
export function shownRelevance(relevance: number): number {
  return Math.floor(relevance * shownSteps + 1e-9) / shownSteps;
}

function matchTypeOf(marks: readonly Highlight[], cosine: number | null, meaningFrom: number): MatchType {
  if (marks.length === 0) return 'semantic';
  return cosine !== null && cosine >= meaningFrom ? 'both' : 'keyword';
}

/** A hit as a moment: its excerpt, marks, place and grade. */
export function presentMoment(hit: Hit, passage: Passage, marking: Marking, model: RelevanceModel): Moment {
  const { candidate, relevance } = hit;
  // Passages found by meaning alone hold no query word, so nothing could be marked in them.
  const words = marking.wordsOf(passage);
  const marked = candidate.frequencies.some((frequency) => frequency > 0) ? marking.marksOf(candidate, passage, words) : [];
  const { snippet, highlights } = snippetOf(passage.text, words, marked, marking.weights);
  return {
    snippet,
    highlights,
    location: withPlayFrom(passage, marked),
    relevance: shownRelevance(relevance),
    confidence: confidenceOf(model, relevance) ?? 'low',
    matchType: matchTypeOf(highlights, candidate.cosine, model.meaningFrom),
    speaker: passage.speaker,
    language: passage.language,
  };
}

/** A moment with what its file adds. */
export function presentItem(hit: Hit, moment: Moment, asset: AssetRecord): SearchItem {
  const { filename, sourceUrl, sourceVersion } = asset.activeSource ?? asset;
  return {
    assetId: asset._id,
    filename,
    kind: asset.kind,
    revision: hit.candidate.revision,
    snippet: moment.snippet,
    highlights: moment.highlights,
    location: moment.location,
    relevance: moment.relevance,
    confidence: moment.confidence,
    matchType: moment.matchType,
    speaker: moment.speaker,
    language: moment.language,
    score: hit.score,
    metadata: asset.metadata,
    sourceReference: { externalId: asset.externalId, sourceUrl, sourceVersion },
    pinned: hit.isPinned === true,
  };
}
