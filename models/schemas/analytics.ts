import type { JobState } from '../job.ts';
import { warning } from './answers/assets.ts';
import { answer, count, described, id, listOf, ordinal, orNull, text as anyText, time } from './answers/answer.ts';
import { job, states } from './answers/jobs.ts';
import { kind } from './assets.ts';
import { withDefault, required } from './schema.ts';
import { text, integer } from './values.ts';

/** Query of GET /suggest. */
export const suggestQuery = { prefix: required(text(1, 200)), limit: withDefault(integer(1, 25), 10) };
/** Query of GET /analytics/searches. */
export const searchAnalyticsQuery = { days: withDefault(integer(1, 365), 30), limit: withDefault(integer(1, 200), 25) };
/** Query of GET /analytics/library. */
export const libraryHealthQuery = { limit: withDefault(integer(1, 100), 20) };

const number = described<number>({ type: 'number', minimum: 0 });

const suggestion = answer('Suggestion', { query: anyText, searches: count, meanResults: number });

/** Answer of GET /suggest. */
export const suggestAnswer = answer('Suggestions', {
  /** As it was sent. */
  prefix: anyText,
  items: listOf(suggestion),
});

const summary = answer('SearchSummary', {
  searches: count,
  withResults: count,
  withoutResults: count,
  answers: count,
  /** One decimal. */
  meanResults: number,
  /** Null if nothing was searched. */
  medianMilliseconds: orNull(number),
});
const topQuery = answer('TopQuery', { query: anyText, searches: count, meanResults: number, lastSearchedAt: time });
const daily = answer('SearchDay', {
  day: described<string>({ type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' }),
  searches: count,
  withoutResults: count,
});
const withoutResults = answer('QueryWithoutResults', { query: anyText, searches: count, lastSearchedAt: time });

/** Answer of GET /analytics/searches. Days are of the account's time zone; the last one is today. */
export const searchAnalyticsAnswer = answer('SearchAnalytics', {
  summary,
  topQueries: listOf(topQuery),
  daily: listOf(daily),
  withoutResults: listOf(withoutResults),
  windowDays: ordinal,
  recordingSince: orNull(time),
});

const file = { assetId: id, externalId: anyText, filename: anyText, kind };
const { jobId, state, stage, errorCode, attempt, updatedAt } = job;

/** A file whose latest job failed or waits for access. */
export const attentionItem = answer('AttentionItem', { ...file, jobId, state, stage, errorCode, attempt, updatedAt });
const emptyFile = answer('EmptyFile', { ...file, warnings: listOf(warning) });
const missingFile = answer('MissingFile', { ...file, sourceUrl: anyText, missingSince: time });

/** Answer of GET /analytics/library. */
export const libraryHealthAnswer = answer('LibraryHealth', {
  states: described<{ [S in JobState]: number }>({
    type: 'object',
    description: 'Latest jobs by state.',
    properties: Object.fromEntries(states.map((name) => [name, count.json])),
    required: [...states],
  }),
  needsAttention: count,
  items: listOf(attentionItem),
  indexedButEmpty: listOf(emptyFile),
  sourceMissing: listOf(missingFile),
});
