import type { Candidate } from '../../adapters/passages/port.ts';
import type { Highlight, MatchType, Moment, SearchItem } from '../../models/api.ts';
import type { Location } from '../../models/block.ts';
import type { Passage } from '../../models/passage.ts';
import { confidenceOf, mappingFor, type RelevanceModel } from '../../models/relevance/relevance.ts';
import { secondsAt } from '../../models/timings.ts';
import type { AssetRecord } from './check.ts';
import type { MarkedWord, TextWord } from './highlight.ts';
import type { Hit } from './order.ts';
import { snippetOf } from './snippet.ts';

/** What presenting a passage needs of its query. */
export interface Marking {
  /** The words of a passage that match the query, in order. */
  marksOf: (candidate: Candidate, passage: Passage, words: readonly TextWord[]) => MarkedWord[];
  /** Weight (idf) of each term. */
  weights: readonly number[];
  /** The words of a passage, in order. */
  wordsOf: (passage: Passage) => readonly TextWord[];
}

/** Steps of a relevance in the API: four decimals. */
const shownSteps = 10_000;

/** Rounds a relevance for the API: down, so that it never reaches the next band. */
export function shownRelevance(relevance: number): number {
  return Math.floor(relevance * shownSteps + 1e-9) / shownSteps;
}

function matchTypeOf(marks: readonly Highlight[], cosine: number | null, meaningFrom: number): MatchType {
  if (marks.length === 0) return 'semantic';
  return cosine !== null && cosine >= meaningFrom ? 'both' : 'keyword';
}

/** Playing starts so many seconds before the first matched word. */
const leadInSeconds = 1.5;

/**
 * The location of a passage, with where to start playing a recording: a little before the first matched word, and never
 * before the passage. A passage found by meaning alone, and text on the screen, play from their start.
 */
export function withPlayFrom(
  passage: Pick<Passage, 'location' | 'timings'>,
  marked: readonly Pick<MarkedWord, 'start'>[],
): Location {
  const { location } = passage;
  const { startSeconds, endSeconds, ...others } = location;
  if (startSeconds === undefined || endSeconds === undefined) return location;
  const first = marked.length === 0 ? null : secondsAt(passage, Math.min(...marked.map(({ start }) => start)));
  const playFromSeconds =
    first === null ? startSeconds : Math.max(startSeconds, Math.round((first - leadInSeconds) * 1000) / 1000);
  return { startSeconds, endSeconds, playFromSeconds, ...others };
}

/** A hit as a moment: its excerpt, highlights, location and grade. */
export function presentMoment(hit: Hit, passage: Passage, marking: Marking, model: RelevanceModel): Moment {
  const { candidate, relevance } = hit;
  // A passage found by meaning alone contains no query word.
  const words = marking.wordsOf(passage);
  const marked = candidate.frequencies.some((frequency) => frequency > 0)
    ? marking.marksOf(candidate, passage, words)
    : [];
  const { snippet, highlights } = snippetOf(passage.text, words, marked, marking.weights);
  return {
    snippet,
    highlights,
    location: withPlayFrom(passage, marked),
    relevance: shownRelevance(relevance),
    confidence: confidenceOf(model, relevance) ?? 'low',
    matchType: matchTypeOf(highlights, candidate.cosine, mappingFor(model, candidate.model).meaningFrom),
    speaker: passage.speaker,
    language: passage.language,
  };
}

/** A moment with the fields of its file. */
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
