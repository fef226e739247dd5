import { ListBucketsCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { setTimeout as pause } from 'node:timers/promises';
import { content, until } from './support/client.ts';
import { freePort } from '../servers/ports.ts';
import { startS3Program } from './support/s3.ts';
import { createBucket } from './support/storage.ts';

/** Milliseconds in which a response is on disk, on a busy machine. */
const spooledMs = 1000;

describe('the usage of the S3 door', () => {
  it('is counted once for each request, also where the program was killed before it was handed over', async () => {
    const program = await startS3Program({ PLY_S3_PORT: String(await freePort()) });
    try {
      const { name: Bucket } = await createBucket(program.admin);
      const client = await program.client();
      for (const Key of ['a', 'b', 'c']) await client.send(new PutObjectCommand({ Bucket, Key, Body: 'a text' }));
      await client.send(new ListBucketsCommand({}));
      await pause(spooledMs);
      await program.process.kill();
      await program.start();
      const used = async (): Promise<number | undefined> => {
        const { metrics } = await program.admin.get<{ metrics: { metric: string; points: { quantity: number }[] }[] }>(
          200,
          'GET',
          `${content}/usage/daily`,
        );
        return metrics.find(({ metric }) => metric === 'gateway_write_requests_millions')?.points[0]?.quantity;
      };
      expect(await until(used, (quantity) => quantity !== undefined)).toBe(3e-6);
      // The list of all buckets is about none of them.
      const reads = `${content}/usage/resources?metric=gateway_read_requests_millions`;
      const { items } = await until(
        () => program.admin.get<{ items: object[] }>(200, 'GET', reads),
        (found) => found.items.length > 0,
      );
      expect(items).toMatchObject([{ resourceId: program.organizationId, resourceName: null, quantity: 1e-6 }]);
    } finally {
      await program.end();
    }
  }, 60_000);
});
