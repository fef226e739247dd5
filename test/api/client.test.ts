import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Ply, PlyError, signLink } from '../../packages/client/src/index.ts';
import { buildClient } from '../../scripts/build-client.ts';
import { projectRoot } from '../../scripts/setup/paths.mjs';
import { startTestProgram, type TestProgram } from './support/program.ts';
import { createBucket, putObject } from './support/storage.ts';

const mebibyte = 2 ** 20;
let program: TestProgram;
let ply: Ply;
let bucketId: string;
beforeAll(async () => {
  program = await startTestProgram({ PLY_STORAGE_REQUESTS_PER_MINUTE: '100000' });
  const { url, organizationId, admin } = program;
  ply = new Ply({ url, organizationId, key: admin.key });
  bucketId = (await createBucket(admin)).id;
});
afterAll(() => program.end());

describe('@ply/client', () => {
  it('runs the examples of its README as an installed package', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'ply-client-'));
    try {
      buildClient(join(folder, 'node_modules/@ply/client'));
      const readme = readFileSync(join(projectRoot, 'packages/client/README.md'), 'utf8');
      const blocks = [...readme.matchAll(/```js\n(.*?)```/gs)].map(([, code]) => code);
      expect(blocks).toHaveLength(5);
      writeFileSync(join(folder, 'examples.mjs'), blocks.join('\n'));
      const { sourceUrl, sourceVersion } = program.source.put('handbook.txt', 'Parental leave is twelve weeks.');
      const { stdout } = await promisify(execFile)(process.execPath, ['examples.mjs'], {
        cwd: folder,
        env: {
          PLY_URL: program.url,
          PLY_KEY: program.admin.key,
          PLY_ORGANIZATION: program.organizationId,
          SOURCE_URL: sourceUrl,
          SOURCE_VERSION: sourceVersion,
          BUCKET: 'examples-of-the-client',
        },
      });
      const film = createHash('sha256').update(Buffer.alloc(20_000_000)).digest('hex');
      for (const shown of [
        'handbook.txt Parental leave',
        'no such file, request ',
        '100 %',
        film,
        'films/a b.mp4 20000000',
      ])
        expect(stdout).toContain(shown);
      const [url, own] = /https:\S+ https:\S+$/.exec(stdout.trim())?.[0].split(' ') ?? [];
      const withoutTime = (link = ''): string => link.replace(/expires=\d+|token=[\w-]+/g, '');
      expect(withoutTime(own)).toBe(withoutTime(url));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  it('goes on with an interrupted upload, and the program checks the digest', async () => {
    const bytes = randomBytes(20 * mebibyte + 3);
    const blob = new Blob([bytes]);
    const stop = new AbortController();
    let uploadId = '';
    const interrupted = ply.upload(bucketId, 'resumed', blob, {
      parallel: 1,
      signal: stop.signal,
      onStart: (id) => (uploadId = id),
      onProgress: (sent) => sent > 0 && stop.abort(new Error('enough')),
    });
    await expect(interrupted).rejects.toThrow('enough');
    expect((await ply.call('readUpload', { path: { uploadId } })).received).toHaveLength(1);
    const progress: number[] = [];
    const resumed = { resume: uploadId, parallel: 1, onProgress: (sent: number): unknown => progress.push(sent) };
    const object = await ply.upload(bucketId, 'resumed', blob, resumed);
    expect(progress).toEqual([8, 16, 20 + 3 / mebibyte].map((part) => part * mebibyte));
    expect(object).toMatchObject({ size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') });
    // An answer that was lost: the same again.
    expect(await ply.upload(bucketId, 'resumed', blob, { resume: uploadId })).toMatchObject({ id: object.id });
    await expect(ply.upload(bucketId, 'resumed', new Blob(['x']), { resume: uploadId })).rejects.toThrow(RangeError);
  });

  it('walks through lists with cursors, offsets and numbers', async () => {
    for (const key of ['l/1', 'l/2', 'l/3']) await putObject(program.standard, bucketId, key, Buffer.from(key));
    const objects = await Array.fromAsync(
      ply.each('listObjects', { path: { bucketId }, query: { prefix: 'l/', limit: 2 } }),
    );
    expect(objects.map(({ key }) => key)).toEqual(['l/1', 'l/2', 'l/3']);
    for (const name of ['one', 'two', 'three'])
      await ply.call('writeCollection', { path: { externalId: name }, body: { name } });
    const collections = await Array.fromAsync(ply.each('listCollections', { query: { limit: 2 } }));
    expect(collections.map(({ name }) => name)).toEqual(['one', 'three', 'two']);
    for (const name of ['a', 'b', 'c']) await ply.call('createSubOrganization', { body: { name } });
    const audit = await Array.fromAsync(ply.each('readAccountAudit', { query: { limit: 1 } }));
    expect(new Set(audit.map(({ id }) => id)).size).toBe(audit.length);
    expect(audit.length).toBeGreaterThanOrEqual(3);
    expect(await Array.fromAsync(ply.each('listSubOrganizations'))).toHaveLength(3);
  });

  it('throws errors with code, fields and the id of the request', async () => {
    const refused = await ply.call('search', { body: { query: '' } }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(PlyError);
    expect(refused).toMatchObject({ status: 422, code: 'validation_error', fields: ['body', 'query'] });
    expect(refused).toMatchObject({ requestId: expect.any(String), message: expect.stringContaining('query') });
  });

  it('signs the published link', async () => {
    const profile = {
      scheme: 'pl1',
      keyId: 'k1234567',
      key: 'AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8',
      hostname: 'h',
    };
    const options = { ip: '203.0.113.9', tags: { customer: 'c-42' } };
    const link = await signLink(profile as Parameters<typeof signLink>[0], 'a b/ü.txt', 1_893_456_000, options);
    expect(readFileSync(join(projectRoot, 'docs/signing.md'), 'utf8')).toContain(
      `\`${link.slice('https://h'.length)}\``,
    );
  });
});
