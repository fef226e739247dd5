import { randomUUID } from 'node:crypto';
import type { Asked } from './recorder.ts';

/** A minimal valid body of an operation. */
export function minimalBody(operation: string): Asked {
  if (operation === 'writeMetadata') return { body: { metadata: {} } };
  if (operation === 'correctTranscript') return { body: { segments: [] } };
  if (operation === 'writePin') return { body: { query: 'x', assetIds: [randomUUID()] } };
  if (operation === 'replaceConnector')
    return { body: { kind: 'canvas', name: randomUUID(), config: { baseUrl: 'http://127.0.0.1:9' } } };
  if (operation === 'giveSourceAccess') return { body: { url: 'http://127.0.0.1/a.txt' } };
  if (operation === 'writePermissions') return { body: { mode: 'open' } };
  if (operation === 'changeBucket' || operation === 'changeObject' || operation === 'changeLibrary')
    return { body: {} };
  if (operation === 'startUpload') return { body: { key: 'a', contentType: 'text/plain', size: 1 } };
  if (operation === 'readTrafficBreakdown') return { query: `?month=2031-01&bucketId=${randomUUID()}` };
  if (operation === 'previewAnalyticsRule') return { body: { rule: { name: 'a', type: 'tag', tag: 'a' } } };
  if (operation === 'readDeliveryAnalytics' || operation === 'readTrafficAnalytics')
    return { query: `?from=2031-01-01&to=2031-01-02&bucketId=${randomUUID()}` };
  if (operation === 'createPurge') return { body: { all: true } };
  if (operation === 'addDomain') return { body: { bucketId: randomUUID(), hostname: 'a.example.com' } };
  if (operation === 'createStorageAccount') return { body: { name: 'abc', homeRegion: 'in-west' } };
  if (operation === 'changeStorageAccount') return { body: {} };
  if (operation === 'sign') return { body: { bucketId: randomUUID(), key: 'a' } };
  if (operation === 'createStorageCredential')
    return { body: { name: 'a', kind: 's3', permissions: ['read'], bucketIds: null, expiresAt: null } };
  if (operation === 'changeVideo') return { body: {} };
  if (operation === 'createVideo') return { body: { size: 1, contentType: 'video/mp4' } };
  if (operation === 'createBucket' || operation === 'createLibrary')
    return { body: { name: 'abc', region: 'in-west' } };
  if (operation === 'createWebhook') return { body: { url: 'https://127.0.0.1/', events: ['video.ready'] } };
  if (['changeWebhook', 'changePerson', 'rotateApiKey'].includes(operation)) return { body: {} };
  return operation === 'changeSubOrganization' ? { body: { name: 'x' } } : {};
}
