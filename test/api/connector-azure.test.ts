import { readFileSync } from 'node:fs';
import {
  BlobServiceClient,
  ContainerSASPermissions,
  generateBlobSASQueryParameters,
  StorageSharedKeyCredential,
} from '@azure/storage-blob';
import type { ConnectorView } from '../../models/connector.ts';
import { startAzurite } from '../servers/azurite.ts';
import { skipWithReason } from '../support/servers.ts';
import { content } from './support/client.ts';
import { connectorsPath, finds, found, missingFiles, summary, UsedConnector } from './support/connectors.ts';
import { startTestProgram } from './support/program.ts';

const server = await startAzurite();

if (typeof server === 'string') skipWithReason('a connector of a container', server);
else {
  const owner = new StorageSharedKeyCredential(server.account, server.accountKey);
  const service = new BlobServiceClient(server.blobService, owner);
  const host = new URL(server.blobService).host;
  const program = await startTestProgram();
  const client = program.standard;
  afterAll(async () => {
    await program.end();
    await server.stop();
  });

  /** Creates a shared access signature that is valid for the given time. */
  const tokenFor = (containerName: string, milliseconds = 3_600_000, permissions = 'rl'): string =>
    generateBlobSASQueryParameters(
      {
        containerName,
        permissions: ContainerSASPermissions.parse(permissions),
        startsOn: new Date(Date.now() - 60_000),
        expiresOn: new Date(Date.now() + milliseconds),
      },
      owner,
    ).toString();
  const container = async (
    name: string,
  ): Promise<{
    put(key: string, text: string): Promise<void>;
    remove(key: string): Promise<void>;
    body: object;
    signature: string;
  }> => {
    const made = service.getContainerClient(name);
    await made.create();
    const credential = tokenFor(name);
    return {
      put: async (key, text) => {
        await made.getBlockBlobClient(key).upload(text, Buffer.byteLength(text));
      },
      remove: async (key) => {
        await made.deleteBlob(key);
      },
      body: {
        kind: 'azure_blob',
        config: { blobService: server.blobService, container: name, prefix: '' },
        credential,
        defaultAclMode: 'open',
      },
      signature: new URLSearchParams(credential).get('sig') ?? '',
    };
  };

  describe('files of a container', () => {
    it('are added, changed, moved, removed and restored', async () => {
      const { put, remove, body } = await container('life');
      const connector = await UsedConnector.create(client, { ...body, name: 'life' });
      await put('otter.txt', 'The otter cracks shells with a stone.');
      await put('dir/badger.txt', 'The badger digs a sett.');
      await put('dir/tool.bin', 'nothing that is read');
      expect(await connector.settled()).toEqual(summary({ new: 2 }));
      await finds(client, 'otter', ['otter.txt']);
      const otter = await connector.asset('otter.txt');
      expect(otter).toMatchObject({
        externalId: `azure:${host}/life/otter.txt`,
        sourceUrl: `${server.blobService}/life/otter.txt`,
        connectorName: 'life',
        sourceAccessMode: null,
      });
      expect(await connector.settled()).toEqual(summary({ unchanged: 2 }));
      await put('dir/badger.txt', 'The badger sleeps all winter.');
      await put('sea otter.txt', 'The otter cracks shells with a stone.');
      await remove('otter.txt');
      expect(await connector.settled()).toEqual(summary({ changed: 1, moved: 1 }));
      await finds(client, 'otter', ['sea otter.txt']);
      await finds(client, 'badger sleeps', ['badger.txt']);
      expect(await connector.asset('sea otter.txt')).toMatchObject({ assetId: otter.assetId, latestRevision: 1 });
      await remove('sea otter.txt');
      expect(await connector.settled()).toEqual(summary({ removed: 1, unchanged: 1 }));
      await finds(client, 'otter', []);
      expect((await missingFiles(client)).map(({ assetId }) => assetId)).toEqual([otter.assetId]);
      await put('sea otter.txt', 'The otter cracks shells with a stone.');
      expect(await connector.settled()).toMatchObject({ new: 0, removed: 0, failed: 0 });
      await finds(client, 'otter', ['sea otter.txt']);
      expect(await connector.asset('sea otter.txt')).toMatchObject({
        assetId: otter.assetId,
        sourceMissingSince: null,
      });
    });

    it('have all kinds of names, in a container given by its URL', async () => {
      const { put, body } = await container('odd');
      const names = [
        '1+1=2.txt',
        'a b.txt',
        '50%.txt',
        '%41.txt',
        'c#.txt',
        'why?.txt',
        'ünï-日本.txt',
        "q'(!)*~&;:@$,.txt",
      ];
      for (const name of names) await put(`in/${name}`, `Quokka ${name}`);
      await put('inside.txt', 'Quokka outside of the prefix');
      const connector = await UsedConnector.create(client, {
        ...body,
        name: 'odd',
        config: { containerUrl: `${server.blobService}/odd`, prefix: 'in/' },
      });
      expect((await connector.read()).config).toEqual({
        blobService: server.blobService,
        container: 'odd',
        prefix: 'in/',
      });
      expect(await connector.settled()).toEqual(summary({ new: names.length }));
      await finds(client, 'quokka', names);
      expect(await connector.settled()).toEqual(summary({ unchanged: names.length }));
    });
  });

  describe('a signature', () => {
    it('that has expired fails the sync with a clear error, and no file is missing', async () => {
      const { put, body, signature } = await container('expiry');
      for (const name of ['dugong', 'manatee']) await put(`${name}.txt`, `The ${name} grazes in the sea.`);
      const connector = await UsedConnector.create(client, { ...body, name: 'expiry' });
      expect(await connector.settled()).toEqual(summary({ new: 2 }));
      const settings = {
        kind: 'azure_blob',
        name: 'expiry',
        config: { blobService: server.blobService, container: 'expiry' },
        defaultAclMode: 'open',
      };
      const replace = (credential: string): Promise<ConnectorView> =>
        client.get(200, 'PUT', `${connectorsPath}/${connector.id}`, { body: { ...settings, credential } });
      await replace(tokenFor('expiry', -30_000));
      const { lastError, lastSummary } = await connector.sync();
      expect([lastError, lastSummary]).toEqual([expect.stringMatching(/[a-z]{4,} [a-z]{2,}/), summary({ new: 2 })]);
      expect(lastError).not.toContain('sig=');
      await finds(client, 'grazes', ['dugong.txt', 'manatee.txt']);
      expect((await missingFiles(client)).filter(({ externalId }) => externalId.includes('/expiry/'))).toEqual([]);

      // A valid one ends that. A file that is read with an expired one waits for access.
      await replace(`?${tokenFor('expiry')}`);
      expect(await connector.settled()).toEqual(summary({ unchanged: 2 }));
      expect((await connector.read()).lastError).toBeNull();
      for (const secret of ['sig=', signature, encodeURIComponent(signature)]) {
        expect(readFileSync(program.logFile, 'utf8')).not.toContain(secret);
        for (const path of [connectorsPath, `${content}/activity`, `${content}/assets`])
          expect(JSON.stringify(await client.get(200, 'GET', path))).not.toContain(secret);
      }
    });

    it('that expires between sync and read leaves the file waiting for access until it is replaced', async () => {
      const { put, body } = await container('waiting');
      await put('walrus.txt', 'The walrus has tusks.');
      const connector = await UsedConnector.create(client, { ...body, name: 'waiting' });
      expect(await connector.settled()).toEqual(summary({ new: 1 }));
      const { assetId } = await connector.asset('walrus.txt');
      await client.get(200, 'PUT', `${connectorsPath}/${connector.id}`, {
        body: { ...body, name: 'waiting', credential: tokenFor('waiting', -30_000) },
      });
      const { jobId } = await client.get<{ jobId: string }>(202, 'POST', `${content}/assets/${assetId}/reindex`, {
        headers: { 'Idempotency-Key': 'walrus' },
      });
      await client.reaches(jobId, 'awaiting_source_access');
      expect(await found(client, 'walrus')).toEqual(['walrus.txt']);
      // A new credential requests a sync, which resumes the file although it is unchanged.
      const { lastRunAt } = await connector.read();
      await client.get(200, 'PUT', `${connectorsPath}/${connector.id}`, { body: { ...body, name: 'waiting' } });
      expect((await connector.ranAfter(lastRunAt)).lastSummary).toEqual(summary({ unchanged: 1 }));
      await client.reaches(jobId, 'ready');
      await put('walrus.txt', 'The walrus has whiskers.');
      expect(await connector.settled()).toEqual(summary({ changed: 1 }));
      await finds(client, 'whiskers', ['walrus.txt']);
    });
  });
}
