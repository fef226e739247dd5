import { residentBytes } from '../../models/resident-bytes.ts';
import type { UploadView } from '../../models/upload.ts';
import { content, until, type Client } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';
import { createBucket, putObject } from './support/storage.ts';

const organizations = 10;
const perOrganization = 1000;
const together = 50;

const inCluster = process.env['PLY_TEST_CLUSTER'] !== undefined;

(inCluster ? describe.skip : describe)('10,000 open uploads', () => {
  let program: TestProgram;
  beforeAll(async () => {
    program = await startTestProgram({ PLY_STORAGE_REQUESTS_PER_MINUTE: '1000000' });
  });
  afterAll(() => program.end());

  const residentMebibytes = (): number => (residentBytes(program.process.pid ?? 0) ?? 0) / 2 ** 20;

  it('hold no others back, take little memory, outlive a kill, and end with their bucket', async () => {
    const { admin } = program;
    const own = await createBucket(admin);
    await putObject(admin, own.id, 'before', Buffer.from('x'));
    const before = residentMebibytes();
    const others: { client: Client; bucketId: string; last: string }[] = [];
    for (let number = 0; number < organizations; number += 1) {
      const client = admin.as((await admin.createOrganization(`Uploads ${number}`)).id);
      const { id: bucketId } = await createBucket(client);
      let last = '';
      for (let started = 0; started < perOrganization; started += together)
        await Promise.all(
          Array.from({ length: together }, async (_, index) => {
            const upload = await client.get<UploadView>(201, 'POST', `${content}/buckets/${bucketId}/uploads`, {
              // Two parts.
              body: { key: `${started}/${index}`, size: 9_000_000, contentType: 'a/b' },
            });
            last = upload.id;
          }),
        );
      others.push({ client, bucketId, last });
    }
    await putObject(admin, own.id, 'beside', Buffer.from('x'));
    expect(residentMebibytes() - before).toBeLessThan(400);

    await program.process.kill();
    await program.start();
    await putObject(admin, own.id, 'after', Buffer.from('x'));
    for (const { client, last } of others)
      expect((await client.get<UploadView>(200, 'GET', `${content}/uploads/${last}`)).state).toBe('open');

    const [first] = others;
    if (first === undefined) throw new Error('there is no other organization');
    await first.client.get(202, 'DELETE', `${content}/buckets/${first.bucketId}`);
    await until(
      () => first.client.get<UploadView>(200, 'GET', `${content}/uploads/${first.last}`),
      ({ state }) => state === 'aborted',
    );
    const { id } = await createBucket(first.client);
    await putObject(first.client, id, 'again', Buffer.from('x'));
  }, 240_000);
});
