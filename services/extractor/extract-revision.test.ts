import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { guardedClient } from '../../mixins/guarded-client/client.ts';
import { newRun } from '../../mixins/runs/transitions.ts';
import { testHouse } from '../../test/support/house.ts';
import type { Asset } from '../../models/asset.ts';
import { extractRevision } from './extract-revision.ts';
import { WorkFolder } from './work-folder.ts';

function assetAt(sourceUrl: string): Asset {
  return {
    _id: 'asset', organizationId: 'organization', accountId: 'account', externalId: 'f', externalKey: 'f', filename: 'f.txt', kind: 'document', sourceUrl, sourceVersion: '"1"',
    registeredVersions: [], language: 'multi', audioTrack: null, metadata: {}, collections: [], callbackKey: null, contentSha256: null, extractContentFromVideoFrames: null,
    connectorId: null, bucketId: null, sealedAccess: null, aclMode: 'open', principals: [''], attributesVersion: 1, activeRevision: null, latestRevision: 1, facts: null,
    sourceMissingSince: null, createdAt: 0, updatedAt: 0, deletedAt: null, run: newRun('job', 1, 0), version: 1, outbox: [],
  };
}

describe('reading a source', () => {
  it('ends after its time, as a failure that is tried again, however the source trickles', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(200, { ETag: '"1"' });
      const drip = setInterval(() => response.write('x'.repeat(20_000)), 50);
      response.once('close', () => clearInterval(drip));
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()));
    const folder = new WorkFolder(mkdtempSync(join(tmpdir(), 'ply-work-')), 'node');
    const client = guardedClient({ privateNetworks: 'allow' });
    const { house, close } = await testHouse({ PLY_SOURCE_SECONDS: '1', PLY_PRIVATE_NETWORKS: 'allow' });
    const asset = assetAt(`http://127.0.0.1:${(server.address() as AddressInfo).port}/f.txt`);
    const pool = { extract: () => { throw new Error('nothing was read'); }, confinedBy: () => Promise.resolve([]), close: () => Promise.resolve() };
    try {
      await folder.make();
      const reading = extractRevision({ house, client, trustingClient: client, pool, folder }, { asset, signal: new AbortController().signal, progress: () => undefined });
      await expect(reading).rejects.toMatchObject({ name: 'SourceFailure', code: 'source_unreachable', outcome: 'temporary' });
    } finally {
      await client.close();
      await close();
      server.closeAllConnections();
      server.close();
      await folder.remove();
    }
  });
});
