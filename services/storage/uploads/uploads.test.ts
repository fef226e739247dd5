import type { Caller } from '../../../models/api.ts';
import { accounts } from '../../../models/organization.ts';
import { systemScope } from '../../../models/scope.ts';
import { releasedContents } from '../../../models/storage-object.ts';
import type { FreshUploadView } from '../../../models/upload.ts';
import { bucketContent } from '../objects/bucket-content.ts';
import { listObjects } from '../objects/read.ts';
import { openCrashingStorage, type CrashingStorage } from '../objects/testing/stage.ts';
import { drainObjectOutboxes, expireUploads, removeOldRecords, removeReleased } from '../objects/upkeep.ts';
import { totalsOf } from '../totals.ts';
import { allBuckets, findBucket } from '../tools.ts';
import { completeUpload } from './complete.ts';
import { abortUpload, readUpload } from './end.ts';
import { storePart } from './receive-part.ts';
import { renewUpload, startUpload } from './start.ts';
import { makeTicket, readTicket } from './tickets.ts';
import { allUploads } from './tools.ts';

const dayMs = 24 * 3_600_000;

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

describe('uploads', () => {
  let stage: CrashingStorage;
  let caller: Caller;
  beforeEach(async () => {
    stage = await openCrashingStorage();
    ({ caller } = stage);
  });
  afterEach(() => stage.close());

  const start = (key = 'k', size = 3): Promise<FreshUploadView> =>
    startUpload(stage.storage, caller, 'bucket', { key, size, contentType: 'a/b', sha256: null });
  async function send(id: string, text = 'abc'): Promise<void> {
    const upload = await allUploads(stage.test.app).get(id);
    if (upload === null) throw new Error('no upload');
    const part = { number: 1, bytes: text.length, md5: null };
    await storePart(stage.storage.app, upload, part, bytesOf(text));
  }
  const contents = async (): Promise<string[]> => {
    const found: string[] = [];
    for await (const [file] of stage.test.app.objects.list()) if (file !== undefined) found.push(file.content);
    return found;
  };

  it('are refused while the bucket is suspended, and go on afterwards', async () => {
    const { id } = await start();
    await send(id);
    const suspend = (suspendedAt: number | null): Promise<unknown> =>
      allBuckets(stage.test.app).update('bucket', {}, { set: { suspendedAt } });
    await suspend(1);
    const suspended = { type: 'bucket_suspended', code: 403 };
    await expect(start('other')).rejects.toMatchObject(suspended);
    await expect(renewUpload(stage.storage, caller, id)).rejects.toMatchObject(suspended);
    await expect(completeUpload(stage.storage, caller, id)).rejects.toMatchObject(suspended);
    await suspend(null);
    expect(await completeUpload(stage.storage, caller, id)).toMatchObject({ key: 'k' });
  });

  it('are limited by the plan', async () => {
    await stage.test.app.records.collection(accounts, systemScope).insert({
      _id: 'account',
      organizationId: 'organization',
      plan: 'small',
      limits: {
        requestsPerMinute: 1,
        searchRequestsPerMinute: 1,
        registrationsPerMinute: 1,
        storageRequestsPerMinute: 1,
        object_bytes: 2,
      },
      timeZone: 'UTC',
      createdAt: 1,
    });
    await expect(start()).rejects.toMatchObject({ type: 'validation_error', data: { fields: ['body', 'size'] } });
    expect(await start('k', 2)).toMatchObject({ size: 2 });
  });

  it('expire after seven days, and their bytes and records go', async () => {
    const { id, expiresAt } = await start();
    await send(id);
    stage.advance(7 * dayMs - 60_000);
    expect(await renewUpload(stage.storage, caller, id)).toMatchObject({ ticketExpiresAt: expiresAt });
    stage.advance(120_000);
    const expired = { type: 'upload_expired', code: 410 };
    for (const isSwept of [false, true]) {
      if (isSwept) expect(await expireUploads(stage.storage)).toBe(1);
      expect(await readUpload(stage.storage, caller, id)).toMatchObject({ state: 'expired' });
      await expect(renewUpload(stage.storage, caller, id)).rejects.toMatchObject(expired);
      await expect(completeUpload(stage.storage, caller, id)).rejects.toMatchObject(expired);
      await expect(send(id)).rejects.toMatchObject(expired);
    }
    expect(await abortUpload(stage.storage, caller, id)).toMatchObject({ state: 'expired' });
    stage.advance(120_000);
    await removeReleased(stage.storage);
    expect(await contents()).toEqual([]);
    stage.advance(7 * dayMs);
    await removeOldRecords(stage.storage);
    await expect(readUpload(stage.storage, caller, id)).rejects.toMatchObject({ type: 'upload_not_found' });
  });

  it('leave no byte for another round, however many contents were released at once', async () => {
    const released = stage.test.app.records.collection(releasedContents, systemScope);
    const dueAt = stage.test.app.records.time();
    const ids = Array.from(
      { length: 401 },
      (_, number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
    );
    await released.insertNew(ids.map((_id) => ({ _id, organizationId: 'organization', dueAt })));
    expect(await removeReleased(stage.storage)).toBe(401);
    expect(await released.count({})).toBe(0);
  });

  it('are completed by the next request where one died after it had written the object', async () => {
    const { id } = await start();
    await send(id);
    // The claim, the reads and the join, and then the object itself: whatever step it dies with, one object is made.
    for (let step = 1; step < 20; step += 1) {
      stage.dieAt(step, step % 2 === 0);
      const died = await completeUpload(stage.storage, caller, id).then(
        () => false,
        () => true,
      );
      stage.dieAt(null);
      if (!died) break;
      stage.advance(61_000);
    }
    stage.advance(10_000);
    await drainObjectOutboxes(stage.storage);
    const object = await completeUpload(stage.storage, caller, id);
    expect((await listObjects(stage.storage, caller, 'bucket', { prefix: '', limit: 10 })).items).toEqual([object]);
    const bucket = await findBucket(stage.test.app, 'organization', 'bucket');
    expect((await totalsOf(stage.test.app, [bucket])).get('bucket')).toEqual({ objects: 1, bytes: 3 });
  });

  it('end with their bucket, whose content is removed after its window', async () => {
    const [open, done] = [await start('open'), await start('done')];
    for (const { id } of [open, done]) await send(id);
    await completeUpload(stage.storage, caller, done.id);
    const bucket = await findBucket(stage.test.app, 'organization', 'bucket');
    const content = bucketContent(stage.storage);
    await content.abortUploads(bucket);
    expect(await readUpload(stage.storage, caller, open.id)).toMatchObject({ state: 'aborted' });
    expect(await readUpload(stage.storage, caller, done.id)).toMatchObject({ state: 'completed' });
    await content.removeAll(bucket, new AbortController().signal);
    expect((await listObjects(stage.storage, caller, 'bucket', { prefix: '', limit: 10 })).items).toEqual([]);
    stage.advance(120_000);
    await removeReleased(stage.storage);
    expect(await contents()).toEqual([]);
    expect(await stage.test.app.records.collection(releasedContents, systemScope).count({})).toBe(0);
    expect((await totalsOf(stage.test.app, [bucket])).get('bucket')).toEqual({ objects: 0, bytes: 0 });
  });
});

describe('a ticket', () => {
  it('names its upload until it expires', async () => {
    const stage = await openCrashingStorage();
    const { sealer } = stage.test.app;
    const ticket = { uploadId: '01234567-89ab-4cde-8f01-23456789abcd', expiresAt: 1_000_000 };
    const text = makeTicket(sealer, ticket);
    expect(text).toMatch(/^[\w-]{64}$/);
    expect(readTicket(sealer, text, 999_999)).toEqual(ticket);
    expect(() => readTicket(sealer, text, 1_000_000)).toThrow(expect.objectContaining({ type: 'ticket_expired' }));
    await stage.close();
  });
});
