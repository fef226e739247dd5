import { ListBucketsCommand } from '@aws-sdk/client-s3';
import { BlobServiceClient } from '@azure/storage-blob';
import type { RegionView } from '../../models/bucket.ts';
import type { NewCredentialView } from '../../models/storage-credential.ts';
import { freePort } from '../servers/ports.ts';
import { faultOf, startBlobProgram } from './support/blob.ts';
import { content } from './support/client.ts';
import { clientOf, faultOf as s3FaultOf } from './support/s3.ts';
import { createBucket } from './support/storage.ts';

const id = (text: string): string => Buffer.from(text).toString('base64');

describe('the door of Blob clients', () => {
  it('has every block and blob that it answered, after the program was killed', async () => {
    const program = await startBlobProgram({ PLY_BLOB_PORT: String(await freePort()) });
    try {
      const { name } = await createBucket(program.admin, {}, { uploadRules: { allowOverwrite: true } });
      const client = new BlobServiceClient(program.endpoint, await program.newKey());
      const container = client.getContainerClient(name);
      const blob = container.getBlockBlobClient('of blocks');
      await container.getBlockBlobClient('whole').upload('whole', 5);
      await blob.stageBlock(id('1'), 'one ', 4);
      await blob.stageBlock(id('2'), 'two', 3);
      await program.process.kill();
      await program.start();
      expect((await container.getBlobClient('whole').downloadToBuffer()).toString()).toBe('whole');
      await blob.commitBlockList([id('1'), id('2')]);
      await program.process.kill();
      await program.start();
      expect((await blob.downloadToBuffer()).toString()).toBe('one two');
      expect((await blob.getBlockList('all')).committedBlocks?.map(({ size }) => size)).toEqual([4, 3]);
      await blob.stageBlock(id('3'), '!', 1);
      await blob.commitBlockList([id('1'), id('3')]);
      expect((await blob.downloadToBuffer()).toString()).toBe('one !');
    } finally {
      await program.end();
    }
  }, 60_000);

  it('answers that it is busy, where an organization sends too many requests', async () => {
    const program = await startBlobProgram({ PLY_STORAGE_REQUESTS_PER_MINUTE: '30' });
    try {
      const { items } = await program.admin.get<{ items: RegionView[] }>(200, 'GET', `${content}/regions`);
      const key = await program.session.get<NewCredentialView>(201, 'POST', `${content}/storage-credentials`, {
        body: { name: 'busy', kind: 's3', permissions: ['read'] },
      });
      const s3Client = clientOf(items[0]?.endpoints.s3 ?? '', key);
      const client = await program.client();
      const answers = await Promise.all(Array.from({ length: 40 }, () => faultOf(client.getAccountInfo())));
      const busy = answers.filter(({ status }) => status === 503);
      expect(busy.length).toBeGreaterThan(9);
      expect(busy[0]).toEqual({ code: 'ServerBusy', status: 503 });
      const response = await fetch(client.generateAccountSasUrl() + '&restype=account&comp=properties');
      expect([response.status, Number(response.headers.get('retry-after')) > 0]).toEqual([503, true]);
      // Both doors count towards the same limit, and each says so in its own words.
      expect(await s3FaultOf(s3Client.send(new ListBucketsCommand({})))).toEqual(['SlowDown', 503]);
    } finally {
      await program.end();
    }
  }, 60_000);
});
