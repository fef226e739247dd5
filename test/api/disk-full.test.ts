import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BucketView } from '../../models/bucket.ts';
import type { ObjectView } from '../../models/storage-object.ts';
import { freePort } from '../servers/ports.ts';
import { get } from '../support/edge.ts';
import { skipWithReason } from '../support/servers.ts';
import { content, until, type Client } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';
import { createBucket, putObject, sendPart, startUpload } from './support/storage.ts';

const folder = mkdtempSync(join(tmpdir(), 'ply-full-'));
const mebibyte = 2 ** 20;

/** Mounts a small disk; returns why that is not possible. */
function mountDisk(): string | null {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', folder], { stdio: 'pipe' });
    return null;
  } catch (error) {
    return error instanceof Error ? (error.message.split('\n')[0] ?? 'mount failed') : String(error);
  }
}

const reason = process.env['PLY_TEST_CLUSTER'] === undefined ? mountDisk() : 'the cluster has its own store';
if (reason !== null) skipWithReason('a full disk of the object store', `no tmpfs can be mounted: ${reason}`);
else
  describe('a full disk of the object store', () => {
    let program: TestProgram;
    let admin: Client;
    let other: Client;
    let bucket: BucketView;
    let port: number;
    beforeAll(async () => {
      port = await freePort();
      program = await startTestProgram({
        PLY_DELIVERY_PORT: String(port),
        PLY_OBJECTS_URL: pathToFileURL(folder).href,
        PLY_OBJECTS_GRACE_SECONDS: '0',
      });
      ({ admin } = program);
      const { id } = await admin.createOrganization('Other');
      other = admin.as(id);
      bucket = await createBucket(admin, { visibility: 'public' });
    });
    afterAll(async () => {
      await program.end();
      execFileSync('umount', [folder]);
      rmSync(folder, { recursive: true });
    });
    afterEach(() => rmSync(join(folder, 'filler'), { force: true }));

    /** Takes what is free of the disk, but for some bytes. */
    function fill(free = 0): void {
      try {
        writeFileSync(join(folder, 'filler'), Buffer.alloc(32 * mebibyte));
      } catch {
        // As full as it gets: the file has what there was.
      }
      if (free > 0) {
        rmSync(join(folder, 'filler'));
        const left = Number(execFileSync('df', ['--output=avail', '-B1', folder]).toString().split('\n')[1]);
        writeFileSync(join(folder, 'filler'), Buffer.alloc(left - free));
      }
    }
    const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
    const delivered = async (key: string): Promise<string> => {
      const { status, body } = await get(port, bucket.defaultHostname, `/${key}`);
      return `${status} ${sha256(body)}`;
    };
    const away = { code: 'content_service_unavailable', retryable: true };

    it('refuses a part with a clear error, at its beginning or in the middle, and takes it when there is room', async () => {
      const bytes = randomBytes(2 * mebibyte);
      const upload = await startUpload(admin, bucket.id, { key: 'part', size: bytes.length });
      for (const free of [0, mebibyte]) {
        fill(free);
        const { status, body } = await sendPart(upload.parts[0]?.url, bytes);
        expect([status, body]).toEqual([503, expect.objectContaining(away)]);
        expect(body.detail).not.toContain(folder);
      }
      rmSync(join(folder, 'filler'));
      expect((await sendPart(upload.parts[0]?.url, bytes)).status).toBe(200);
      await admin.get(200, 'POST', `${content}/uploads/${upload.id}/complete`);
      expect(await delivered('part')).toBe(`200 ${sha256(bytes)}`);
    });

    it('refuses the completion of several parts, and completes them whole when there is room', async () => {
      const bytes = randomBytes(9 * mebibyte);
      const upload = await startUpload(admin, bucket.id, { key: 'joined', size: bytes.length, sha256: sha256(bytes) });
      for (const { number, url, size } of upload.parts) {
        const from = (number - 1) * upload.partSize;
        expect((await sendPart(url, bytes.subarray(from, from + size))).status).toBe(200);
      }
      fill();
      const complete = `${content}/uploads/${upload.id}/complete`;
      const { status, body } = await admin.ask('POST', complete);
      expect([status, body]).toEqual([503, expect.objectContaining(away)]);
      rmSync(join(folder, 'filler'));
      expect(await admin.get<ObjectView>(200, 'POST', complete)).toMatchObject({ key: 'joined', size: bytes.length });
      expect(await delivered('joined')).toBe(`200 ${sha256(bytes)}`);
    });

    it('keeps what is stored: it is delivered, listed and deleted, and other organizations read theirs', async () => {
      const bytes = randomBytes(50_000);
      const object = await putObject(admin, bucket.id, 'kept', bytes);
      const foreign = await createBucket(other, { visibility: 'public' });
      await putObject(other, foreign.id, 'theirs', Buffer.from('theirs'));
      fill();
      expect(await delivered('kept')).toBe(`200 ${sha256(bytes)}`);
      expect((await get(port, foreign.defaultHostname, '/theirs')).body.toString()).toBe('theirs');
      const { items } = await admin.get<{ items: ObjectView[] }>(200, 'GET', `${content}/buckets/${bucket.id}/objects`);
      expect(items.map(({ key }) => key)).toContain('kept');
      expect(await admin.ask('DELETE', `${content}/objects/${object.id}`)).toMatchObject({ status: 204 });
      // Edges learn of it within a second.
      await until(
        () => delivered('kept'),
        (answer) => answer.startsWith('404 '),
      );
    });
  });
