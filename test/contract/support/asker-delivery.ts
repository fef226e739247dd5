import { randomUUID } from 'node:crypto';
import type { BucketView } from '../../../models/bucket.ts';
import type { Asker } from './asker.ts';

/** What was delivered, what was used, and the audit log: their successes and errors. */
export async function askAboutDelivery({ succeed, refused }: Asker, { id }: BucketView): Promise<void> {
  const query = '?from=2031-01-01&to=2031-01-31';
  await succeed('readDeliveryAnalytics', { query });
  await succeed('readDeliveryAnalytics', { query: `${query}&bucketId=${id}` });
  await refused('readDeliveryAnalytics', 'bucket_not_found', { query: `${query}&bucketId=${randomUUID()}` });
  await succeed('readTrafficAnalytics', { query });
  await refused('readTrafficAnalytics', 'bucket_not_found', { query: `${query}&bucketId=${randomUUID()}` });
  await succeed('readTrafficBreakdown', { query: '?month=2031-01' });
  await refused('readTrafficBreakdown', 'bucket_not_found', { query: `?month=2031-01&bucketId=${randomUUID()}` });
  await succeed('previewAnalyticsRule', {
    ids: { bucketId: id },
    body: { rule: { name: 'folder', type: 'pathSegment', index: 1 } },
  });
  await succeed('readResourceUsage', { query });
  await succeed('listAuditLog', { query: '?limit=1' });
}
