import type { ServiceSchema } from 'moleculer';
import { call, type ActionCaller } from '../../mixins/actions.ts';
import { actionsOf } from '../../mixins/actions-of.ts';
import { hint, tellAll, type EventMap } from '../../mixins/events.ts';
import type { House } from '../../mixins/house.ts';
import type { Caller } from '../../models/api.ts';
import { analyse, analyseQuery } from '../../models/analyser/analyser.ts';
import { chooseRelevance } from '../../models/relevance/shipped.ts';
import { scopeOf } from '../../models/scope.ts';
import { Languages } from './analysis.ts';
import { answer, type AnswerTools } from './answer/answer.ts';
import { assetReader } from './asset-reader.ts';
import { collectionFilter } from './collection-filter.ts';
import { leftOvers } from './left-overs.ts';
import { searchLogReader } from './log/analytics.ts';
import { openSearchLog } from './log/search-log.ts';
import { startSweeping } from './log/sweeping.ts';
import { related, type RelatedTools } from './related.ts';
import { recordFirst } from './search-as.ts';
import { search, type SearchTools } from './search.ts';
import { shownWords } from './shown-words.ts';
import { tuningActions } from './tuning/actions.ts';
import { Tunings } from './tuning/tuning.ts';
import { Turns } from './turns.ts';
import { UsageBuffer } from './usage.ts';

/** Milliseconds that a finished search waits to be written down with others. */
const usagePause = 100;
/** Searches kept while the ledger is away. */
const usageCapacity = 100_000;

/** What the searcher needs of the house. */
export type SearcherHouse = Pick<House, 'configuration' | 'ambient' | 'log' | 'metrics' | 'records' | 'passages' | 'embeddings' | 'chat'>;

function toolsOf(house: SearcherHouse, tunings: Tunings, languages: Languages, tell: (leftOver: EventMap['index.stale']) => void): SearchTools {
  const { configuration, embeddings, log, metrics, passages, records } = house;
  const { model, fitted } = chooseRelevance(embeddings.model?.id ?? null, configuration.PLY_RELEVANCE_FILE);
  const turns = new Turns();
  if (!fitted) log.warn({ embeddingModel: embeddings.model?.id, fittedFor: model.modelId }, 'relevance is graded with coefficients fitted for another embedding model; fit your own with npm run fit:relevance and PLY_RELEVANCE_FILE');
  return {
    passages,
    embeddings,
    readAssets: assetReader(records),
    tuning: (scope) => tunings.of(scope),
    indexFilter: collectionFilter(records),
    languages: (scope) => languages.of(scope),
    analyse,
    wordsOf: shownWords(analyse),
    analyseQuery,
    relevance: model,
    log,
    turn: (organizationId) => turns.next(organizationId),
    leftOver: leftOvers(tell, () => house.ambient.now()),
    permissionDropped: (hit) => {
      metrics.permissionDrops.inc();
      log.error({ assetId: hit.assetId, revision: hit.revision }, 'the passage index gave a hit that its file\'s permissions forbid');
    },
  };
}

function answerToolsOf({ ambient, chat, log, metrics }: SearcherHouse, tools: SearchTools): AnswerTools {
  const unwritten = metrics.counter('ply_answers_unwritten_total', 'Answers that the chat server could not write: they were quoted.', []);
  return {
    ...tools,
    chat,
    ambient,
    unwritten: (reason) => {
      unwritten.inc();
      log.warn({ err: reason }, 'the chat server wrote no answer that can be used; it is quoted');
    },
  };
}

function relatedToolsOf({ embeddings, passages }: SearcherHouse, { readAssets, permissionDropped, leftOver, languages }: SearchTools): RelatedTools {
  return { readAssets, permissionDropped, leftOver, languages, passages, model: embeddings.model };
}

