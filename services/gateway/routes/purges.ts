import { route } from '../../../mixins/http/api/route.ts';
import { purgeAnswer, purgesAnswer } from '../../../models/schemas/answers/purges.ts';
import { newPurge, purgePage } from '../../../models/schemas/purges.ts';
import { required } from '../../../models/schemas/schema.ts';
import { uuid } from '../../../models/schemas/values.ts';
import { contentPath } from './paths.ts';

const common = { tag: 'Purges', rate: 'storage', idempotency: 'none', query: {} } as const;

/** Orders to drop the copies that edges keep. */
export const purgeRoutes = [
  route({
    ...common,
    method: 'POST',
    path: `${contentPath}/buckets/{bucketId}/purges`,
    operation: 'createPurge',
    summary: 'Drops copies of files at all edges: of addresses, of prefixes of keys, or of the whole bucket.',
    action: 'storage.createPurge',
    scope: 'standard',
    params: { bucketId: required(uuid) },
    body: newPurge,
    status: 202,
    answer: purgeAnswer,
    errors: ['bucket_not_found', 'bucket_not_active', 'purge_url_not_in_bucket'],
    input: ({ caller, path: { bucketId }, body }) => ({ caller, bucketId, purge: body }),
  }),
  route({
    ...common,
    method: 'GET',
    path: `${contentPath}/purges`,
    operation: 'listPurges',
    summary: 'Lists purges, newest first.',
    action: 'storage.listPurges',
    scope: 'standard',
    params: {},
    query: purgePage,
    body: null,
    status: 200,
    answer: purgesAnswer,
    errors: [],
    input: ({ caller, query }) => ({ caller, ...query }),
  }),
  route({
    ...common,
    method: 'GET',
    path: `${contentPath}/purges/{purgeId}`,
    operation: 'readPurge',
    summary: 'Reads a purge: it has succeeded when every edge has dropped its copies.',
    action: 'storage.readPurge',
    scope: 'standard',
    params: { purgeId: required(uuid) },
    body: null,
    status: 200,
    answer: purgeAnswer,
    errors: ['purge_not_found'],
    input: ({ caller, path: { purgeId } }) => ({ caller, purgeId }),
  }),
];
