import { LRUCache } from 'lru-cache';
import { modelsOf } from '../../adapters/embeddings/port.ts';
import type { Records } from '../../adapters/records/port.ts';
import type { AppContext } from '../../mixins/app-context.ts';
import type { EventMap } from '../../mixins/events.ts';
import { analyse, analyseQuery } from '../../models/analyser/analyser.ts';
import { libraryCollections } from '../../models/library-collection.ts';
import type { Passage } from '../../models/passage.ts';
import { RecentKeys } from '../../models/recent-keys.ts';
import { chooseRelevances } from '../../models/relevance/registry.ts';
import type { AnswerTools } from './answer/answer.ts';
import type { TextWord } from './highlight.ts';
import { OrganizationCache } from './organization-cache.ts';
import { assetReader, stateReader } from './read-assets.ts';
import { openQueryVectors } from './query-vectors.ts';
import type { RelatedTools } from './related.ts';
import type { SearchTools } from './search.ts';
import { SearchSlots } from './search-slots.ts';
import { tuningReader } from './tuning/tuning.ts';

/** Milliseconds before a superseded revision is reported again: by then it is usually discarded. */
const supersededSilenceMs = 10_000;
const maxRecentSuperseded = 1000;
/** Texts whose words are cached, and the longest of them in UTF-16 code units. */
const [maxCachedTexts, maxCachedText] = [800, 4000];

/** What the searcher uses of the app context. */
export type SearcherContext = Pick<
  AppContext,
  'configuration' | 'runtime' | 'log' | 'metrics' | 'records' | 'passages' | 'embeddings' | 'chat'
>;

type SupersededRevision = EventMap['index.stale'];

/** What the actions of the searcher work with. */
export interface SearcherTools {
  search: SearchTools;
  answer: AnswerTools;
  related: RelatedTools;
  languages: OrganizationCache<readonly string[]>;
}

/** Opens the tools of the searcher. @param onSuperseded receives a superseded revision of the index once in a while */
export function openTools(app: SearcherContext, onSuperseded: (revision: SupersededRevision) => void): SearcherTools {
  const languages = new OrganizationCache<readonly string[]>({
    load: (scope) => app.passages.languages(scope),
    // The first file of an organization must be found at once.
    isCacheable: (loaded) => loaded.length > 0,
  });
  const search = searchTools(app, languages, onSuperseded);
  return {
    search,
    answer: answerTools(app, search),
    related: {
      readStates: search.readStates,
      readAssets: search.readAssets,
      onLeak: search.onLeak,
      onSuperseded: search.onSuperseded,
      languages: search.languages,
      passages: app.passages,
      models: modelsOf(app.embeddings).map(({ model }) => model),
    },
    languages,
  };
}

function searchTools(
  app: SearcherContext,
  languages: OrganizationCache<readonly string[]>,
  onSuperseded: (revision: SupersededRevision) => void,
): SearchTools {
  const { configuration, embeddings, log, metrics, passages, records } = app;
  const { relevance, unfitted } = chooseRelevances(
    modelsOf(embeddings).map(({ model }) => model.id),
    configuration.PLY_RELEVANCE_FILE,
  );
  for (const { model, fittedFor } of unfitted)
    log.warn(
      { embeddingModel: model, fittedFor },
      'relevance is graded with coefficients fitted for another embedding model; fit your own with npm run fit:relevance and PLY_RELEVANCE_FILE',
    );
  const reported = new RecentKeys({ max: maxRecentSuperseded, ttlMs: supersededSilenceMs });
  return {
    passages,
    vectors: openQueryVectors(embeddings, passages, relevance),
    readStates: stateReader(records),
    readAssets: assetReader(records),
    tuning: tuningReader(records),
    collectionIds: (scope, externalIds) => collectionIds(records, scope, externalIds),
    languages: (scope) => languages.get(scope),
    analyse,
    wordsOf: cachedWords(),
    analyseQuery,
    relevance,
    log,
    slots: new SearchSlots(configuration.PLY_SEARCH_SLOTS, metrics.requestsShed),
    onSuperseded: (revision) => {
      const { organizationId, assetId, revision: number } = revision;
      if (reported.add(`${organizationId}/${assetId}/${number}`)) onSuperseded(revision);
    },
    onLeak: (hit) => {
      metrics.permissionDrops.inc();
      log.error(
        { assetId: hit.assetId, revision: hit.revision },
        "the passage index returned a passage that its file's permissions forbid",
      );
    },
  };
}

function answerTools({ runtime, chat, log, metrics }: SearcherContext, search: SearchTools): AnswerTools {
  const unwritten = metrics.counter(
    'ply_answers_unwritten_total',
    'Answers that the chat server could not write: they were quoted.',
    {},
  );
  return {
    ...search,
    chat,
    runtime,
    onUnwritten: (reason) => {
      unwritten.inc();
      log.warn({ err: reason }, 'the chat server wrote no usable answer; passages are quoted');
    },
  };
}

/** The ids of library collections by their external ids; those that do not exist are left out. */
async function collectionIds(
  records: Pick<Records, 'collection'>,
  scope: Parameters<SearchTools['collectionIds']>[0],
  externalIds: readonly string[],
): Promise<string[]> {
  const distinct = [...new Set(externalIds)];
  const found = await records
    .collection(libraryCollections, scope)
    .find({ filter: { externalKey: { $in: distinct } }, limit: distinct.length });
  return found.map(({ _id }) => _id);
}

/** The words of passages; those of passages that are shown again and again are cached. */
function cachedWords(): (passage: Pick<Passage, 'text' | 'analysedAs'>) => readonly TextWord[] {
  const cache = new LRUCache<string, readonly TextWord[]>({ max: maxCachedTexts });
  return ({ text, analysedAs }) => {
    const key = `${analysedAs} ${text}`;
    const cached = cache.get(key);
    if (cached !== undefined) return cached;
    const words = analyse(text, analysedAs);
    if (key.length <= maxCachedText) cache.set(key, words);
    return words;
  };
}
