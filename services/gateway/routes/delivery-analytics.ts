import { call, type ActionCaller } from '../../../mixins/actions/call.ts';
import type { ActionInput, ActionOutput } from '../../../mixins/actions/table.ts';
import { downloadRoute, route, type Download } from '../../../mixins/http/api/route.ts';
import * as answers from '../../../models/schemas/answers/delivery-analytics.ts';
import {
  breakdownQuery,
  deliveryAnalyticsQuery,
  previewBody,
  resourceUsageQuery,
  trafficAnalyticsQuery,
} from '../../../models/schemas/delivery-analytics.ts';
import { required } from '../../../models/schemas/schema.ts';
import { uuid } from '../../../models/schemas/values.ts';
import { contentPath } from './paths.ts';

const common = { tag: 'Delivery', rate: 'storage', idempotency: 'none', params: {}, body: null } as const;

const traffic = {
  tag: 'Traffic analytics',
  scope: 'admin',
  status: 200,
  errors: ['bucket_not_found', 'analytics_unavailable'],
} as const;

/** The file of a breakdown: its parts are asked for as the client takes them. */
function breakdownDownload(
  output: ActionOutput<'traffic.breakdown'>,
  { caller, ...query }: ActionInput<'traffic.breakdown'>,
  actions: ActionCaller,
): Download | null {
  if (!('csv' in output)) return null;
  const { exportId } = output;
  let page: ActionOutput<'traffic.exportPage'> = output;
  async function* pieces(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        yield Buffer.from(page.csv);
        if (page.next === null) return;
        page = await call(actions, 'traffic.exportPage', { caller, ...query, exportId, after: page.next });
      }
    } finally {
      await call(actions, 'traffic.closeExport', { caller, exportId });
    }
  }
  return { type: 'text/csv; charset=utf-8', fileName: `delivery-${query.month}.csv`, pieces };
}

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
  route({
    ...common,
    ...traffic,
    method: 'GET',
    path: `${contentPath}/analytics/delivery`,
    operation: 'readTrafficAnalytics',
    summary: 'Tells what traffic analytics counted, as series by value, bucket or organization.',
    action: 'traffic.trafficAnalytics',
    query: trafficAnalyticsQuery,
    body: null,
    answer: answers.trafficAnalyticsAnswer,
    errors: [...traffic.errors, 'too_many_organizations'],
    input: ({ caller, query }) => ({ caller, ...query }),
  }),
  downloadRoute({
    ...common,
    ...traffic,
    method: 'GET',
    path: `${contentPath}/analytics/delivery/breakdown`,
    operation: 'readTrafficBreakdown',
    summary: 'Tells what traffic analytics counted in a month, by bucket or value, as JSON or as a CSV file.',
    action: 'traffic.breakdown',
    query: breakdownQuery,
    body: null,
    answer: answers.breakdownAnswer,
    errors: [...traffic.errors, 'too_many_organizations', 'too_many_rows', 'export_busy'],
    input: ({ caller, query }) => ({ caller, ...query }),
    downloads: 'text/csv; charset=utf-8',
    download: breakdownDownload,
  }),
  route({
    ...common,
    ...traffic,
    method: 'POST',
    path: `${contentPath}/buckets/{bucketId}/analytics/preview`,
    operation: 'previewAnalyticsRule',
    role: 'reader',
    summary: 'Tries a dimension rule on the last requests of a bucket, or on its file names. It changes nothing.',
    action: 'traffic.previewRule',
    params: { bucketId: required(uuid) },
    query: {},
    body: previewBody,
    answer: answers.previewAnswer,
    errors: [...traffic.errors],
    input: ({ caller, path, body }) => ({ caller, ...path, preview: body }),
  }),
];
