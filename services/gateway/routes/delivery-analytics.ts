import { route } from '../../../mixins/http/api/route.ts';
import * as answers from '../../../models/schemas/answers/delivery-analytics.ts';
import { deliveryAnalyticsQuery, resourceUsageQuery } from '../../../models/schemas/delivery-analytics.ts';
import { contentPath } from './paths.ts';

const common = { tag: 'Delivery', rate: 'storage', idempotency: 'none', params: {}, body: null } as const;

/** What was delivered, and what buckets used. */
export const deliveryAnalyticsRoutes = [
  route({
    ...common,
    method: 'GET',
    path: `${contentPath}/delivery/analytics`,
    operation: 'readDeliveryAnalytics',
    summary: 'Tells what was delivered, by UTC day, region group and bucket.',
    action: 'traffic.deliveryAnalytics',
    scope: 'standard',
    query: deliveryAnalyticsQuery,
    status: 200,
    answer: answers.deliveryAnalyticsAnswer,
    errors: ['bucket_not_found', 'analytics_unavailable'],
    input: ({ caller, query }) => ({ caller, ...query }),
  }),
  route({
    ...common,
    method: 'GET',
    path: `${contentPath}/usage/resources`,
    operation: 'readResourceUsage',
    summary: 'Tells what each bucket used, by day.',
    action: 'traffic.resourceUsage',
    scope: 'standard',
    query: resourceUsageQuery,
    status: 200,
    answer: answers.resourceUsageAnswer,
    errors: [],
    input: ({ caller, query }) => ({ caller, ...query }),
  }),
];
