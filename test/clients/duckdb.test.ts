import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startS3Program } from '../api/support/s3.ts';
import { createBucket } from '../api/support/storage.ts';
import { skipWithReason } from '../support/servers.ts';
import { installPythonPackage } from './python-package.ts';

const requirement = 'duckdb==1.4.4';
const { program: installed, missing } = await installPythonPackage(requirement, 'duckdb-ext-httpfs==1.4.4.20260205');

if (missing !== null) skipWithReason('DuckDB', `${requirement} is not available: ${missing}`);
else
  describe('DuckDB', () => {
    it('writes and reads tables of a bucket, large ones in parts', async () => {
      const program = await startS3Program();
      try {
        const { accessKeyId, secret } = await program.newKey();
        const { name } = await createBucket(program.admin, {}, { uploadRules: { allowOverwrite: true } });
        const environment = {
          ...{ ENDPOINT: new URL(program.endpoint).host, BUCKET: name },
          ...{ KEY: accessKeyId ?? '', SECRET: secret, HOME: program.folder },
        };
        const script = join(import.meta.dirname, 'httpfs.py');
        const { stdout } = await promisify(execFile)(installed('python'), [script], {
          timeout: 120_000,
          env: { ...process.env, ...environment },
        });
        expect(stdout).toBe('done\n');
      } finally {
        await program.end();
      }
    }, 180_000);
  });
