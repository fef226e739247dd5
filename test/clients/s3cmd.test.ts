import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startS3Program } from '../api/support/s3.ts';
import { skipWithReason } from '../support/servers.ts';
import { installPythonPackage } from './python-package.ts';

const requirement = 's3cmd==2.4.0';
const { program: installed, missing } = await installPythonPackage(requirement);

if (missing !== null) skipWithReason('s3cmd', `${requirement} is not available: ${missing}`);
else
  describe('s3cmd', () => {
    it('makes a bucket, syncs a folder with a large file, lists, copies, reads and deletes', async () => {
      const program = await startS3Program();
      try {
        const { accessKeyId, secret } = await program.newKey();
        const { host } = new URL(program.endpoint);
        const configuration = join(program.folder, 's3cfg');
        writeFileSync(
          configuration,
          [
            '[default]',
            `access_key = ${accessKeyId ?? ''}`,
            `secret_key = ${secret}`,
            `host_base = ${host}`,
            `host_bucket = ${host}`,
            'use_https = False',
            'bucket_location = us-east-1',
          ].join('\n'),
        );
        const s3cmd = async (...words: string[]): Promise<string> => {
          const all = ['-c', configuration, '--no-progress', ...words];
          return (await promisify(execFile)(installed('s3cmd'), all, { timeout: 60_000 })).stdout;
        };
        const folder = join(program.folder, 'files');
        mkdirSync(folder);
        const large = randomBytes(16 * 2 ** 20);
        writeFileSync(join(folder, 'large.bin'), large);
        writeFileSync(join(folder, 'a ü.txt'), 'a text');
        await s3cmd('mb', 's3://of-s3cmd');
        await s3cmd('sync', `${folder}/`, 's3://of-s3cmd/files/');
        expect((await s3cmd('ls', '-r', 's3://of-s3cmd')).trim().split('\n')).toHaveLength(2);
        expect(await s3cmd('sync', '--dry-run', `${folder}/`, 's3://of-s3cmd/files/')).not.toContain('upload:');
        expect(await s3cmd('info', 's3://of-s3cmd')).toContain('Policy:    none');
        await s3cmd('cp', 's3://of-s3cmd/files/large.bin', 's3://of-s3cmd/copy.bin');
        await s3cmd('get', 's3://of-s3cmd/copy.bin', join(program.folder, 'got.bin'));
        expect(readFileSync(join(program.folder, 'got.bin')).equals(large)).toBe(true);
        await s3cmd('del', '-r', '--force', 's3://of-s3cmd');
        expect((await s3cmd('ls', '-r', 's3://of-s3cmd')).trim()).toBe('');
        await s3cmd('rb', 's3://of-s3cmd');
      } finally {
        await program.end();
      }
    }, 120_000);
  });
