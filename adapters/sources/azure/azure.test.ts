import {
  ContainerSASPermissions,
  BlobServiceClient,
  StorageSharedKeyCredential,
  generateBlobSASQueryParameters,
} from '@azure/storage-blob';
import { guardedClient } from '../../../mixins/guarded-client/client.ts';
import { systemRuntime } from '../../../models/runtime.ts';
import { startAzurite } from '../../../test/servers/azurite.ts';
import { skipWithReason } from '../../../test/support/servers.ts';
import { addressReader, listAll, sourcesConformance } from '../conformance.ts';
import { openConnectorSource } from '../open.ts';
import type { Source, SourceClient } from '../port.ts';
import { writeTreeCursor } from './cursor.ts';

const client = guardedClient({ privateNetworks: 'allow' });
afterAll(() => client.close());

const server = await startAzurite();
if (typeof server === 'string') {
  skipWithReason('a container of Azure Blob Storage', server);
} else {
  const credential = new StorageSharedKeyCredential(server.account, server.accountKey);
  const service = new BlobServiceClient(server.blobService, credential);
  afterAll(() => server.stop());

  /** A shared access signature with List and Read, as a customer creates it. */
  const tokenFor = (containerName: string): string =>
    generateBlobSASQueryParameters(
      {
        containerName,
        permissions: ContainerSASPermissions.parse('rl'),
        startsOn: new Date(Date.now() - 60_000),
        expiresOn: new Date(Date.now() + 3_600_000),
      },
      credential,
    ).toString();

  const open = (
    container: string,
    change: { token?: string; blobService?: string; prefix?: string } = {},
  ): Promise<Source> =>
    openConnectorSource({
      source: {
        kind: 'azure_blob',
        config: { blobService: change.blobService ?? server.blobService, container, prefix: change.prefix ?? '' },
      },
      credential: change.token ?? tokenFor(container),
      client,
      runtime: systemRuntime,
    });

  sourcesConformance('a container of Azure Blob Storage', async () => {
    const container = service.getContainerClient('suite');
    await container.create();
    const put = async (name: string, content: string): Promise<void> => {
      await container.getBlockBlobClient(name).upload(content, Buffer.byteLength(content));
    };
    const wrong = tokenFor('suite').replace(
      /sig=[^&]+/,
      `sig=${encodeURIComponent(Buffer.alloc(32, 7).toString('base64'))}`,
    );
    return {
      open: (fault) =>
        open(fault === 'absent' ? 'no-such-container' : 'suite', {
          ...(fault === 'temporary' && { blobService: 'http://127.0.0.1:1/account' }),
          ...(fault === 'credential' && { token: wrong }),
        }),
      put,
      putMany: async (names) => {
        for (let at = 0; at < names.length; at += 50)
          await Promise.all(names.slice(at, at + 50).map((name) => put(name, name)));
      },
      remove: async (name) => {
        await container.deleteBlob(name);
      },
      read: addressReader(client),
      secrets: ['sig=', 'sv=', Buffer.alloc(32, 7).toString('base64')],
      stop: async () => undefined,
    };
  });

  describe('a container', () => {
    const signal = new AbortController().signal;

    it('reads names of all kinds below its prefix, and no others', async () => {
      const container = service.getContainerClient('odd');
      await container.create();
      const readable = [
        'in/plus+plus.txt',
        'in/a b.txt',
        'in/a-b.txt',
        'in/a/b.txt',
        "in/q'(!)*~&=?#;:@$,%41.txt",
        'in/<&>".txt',
        'in/ünï/日本 語.txt',
      ];
      for (const name of [...readable, 'inside.txt'])
        await container.getBlockBlobClient(name).upload(`content of ${name}`, Buffer.byteLength(`content of ${name}`));
      const marker = container.getBlockBlobClient('in/folder/');
      await marker.upload('', 0);
      const source = await open('odd', { prefix: 'in/', token: `?${tokenFor('odd')}` });
      const { entries, gaps, next } = await source.list(null, signal);
      const prefix = `azure:${new URL(server.blobService).host}/odd/`;
      expect(next).toBeNull();
      expect(gaps).toEqual([]);
      expect(entries.map(({ externalId }) => externalId.slice(prefix.length))).toEqual(
        [...readable].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
      );
      for (const entry of entries) {
        const { content, etag } = await addressReader(client)(await source.addressOf(entry, signal));
        expect([content, etag]).toEqual([`content of ${entry.externalId.slice(prefix.length)}`, entry.sourceVersion]);
      }
      for (const name of ['in/x/../y.txt', '.', ''])
        await expect(
          source.addressOf({ externalId: prefix + name, sourceUrl: '', sourceVersion: '' }, signal),
        ).rejects.toMatchObject({ reason: 'refused' });
    });

    it('is listed folder by folder where the account has a hierarchical namespace', async () => {
      const container = service.getContainerClient('folders');
      await container.create();
      const names = ['a/z.txt', 'a/b/c.txt', 'a-b.txt', 'a.txt', 'Course 1/x.txt', 'Course 1 (old)/x.txt'];
      for (const name of names) await container.getBlockBlobClient(name).upload(name, Buffer.byteLength(name));
      const asked: URL[] = [];
      const folders: SourceClient = {
        request: async (url, options) => {
          asked.push(new URL(url));
          const answer = await client.request(url, options);
          return {
            status: answer.status,
            header: (name) => (name === 'x-ms-is-hns-enabled' ? 'true' : answer.header(name)),
            body: answer.body,
            discard: () => answer.discard(),
          };
        },
      };
      const source = await openConnectorSource({
        source: { kind: 'azure_blob', config: { blobService: server.blobService, container: 'folders', prefix: '' } },
        credential: tokenFor('folders'),
        client: folders,
        runtime: systemRuntime,
      });
      const prefix = `azure:${new URL(server.blobService).host}/folders/`;
      const listed = async (cursor: string | null): Promise<string[]> =>
        (await listAll(source, cursor)).map(({ externalId }) => externalId.slice(prefix.length));
      const inOrder = [...names].sort();
      expect(await listed(null)).toEqual(inOrder);
      expect(asked[1]?.searchParams.get('restype')).toBe('account');
      expect(
        asked.slice(2).map(({ searchParams }) => [searchParams.get('delimiter'), searchParams.get('prefix') ?? '']),
      ).toEqual(['', 'Course 1 (old)/', 'Course 1/', 'a/', 'a/b/'].map((folder) => ['/', folder]));
      expect(await listed(writeTreeCursor('a.txt'))).toEqual(['a/b/c.txt', 'a/z.txt']);
      // Without folders the flat list is used.
      expect((await listAll(await open('folders'))).map(({ externalId }) => externalId.slice(prefix.length))).toEqual(
        inOrder,
      );
    });

    it('has no content id for content uploaded in blocks', async () => {
      const container = service.getContainerClient('blocks');
      await container.create();
      const blob = container.getBlockBlobClient('blocks.txt');
      const id = Buffer.from('0001').toString('base64');
      await blob.stageBlock(id, 'x', 1);
      await blob.commitBlockList([id]);
      expect(
        (await listAll(await open('blocks'))).map(({ filename, bytes, contentId }) => [filename, bytes, contentId]),
      ).toEqual([['blocks.txt', 1, null]]);
    });

    it('refuses a malformed token', async () => {
      for (const token of ['', '?', 'sig=a b', 'sig=a#b', 'sig=a\nb', 'sig=ä'])
        await expect(open('odd', { token })).rejects.toMatchObject({ name: 'SourceError', reason: 'credential' });
    });
  });
}
