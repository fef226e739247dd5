import type { AttentionItem, LibraryHealth, SearchAnalytics, Suggestions } from '../analytics.ts';
import type { JsonObject } from '../json.ts';
import { answer, count, id, job, listOf, orNull, states, text as aText, time, warning } from './answers.ts';
import { kind } from './assets.ts';
import { filled, required } from './schema.ts';
import { text, whole } from './values.ts';

/** Query of GET /suggest. */
export const suggestQuery = { prefix: required(text(1, 200)), limit: filled(whole(1, 25), 10) };
/** Query of GET /analytics/searches. */
export const searchAnalyticsQuery = { days: filled(whole(1, 365), 30), limit: filled(whole(1, 200), 25) };
/** Query of GET /analytics/library. */
export const libraryHealthQuery = { limit: filled(whole(1, 100), 20) };

const number: JsonObject = { type: 'number', minimum: 0 };

const suggestion = answer<Suggestions['items'][number]>('Suggestion', { query: aText, searches: count, meanResults: number });

/** Answer of GET /suggest. */
export const suggestAnswer = answer<Suggestions>('Suggestions', { prefix: aText, items: listOf(suggestion) });

const summary = answer<SearchAnalytics['summary']>('SearchSummary', { searches: count, withResults: count, withoutResults: count, answers: count, meanResults: number, medianMilliseconds: orNull(number) });
const topQuery = answer<SearchAnalytics['topQueries'][number]>('TopQuery', { query: aText, searches: count, meanResults: number, lastSearchedAt: time });
const daily = answer<SearchAnalytics['daily'][number]>('SearchDay', { day: { type: 'string', pattern: '^\\d{4}-\\d{2}-\\d{2}$' }, searches: count, withoutResults: count });
const withoutResults = answer<SearchAnalytics['withoutResults'][number]>('QueryWithoutResults', { query: aText, searches: count, lastSearchedAt: time });

/** Answer of GET /analytics/searches. */
export const searchAnalyticsAnswer = answer<SearchAnalytics>('SearchAnalytics', {
  summary: summary.json,
  topQueries: listOf(topQuery),
  daily: listOf(daily),
  withoutResults: listOf(withoutResults),
  windowDays: { type: 'integer', minimum: 1 },
  recordingSince: orNull(time),
});

const file = { assetId: id, externalId: aText, filename: aText, kind: kind.json };
const { jobId, state, stage, errorCode, attempt, updatedAt } = job;
const attentionItem = answer<AttentionItem>('AttentionItem', { ...file, jobId, state, stage, errorCode, attempt, updatedAt });
const emptyFile = answer<LibraryHealth['indexedButEmpty'][number]>('EmptyFile', { ...file, warnings: listOf(warning) });
const missingFile = answer<LibraryHealth['sourceMissing'][number]>('MissingFile', { ...file, sourceUrl: aText, missingSince: time });

/** Answer of GET /analytics/library. */
export const libraryHealthAnswer = answer<LibraryHealth>('LibraryHealth', {
  states: { type: 'object', description: 'Latest jobs by state.', properties: Object.fromEntries(states.map((name) => [name, count])), required: [...states] },
  needsAttention: count,
  items: listOf(attentionItem),
  indexedButEmpty: listOf(emptyFile),
  sourceMissing: listOf(missingFile),
});
