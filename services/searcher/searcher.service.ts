import type { ServiceSchema } from 'moleculer';
import { requireQuota } from '../../mixins/accounts/quota.ts';
import { actionsOf } from '../../mixins/actions/actions-of.ts';
import { call, type ActionCaller } from '../../mixins/actions/call.ts';
import { emitEvent, type EventMap } from '../../mixins/events.ts';
import type { Caller, SearchRequest } from '../../models/api.ts';
import { scopeOf } from '../../models/scope.ts';
import { answer } from './answer/answer.ts';
import { auditSearchAs } from './audit-search-as.ts';
import { EventBuffer } from './event-buffer.ts';
import { searchLogReader } from './log/analytics.ts';
import { startRetention } from './log/retention.ts';
import { openSearchLog } from './log/search-log.ts';
import { listPassages, readPassage } from './read-passage.ts';
import { related } from './related.ts';
import { search } from './search.ts';
import { openTools, type SearcherContext } from './tools.ts';
import { tuningActions } from './tuning/actions.ts';

/** Milliseconds that a finished search waits to be recorded with others. */
const usagePauseMs = 100;
/** Searches buffered while the ledger is unavailable. */
const maxBufferedUsage = 100_000;

/** The searcher answers queries over an organization's library. */
export function searcherService(app: SearcherContext): ServiceSchema {
  let started: { actions: ActionCaller; usage: EventBuffer; retention: ReturnType<typeof startRetention> } | null =
    null;
  let onSuperseded: (revision: EventMap['index.stale']) => void = () => undefined;
  const tools = openTools(app, (revision) => onSuperseded(revision));
  const searchLog = openSearchLog(app);
  const logReader = searchLogReader(app);
  const lostSearches = app.metrics.counter(
    'ply_search_usage_lost_total',
    'Finished searches that could not be written to the ledger. Must stay 0.',
    {},
  );
  const recordUsage = (
    { accountId, organizationId, userId }: Pick<Caller, 'accountId' | 'organizationId' | 'userId'>,
    searchId: string,
    kind: 'search' | 'answer',
  ): void => {
    const common = { accountId, organizationId, assetId: null, quantity: 1, at: app.runtime.now() };
    started?.usage.add({
      ...common,
      _id: `${searchId}:${kind}`,
      metric: kind === 'search' ? 'searches' : 'answers',
    });
    // A search in the dashboard is a search, and one of its allowance.
    if (kind === 'search' && userId !== undefined)
      started?.usage.add({ ...common, _id: `${searchId}:dashboard`, metric: 'dashboard_searches' });
  };
  const logSearch = (
    caller: Caller,
    { query, principals }: SearchRequest,
    kind: 'search' | 'answer',
    results: number,
    began: number,
  ): void =>
    searchLog.logSearch({ ...caller, kind, query, principals, results, milliseconds: performance.now() - began });
  return {
    name: 'searcher',
    metadata: { searchSlots: app.configuration.PLY_SEARCH_SLOTS },
    actions: actionsOf('searcher', {
      ...tuningActions(app.records),
      search: async ({ caller, request, withPassageIds }) => {
        const isLimited = await requireQuota(app, caller.accountId, ['searches']);
        const searchId = app.runtime.uuid();
        const began = performance.now();
        const found = await search(tools.search, scopeOf(caller.organizationId), request);
        if (!found.emptyLibrary) recordUsage(caller, searchId, 'search');
        logSearch(caller, request, 'search', found.results, began);
        if (isLimited) await started?.usage.flush();
        const { passageIds } = found;
        return { ...found.response, searchId, ...(withPassageIds === true ? { passageIds } : {}) };
      },
      answer: async ({ caller, request, withPassageIds }) => {
        const isLimited = await requireQuota(app, caller.accountId, ['searches', 'answers']);
        const searchId = app.runtime.uuid();
        const began = performance.now();
        const scope = scopeOf(caller.organizationId);
        const { response, emptyLibrary, results, passageIds } = await answer(tools.answer, scope, request);
        const isAnswered = response.answer !== null;
        if (!emptyLibrary) recordUsage(caller, searchId, 'search');
        if (isAnswered) recordUsage(caller, searchId, 'answer');
        logSearch(caller, request, isAnswered ? 'answer' : 'search', results, began);
        if (isLimited) await started?.usage.flush();
        return { searchId, ...response, ...(withPassageIds === true ? { passageIds } : {}) };
      },
      readPassage: ({ caller, ...asked }) => readPassage(tools.search, scopeOf(caller.organizationId), asked),
      listPassages: ({ caller, ...asked }) => listPassages(tools.search, scopeOf(caller.organizationId), asked),
      // Charged like every search, but not logged: the log describes what readers search for.
      searchAs: async ({ organizationId, actor, request }) => {
        const searchId = app.runtime.uuid();
        if (started === null) throw new Error('the searcher has not started');
        const { accountId } = await auditSearchAs(started.actions, app, {
          searchId,
          organizationId,
          actor,
          principals: request.principals ?? [],
        });
        const isLimited = await requireQuota(app, accountId, ['searches']);
        const { response, emptyLibrary } = await search(tools.search, scopeOf(organizationId), request);
        const user = actor.kind === 'user' && actor.id !== null ? { userId: actor.id } : {};
        if (!emptyLibrary) recordUsage({ accountId, organizationId, ...user }, searchId, 'search');
        if (isLimited) await started.usage.flush();
        return { ...response, searchId };
      },
      related: async ({ caller, ...request }) => {
        const searchId = app.runtime.uuid();
        let isLimited = false;
        const admit = async (): Promise<void> => {
          isLimited = await requireQuota(app, caller.accountId, ['searches']);
        };
        const { items, emptyLibrary } = await tools.search.slots.run(() =>
          related(tools.related, scopeOf(caller.organizationId), request, admit),
        );
        if (!emptyLibrary) recordUsage(caller, searchId, 'search');
        if (isLimited) await started?.usage.flush();
        return { searchId, assetId: request.assetId, items };
      },
      suggest: ({ caller, prefix, limit }) => logReader.suggest(caller, prefix, limit),
      searchAnalytics: ({ caller, days, limit }) => logReader.analytics(caller, days, limit),
    }),
    events: {
      'languages.changed': {
        handler: (ctx: { params: EventMap['languages.changed'] }) => {
          tools.languages.invalidate(ctx.params.organizationId);
          tools.search.vectors.invalidate(ctx.params.organizationId);
        },
      },
    },
    started() {
      const { broker } = this;
      onSuperseded = (revision) => emitEvent(broker, 'index.stale', revision);
      const usage = new EventBuffer({
        send: (events) => call(broker, 'ledger.record', { events }),
        onLost: (count, reason) => {
          lostSearches.inc(count);
          app.log.error({ count, err: reason }, 'finished searches could not be written to the ledger');
        },
        pauseMs: usagePauseMs,
        capacity: maxBufferedUsage,
      });
      started = { actions: broker, usage, retention: startRetention(app) };
      return Promise.resolve();
    },
    async stopped() {
      const timeoutMs = (app.configuration.PLY_STOP_TIMEOUT * 1000) / 4;
      await Promise.all([
        started?.usage.stop(timeoutMs),
        searchLog.stop(timeoutMs),
        started?.retention.stop(timeoutMs),
      ]);
    },
  };
}
