import { nothing } from '../../../models/schemas/answers/answer.ts';
import { pathName } from '../../../models/schemas/collections.ts';
import { required } from '../../../models/schemas/schema.ts';
import * as schemas from '../../../models/schemas/tuning.ts';
import { route } from '../../../mixins/http/api/route.ts';
import { contentPath } from './paths.ts';

const path = `${contentPath}/tuning`;
const params = { name: required(pathName(100)) };
const common = { tag: 'Tuning', scope: 'standard', rate: 'requests', idempotency: 'none', query: {} } as const;
/** The plan feature that every change needs. */
const feature = 'tuning';

/** What an organization has its searches ordered by, besides relevance. */
export const tuningRoutes = [
  route({
    ...common,
    method: 'GET',
    path: `${path}/synonyms`,
    operation: 'readSynonyms',
    summary: 'Reads the dictionary of synonyms.',
    action: 'searcher.readSynonyms',
    params: {},
    body: null,
    status: 200,
    answer: schemas.synonymsAnswer,
    errors: [],
    input: ({ caller }) => ({ caller }),
  }),
  route({
    ...common,
    method: 'PUT',
    path: `${path}/synonyms`,
    operation: 'writeSynonyms',
    summary: 'Replaces the whole dictionary of synonyms.',
    action: 'searcher.writeSynonyms',
    feature,
    params: {},
    body: schemas.synonymRules,
    status: 200,
    answer: schemas.synonymsAnswer,
    errors: [],
    input: ({ caller, body }) => ({ caller, rules: body }),
  }),
  route({
    ...common,
    method: 'GET',
    path: `${path}/boosts`,
    operation: 'readBoosts',
    summary: 'Lists the boosts by name.',
    action: 'searcher.readBoosts',
    params: {},
    body: null,
    status: 200,
    answer: schemas.boostsAnswer,
    errors: [],
    input: ({ caller }) => ({ caller }),
  }),
  route({
    ...common,
    method: 'PUT',
    path: `${path}/boosts/{name}`,
    operation: 'writeBoost',
    summary: 'Makes or replaces a boost.',
    action: 'searcher.writeBoost',
    feature,
    params,
    body: schemas.boostRule,
    status: 200,
    answer: schemas.boostAnswer,
    errors: ['name_mismatch'],
    input: ({ caller, path: { name }, body }) => ({ caller, name, rule: body }),
  }),
  route({
    ...common,
    method: 'DELETE',
    path: `${path}/boosts/{name}`,
    operation: 'removeBoost',
    summary: 'Removes a boost; one that is not there is removed already.',
    action: 'searcher.removeBoost',
    feature,
    params,
    body: null,
    status: 204,
    answer: nothing,
    errors: [],
    input: ({ caller, path: { name } }) => ({ caller, name }),
  }),
  route({
    ...common,
    method: 'GET',
    path: `${path}/pins`,
    operation: 'readPins',
    summary: 'Lists the pins by query.',
    action: 'searcher.readPins',
    params: {},
    body: null,
    status: 200,
    answer: schemas.pinsAnswer,
    errors: [],
    input: ({ caller }) => ({ caller }),
  }),
  route({
    ...common,
    method: 'PUT',
    path: `${path}/pins`,
    operation: 'writePin',
    summary: 'Pins up to ten files to a query, in order; an empty list removes the pin.',
    action: 'searcher.writePin',
    feature,
    params: {},
    body: schemas.pinRule,
    status: 200,
    answer: schemas.pinAnswer,
    errors: ['asset_not_found'],
    input: ({ caller, body }) => ({ caller, rule: body }),
  }),
];
