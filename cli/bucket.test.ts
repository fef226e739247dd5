import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BucketView } from '../models/bucket.ts';
import type { ObjectView } from '../models/storage-object.ts';
import type { UploadView } from '../models/upload.ts';
import { projectRoot } from '../scripts/setup/paths.mjs';
import { content, until } from '../test/api/support/client.ts';
import { startTestProgram, type TestProgram } from '../test/api/support/program.ts';
import { commandLine, type CommandLine } from '../test/support/command-line.ts';
import { sizeText } from './bucket.ts';
import { typeOf } from './bucket/local-files.ts';

const mebibyte = 2 ** 20;
let program: TestProgram;
let environment: Record<string, string>;
let ply: CommandLine;
const folder = mkdtempSync(join(tmpdir(), 'ply-bucket-'));
const site = join(folder, 'site');

beforeAll(async () => {
  program = await startTestProgram({ PLY_DELIVERY_PORT: '0', PLY_STORAGE_REQUESTS_PER_MINUTE: '100000' });
  environment = { PLY_DATA_DIR: join(program.folder, 'data'), PLY_API_URL: program.url };
  ply = commandLine(environment, folder);
  mkdirSync(join(site, 'img'), { recursive: true });
  for (let number = 0; number < 12; number += 1) writeFileSync(join(site, 'img', `${number}.png`), randomBytes(900));
  writeFileSync(join(site, 'index.html'), '<h1>hi</h1>');
  writeFileSync(join(site, 'empty'), '');
  writeFileSync(join(site, 'large.bin'), randomBytes(20 * mebibyte));
});
afterAll(async () => {
  await program.end();
  rmSync(folder, { recursive: true });
});

async function objectsOf(name: string): Promise<ObjectView[]> {
  const { items } = await program.standard.get<{ items: BucketView[] }>(200, 'GET', `${content}/buckets`);
  const id = items.find((bucket) => bucket.name === name)?.id ?? '';
  return (await program.standard.get<{ items: ObjectView[] }>(200, 'GET', `${content}/buckets/${id}/objects`)).items;
}

