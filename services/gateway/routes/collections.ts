import { nothing } from '../../../models/schemas/answers/answer.ts';
import * as schemas from '../../../models/schemas/collections.ts';
import { required } from '../../../models/schemas/schema.ts';
import { collectionPage } from '../../../models/schemas/library.ts';
import { route } from '../../../mixins/http/api/route.ts';
import { contentPath } from './paths.ts';

const path = `${contentPath}/collections`;
const params = { externalId: required(schemas.pathName(512)) };
const common = { tag: 'Collections', scope: 'standard', rate: 'requests', idempotency: 'none' } as const;
/** The plan feature that making and changing need; deleting always works. */
const feature = 'collections';

/** Groups of files that searches are narrowed by. */
export const collectionRoutes = [
  route({
    ...common,
    method: 'POST',
    path,
    operation: 'createCollection',
    summary: 'Makes a collection of up to 1000 files; its externalId is generated.',
    action: 'registrar.createCollection',
    feature,
    params: {},
    query: {},
    body: schemas.newCollection,
    status: 201,
    answer: schemas.createdCollectionAnswer,
    errors: [],
    input: ({ caller, body }) => ({ caller, ...body }),
  }),
  route({
    ...common,
    method: 'GET',
    path,
    operation: 'listCollections',
    summary: 'Lists collections by name; go on while a page is full.',
    action: 'registrar.listCollections',
    params: {},
    query: collectionPage,
    body: null,
    status: 200,
    answer: schemas.collectionsAnswer,
    errors: [],
    input: ({ caller, query }) => ({ caller, ...query }),
  }),
  route({
    ...common,
    method: 'PUT',
    path: `${path}/{externalId}`,
    operation: 'writeCollection',
    summary: 'Makes a collection, or changes its name and metadata.',
    action: 'registrar.writeCollection',
    feature,
    params,
    query: {},
    body: schemas.collectionChange,
    status: 200,
    answer: schemas.collectionAnswer,
    errors: ['name_mismatch'],
    input: ({ caller, path: { externalId }, body }) => ({ caller, externalId, change: body }),
  }),
  route({
    ...common,
    method: 'PUT',
    path: `${path}/{externalId}/assets`,
    operation: 'changeCollectionAssets',
    summary: 'Adds up to 1000 files, then removes up to 1000.',
    action: 'registrar.changeCollectionAssets',
    feature,
    params,
    query: {},
    body: schemas.collectionAssets,
    status: 200,
    answer: schemas.collectionCountAnswer,
    errors: ['collection_not_found', 'asset_not_found'],
    input: ({ caller, path: { externalId }, body: { add, remove } }) => ({
      caller,
      externalId,
      add: add ?? [],
      remove: remove ?? [],
    }),
  }),
  route({
    ...common,
    method: 'DELETE',
    path: `${path}/{externalId}`,
    operation: 'removeCollection',
    summary: 'Deletes a collection; its files stay indexed.',
    action: 'registrar.removeCollection',
    params,
    query: {},
    body: null,
    status: 204,
    answer: nothing,
    errors: ['collection_not_found'],
    input: ({ caller, path: { externalId } }) => ({ caller, externalId }),
  }),
];
