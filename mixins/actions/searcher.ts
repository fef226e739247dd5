import type { SearchAnalytics, Suggestions } from '../../models/analytics.ts';
import type { AnswerResponse, FilePassages, PassageView, RelatedResponse, SearchResponse } from '../../models/api.ts';
import type { BoostRule, PinRule, SynonymRule } from '../../models/tuning.ts';
import { anyText, auditActor, caller } from '../../models/schemas/internal.ts';
import { relatedQuery } from '../../models/schemas/library.ts';
import { pathName } from '../../models/schemas/collections.ts';
import { searchAnalyticsQuery, suggestQuery } from '../../models/schemas/analytics.ts';
import { searchBody } from '../../models/schemas/search.ts';
import { boostRule, pinRule, synonymRules } from '../../models/schemas/tuning.ts';
import { passageRead, passagesQuery } from '../../models/schemas/passages.ts';
import { optional, required } from '../../models/schemas/schema.ts';
import { boolean, uuid } from '../../models/schemas/values.ts';
import { action, type } from './action.ts';

/** Whether the answer has `passageIds`. */
const withPassageIds = optional(boolean);

/** The ids of the passages of an answer's items or citations, by which they are read. */
interface PassageIds {
  passageIds?: string[];
}

/** Actions of the searcher: search, answers, analytics and tuning. */
export const searcherActions = {
  search: action({
    params: { caller: required(caller), request: required(searchBody), withPassageIds },
    result: type<SearchResponse & PassageIds>(),
    repeatable: true,
  }),
  searchAs: action({
    params: { organizationId: required(anyText), actor: required(auditActor), request: required(searchBody) },
    result: type<SearchResponse>(),
    repeatable: false,
  }),
  suggest: action({
    params: { caller: required(caller), ...suggestQuery },
    result: type<Suggestions>(),
    repeatable: true,
  }),
  searchAnalytics: action({
    params: { caller: required(caller), ...searchAnalyticsQuery },
    result: type<SearchAnalytics>(),
    repeatable: true,
  }),
  answer: action({
    params: { caller: required(caller), request: required(searchBody), withPassageIds },
    result: type<AnswerResponse & PassageIds>(),
    repeatable: true,
  }),
  readPassage: action({
    params: { caller: required(caller), ...passageRead },
    result: type<PassageView>(),
    repeatable: true,
  }),
  listPassages: action({
    params: { caller: required(caller), assetId: required(uuid), ...passagesQuery },
    result: type<FilePassages>(),
    repeatable: true,
  }),
  related: action({
    params: { caller: required(caller), assetId: required(uuid), ...relatedQuery },
    result: type<RelatedResponse>(),
    repeatable: true,
  }),
  readSynonyms: action({
    params: { caller: required(caller) },
    result: type<{ items: SynonymRule[] }>(),
    repeatable: true,
  }),
  writeSynonyms: action({
    params: { caller: required(caller), rules: required(synonymRules) },
    result: type<{ items: SynonymRule[] }>(),
    repeatable: false,
  }),
  readBoosts: action({
    params: { caller: required(caller) },
    result: type<{ items: BoostRule[] }>(),
    repeatable: true,
  }),
  writeBoost: action({
    params: { caller: required(caller), name: required(pathName(100)), rule: required(boostRule) },
    result: type<BoostRule>(),
    repeatable: false,
  }),
  removeBoost: action({
    params: { caller: required(caller), name: required(pathName(100)) },
    result: type<null>(),
    repeatable: false,
  }),
  readPins: action({ params: { caller: required(caller) }, result: type<{ items: PinRule[] }>(), repeatable: true }),
  writePin: action({
    params: { caller: required(caller), rule: required(pinRule) },
    result: type<PinRule>(),
    repeatable: false,
  }),
};
