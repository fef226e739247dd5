import { execFile, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { BucketView } from '../../models/bucket.ts';
import { freePort } from '../servers/ports.ts';
import { skipWithReason } from '../support/servers.ts';
import { content, type Client } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';
import { createBucket, putObject } from './support/storage.ts';

const run = promisify(execFile);
const inCluster = process.env['PLY_TEST_CLUSTER'] !== undefined;
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

/** How a program downloads an address to a file, going on with what the file has. */
const clients: { name: string; go: (url: string, host: string, folder: string) => string[] }[] = [
  { name: 'wget', go: (url, host, folder) => ['-q', '-c', `--header=Host: ${host}`, '-O', join(folder, 'file'), url] },
  {
    name: 'curl',
    go: (url, host, folder) => ['-sSf', '-C', '-', '-H', `Host: ${host}`, '-o', join(folder, 'file'), url],
  },
  {
    name: 'aria2c',
    go: (url, host, folder) => [
      ...['-q', '-c', '--max-connection-per-server=4', '--split=4', '--min-split-size=1M', '--file-allocation=none'],
      ...[`--header=Host: ${host}`, '--allow-overwrite=true', '-d', folder, '-o', 'file', url],
    ],
  },
];

(inCluster ? describe.skip : describe)('programs that download', () => {
  let program: TestProgram;
  let admin: Client;
  let bucket: BucketView;
  let url: string;
  const bytes = randomBytes(9_500_000);
  const folder = mkdtempSync(join(tmpdir(), 'ply-clients-'));
  const file = join(folder, 'file');
  beforeAll(async () => {
    const port = await freePort();
    program = await startTestProgram({ PLY_DELIVERY_PORT: String(port) });
    ({ admin } = program);
    bucket = await createBucket(admin);
    await putObject(admin, bucket.id, 'größe 1/a b.bin', bytes);
    const body = { bucketId: bucket.id, key: 'größe 1/a b.bin' };
    const link = await admin.get<{ url: string }>(200, 'POST', `${content}/sign`, { body });
    url = `http://127.0.0.1:${port}${link.url.slice(bucket.deliveryBaseUrl.length)}`;
  });
  afterAll(async () => {
    await program.end();
    rmSync(folder, { recursive: true });
  });

  for (const { name, go } of clients) {
    if (spawnSync(name, ['--version']).error !== undefined) {
      skipWithReason(`downloads with ${name}`, `${name} is not installed`);
      continue;
    }
    it(`${name} gets a file by its link, and goes on where it broke off`, async () => {
      for (const had of [0, 1, 4_000_000, bytes.length - 1]) {
        rmSync(file, { force: true });
        rmSync(`${file}.aria2`, { force: true });
        if (had > 0) writeFileSync(file, bytes.subarray(0, had));
        await run(name, go(url, bucket.defaultHostname, folder));
        expect([had, sha256(readFileSync(file))]).toEqual([had, sha256(bytes)]);
      }
    });
  }

  if (spawnSync('curl', ['--version']).error !== undefined) skipWithReason('ranges with curl', 'curl is not installed');
  else
    it('curl gets single ranges, the end of a file, and the whole for several ranges', async () => {
      const range = async (of: string): Promise<[string, string]> => {
        const args = ['-sS', '-r', of, '-H', `Host: ${bucket.defaultHostname}`, '-o', file, '-w', '%{http_code}', url];
        const { stdout } = await run('curl', args);
        return [stdout, sha256(readFileSync(file))];
      };
      expect(await range('10-99')).toEqual(['206', sha256(bytes.subarray(10, 100))]);
      expect(await range('-500')).toEqual(['206', sha256(bytes.subarray(bytes.length - 500))]);
      expect(await range('9000000-')).toEqual(['206', sha256(bytes.subarray(9_000_000))]);
      expect(await range('0-1,5-6')).toEqual(['200', sha256(bytes)]);
      expect((await range('9500000-'))[0]).toBe('416');
    });
});
