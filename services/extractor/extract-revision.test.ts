import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { guardedClient } from '../../mixins/guarded-client/client.ts';
import { testApp } from '../../test/support/app.ts';
import { extractRevision } from './extract-revision.ts';
import { recordingTools } from './tools.ts';
import { slideToolbox } from './slides/toolbox.ts';
import { WorkFolder } from '../../mixins/work-folder.ts';
import { testAsset } from '../../test/support/asset.ts';

describe('reading a source', () => {
  it('fails temporarily after its timeout, even if the source sends slowly', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(200, { ETag: '"1"' });
      const drip = setInterval(() => response.write('x'.repeat(20_000)), 50);
      response.once('close', () => clearInterval(drip));
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()));
    const folder = new WorkFolder(mkdtempSync(join(tmpdir(), 'ply-work-')), 'node');
    const client = guardedClient({ privateNetworks: 'allow' });
    const { app, close } = await testApp({ PLY_SOURCE_SECONDS: '1', PLY_PRIVATE_NETWORKS: 'allow' });
    const asset = testAsset({ sourceUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/f.txt` });
    const pool = {
      extract: () => {
        throw new Error('nothing was read');
      },
      confinement: () => Promise.resolve({ prefix: [], used: [], network: 'none' as const }),
      close: () => Promise.resolve(),
    };
    try {
      await folder.make();
      const reading = extractRevision(
        {
          app,
          client,
          readAddress: () => Promise.reject(new Error('no connectors here')),
          trustingClient: client,
          pool,
          ...recordingTools(app.configuration),
          slides: slideToolbox(app.configuration),
          folder,
        },
        { asset, signal: new AbortController().signal, progress: () => undefined, setFailureOutbox: () => undefined },
      );
      await expect(reading).rejects.toMatchObject({
        name: 'SourceFailure',
        code: 'source_unreachable',
        outcome: 'temporary',
      });
    } finally {
      await client.close();
      await close();
      server.closeAllConnections();
      server.close();
      await folder.remove();
    }
  });
});