describe('ply bucket', () => {
  it('creates a bucket, uploads a folder once, and lists and deletes objects', async () => {
    expect(await ply(['bucket', 'create', 'my-site', '--public'])).toMatchObject({
      code: 0,
      output: 'my-site (active, public, in-west): its files are delivered at https://my-site.localhost',
    });
    const first = await ply(['bucket', 'put', 'my-site', 'site', '--prefix', 'v1/']);
    expect([first.code, first.output]).toEqual([0, expect.stringMatching(/^15 files uploaded .*; 0 unchanged\.$/)]);
    const objects = await objectsOf('my-site');
    expect(objects.map(({ key, contentType, size }) => [key, contentType, size])).toEqual(
      expect.arrayContaining([
        ['v1/img/0.png', 'image/png', 900],
        ['v1/index.html', 'text/html', 11],
        ['v1/empty', 'application/octet-stream', 0],
        ['v1/large.bin', 'application/octet-stream', 20 * mebibyte],
      ]),
    );
    writeFileSync(join(site, 'empty'), 'no more');
    const second = await ply(['bucket', 'put', 'my-site', 'site', '--prefix', 'v1/']);
    expect(second).toMatchObject({ code: 1, errors: expect.stringContaining('0 files uploaded') });
    expect(second.errors).toContain('14 unchanged.\n1 not uploaded');
    expect(second.errors).toContain('object_exists');
    const listed = await ply(['bucket', 'ls', 'my-site', 'v1/img/1']);
    expect(listed.output.split('\n').map((line) => line.split('  ').at(-1))).toEqual([
      'v1/img/1.png',
      'v1/img/10.png',
      'v1/img/11.png',
    ]);
    expect((await ply(['bucket', 'sign', 'my-site', 'v1/img/1.png'])).output).toBe(
      'https://my-site.localhost/v1/img/1.png',
    );
    expect((await ply(['bucket', 'rm', 'my-site', 'v1/empty', 'v1/img/1.png'])).output).toBe('2 objects deleted.');
    expect((await ply(['bucket', 'rm', 'my-site', 'v1/empty'])).errors).toBe('There is no object v1/empty.');
    expect((await ply(['bucket', 'list'])).output).toMatch(
      /^my-site +public +active +in-west +13 objects {2}20\.0 MiB$/,
    );
  });

  it('downloads an object where the running program delivers, whatever port the variables name', async () => {
    await ply(['bucket', 'create', 'read-back']);
    await ply(['bucket', 'put', 'read-back', 'site/img/3.png']);
    const elsewhere = commandLine({ ...environment, PLY_DELIVERY_PORT: '1' }, folder);
    expect((await elsewhere(['bucket', 'get', 'read-back', '3.png', 'copy.png'])).errors).toBe('');
    expect(readFileSync(join(folder, 'copy.png')).equals(readFileSync(join(site, 'img', '3.png')))).toBe(true);
  });

  it('goes on with an upload that was killed', async () => {
    writeFileSync(join(folder, 'film.mp4'), randomBytes(200 * mebibyte));
    await ply(['bucket', 'create', 'films']);
    const killed = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', 'cli/ply.ts', 'bucket', 'put', 'films', join(folder, 'film.mp4')],
      { cwd: projectRoot, env: { PATH: process.env['PATH'], ...environment }, stdio: 'ignore' },
    );
    const kept = join(program.folder, 'data', 'unfinished-uploads');
    const uploadId = await until(
      () => {
        const [name] = existsSync(kept) ? readdirSync(kept).filter((each) => each.endsWith('.json')) : [];
        if (name === undefined) return Promise.resolve('');
        const { uploadId: found }: { uploadId: string } = JSON.parse(readFileSync(join(kept, name), 'utf8'));
        return Promise.resolve(found);
      },
      (id) => id !== '',
    );
    const read = (): Promise<UploadView> => program.standard.get(200, 'GET', `${content}/uploads/${uploadId}`);
    await until(read, ({ received }) => received.length > 0);
    killed.kill('SIGKILL');
    const { received, state } = await read();
    expect([received.length < 25, state]).toEqual([true, 'open']);
    const again = await ply(['bucket', 'put', 'films', 'film.mp4']);
    expect([again.code, again.errors]).toEqual([0, '']);
    const [film] = await objectsOf('films');
    expect(await read()).toMatchObject({ state: 'completed', objectId: film?.id });
    expect(film?.size).toBe(200 * mebibyte);
    expect(readdirSync(kept)).toEqual([]);
    expect((await ply(['bucket', 'put', 'films', 'film.mp4'])).output).toContain('1 unchanged.');
  }, 60_000);

  it('deletes a bucket only when it is said so', async () => {
    await ply(['bucket', 'create', 'brief']);
    expect((await ply(['bucket', 'rm', 'brief'])).code).toBe(1);
    expect((await ply(['bucket', 'rm', 'brief', '--yes'])).output).toMatch(/^brief is deleted\. It can be restored/);
    expect((await ply(['bucket', 'put', 'none', 'site'])).errors).toMatch(/^There is no bucket none\./);
    expect((await ply(['bucket', 'what'])).errors).toMatch(/^Unknown: bucket what\./);
  });
});

describe('names and sizes', () => {
  it.each([
    [0, '0 B'],
    [1023, '1023 B'],
    [1024, '1.0 KiB'],
    [1_610_612_736, '1.5 GiB'],
  ])('shows %i bytes as %s', (bytes, text) => {
    expect(sizeText(bytes)).toBe(text);
  });

  it.each([
    ['a/b.PNG', 'image/png'],
    ['page.html', 'text/html'],
    ['archive.tar.gz', 'application/gzip'],
    ['Makefile', 'application/octet-stream'],
    ['x.constructor', 'application/octet-stream'],
  ])('knows the type of %s', (key, type) => {
    expect(typeOf(key)).toBe(type);
  });
});
