import { route } from '../../../mixins/http/api/route.ts';
import { auditLogAnswer } from '../../../models/schemas/answers/delivery-analytics.ts';
import { auditLogQuery } from '../../../models/schemas/delivery-analytics.ts';
import { contentPath } from './paths.ts';

/** The audit log of buckets, objects and what belongs to them. */
export const auditLogRoutes = [
  route({
    method: 'GET',
    path: `${contentPath}/audit`,
    operation: 'listAuditLog',
    tag: 'Audit log',
    summary: 'Lists what was done to buckets, objects, domains and the storage account, newest first.',
    action: 'storage.listAuditLog',
    scope: 'standard',
    rate: 'storage',
    idempotency: 'none',
    params: {},
    query: auditLogQuery,
    body: null,
    status: 200,
    answer: auditLogAnswer,
    errors: [],
    input: ({ caller, query }) => ({ caller, ...query }),
  }),
];