/** The searcher: it answers what is asked of the whole library. */
export function searcherService(house: SearcherHouse): ServiceSchema {
  let tell: ((leftOver: EventMap['index.stale']) => void) | null = null;
  const tunings = new Tunings(house.records, () => house.ambient.now());
  const languages = new Languages(house.passages, () => house.ambient.now());
  const tools = toolsOf(house, tunings, languages, (leftOver) => tell?.(leftOver));
  let tellOfTuning: ((organizationId: string) => void) | null = null;
  const lostSearches = house.metrics.counter('ply_search_usage_lost_total', 'Finished searches that could not be written to the ledger. Must stay 0.', []);
  let usage: UsageBuffer | null = null;
  const [answerTools, relatedTools] = [answerToolsOf(house, tools), relatedToolsOf(house, tools)];
  const count = ({ accountId, organizationId }: Pick<Caller, 'accountId' | 'organizationId'>, searchId: string, metric: 'search' | 'answer'): void => usage?.add({
    _id: `${searchId}:${metric}`, accountId, organizationId, assetId: null, metric: metric === 'search' ? 'searches' : 'answers', quantity: 1, at: house.ambient.now(),
  });
  const searchLog = openSearchLog(house);
  const reader = searchLogReader(house);
  let sweeping: ReturnType<typeof startSweeping> | null = null;
  let actions: ActionCaller | null = null;
  return {
    name: 'searcher',
    actions: actionsOf<'searcher'>({
      ...tuningActions(house.records, (organizationId) => {
        tunings.forget(organizationId);
        tellOfTuning?.(organizationId);
      }),
      search: async ({ caller, request }) => {
        const searchId = house.ambient.uuid();
        const began = performance.now();
        const { response, emptyLibrary, results } = await search(tools, scopeOf(caller.organizationId), request);
        if (!emptyLibrary) count(caller, searchId, 'search');
        searchLog.logSearch({ ...caller, kind: 'search', query: request.query, principals: request.principals, results, milliseconds: performance.now() - began });
        return { ...response, searchId };
      },
      answer: async ({ caller, request }) => {
        const searchId = house.ambient.uuid();
        const began = performance.now();
        const { response, emptyLibrary, results } = await answer(answerTools, scopeOf(caller.organizationId), request);
        if (!emptyLibrary) count(caller, searchId, 'search');
        if (response.answer !== null) count(caller, searchId, 'answer');
        searchLog.logSearch({ ...caller, kind: response.answer === null ? 'search' : 'answer', query: request.query, principals: request.principals, results, milliseconds: performance.now() - began });
        return { searchId, ...response };
      },
      // Counted like every search, and left out of the log: it tells what whoever looks after the library asks, not what its readers do.
      searchAs: async ({ organizationId, actor, request }) => {
        const searchId = house.ambient.uuid();
        if (actions === null) throw new Error('the searcher has not started');
        const { accountId } = await recordFirst(actions, house, { searchId, organizationId, actor, principals: request.principals ?? [] });
        const { response, emptyLibrary } = await search(tools, scopeOf(organizationId), request);
        if (!emptyLibrary) count({ accountId, organizationId }, searchId, 'search');
        return { ...response, searchId };
      },
      related: async ({ caller, ...request }) => {
        const searchId = house.ambient.uuid();
        const { items, emptyLibrary } = await related(relatedTools, scopeOf(caller.organizationId), request);
        if (!emptyLibrary) count(caller, searchId, 'search');
        return { searchId, assetId: request.assetId, items };
      },
      suggest: ({ caller, prefix, limit }) => reader.suggest(caller, prefix, limit),
      searchAnalytics: ({ caller, days, limit }) => reader.analytics(caller, days, limit),
    }),
    events: {
      'tuning.changed': { handler: (ctx: { params: EventMap['tuning.changed'] }) => tunings.forget(ctx.params.organizationId) },
      'languages.changed': { handler: (ctx: { params: EventMap['languages.changed'] }) => languages.forget(ctx.params.organizationId) },
    },
    started() {
      const { broker } = this;
      actions = broker;
      tellOfTuning = (organizationId) => tellAll(broker, 'tuning.changed', { organizationId });
      tell = (leftOver) => hint(broker, 'index.stale', leftOver);
      usage = new UsageBuffer({
        send: (events) => call(this.broker, 'ledger.record', { events }),
        lost: (count, reason) => {
          lostSearches.inc(count);
          house.log.error({ count, err: reason }, 'finished searches could not be written to the ledger');
        },
        pause: usagePause,
        capacity: usageCapacity,
      });
      sweeping = startSweeping(house);
      return Promise.resolve();
    },
    async stopped() {
      const patience = (house.configuration.PLY_STOP_TIMEOUT * 1000) / 4;
      await Promise.all([usage?.stop(patience), searchLog.stop(patience), sweeping?.stop(patience)]);
    },
  };
}
