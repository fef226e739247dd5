import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { cacheFolder } from '../../scripts/setup/paths.mjs';
import { runProgram } from '../../scripts/setup/system.ts';
import { startBlobProgram } from '../api/support/blob.ts';
import { createBucket } from '../api/support/storage.ts';
import { skipWithReason } from '../support/servers.ts';
import { withLock } from '../servers/lock.ts';

/** The SDK for Python, in an environment of its own. */
const requirement = 'azure-storage-blob==12.26.0';
const folder = join(cacheFolder, requirement.replace('==', '-'));
const python = join(folder, 'bin/python');
const proof = join(folder, 'lib/installed');

/** Why the SDK is not available; null if it is. */
async function install(): Promise<string | null> {
  return withLock(`${folder}.lock`, async () => {
    if (existsSync(proof)) return null;
    const steps: [string, string[]][] = [
      ['python3', ['-m', 'venv', '--clear', folder]],
      [join(folder, 'bin/pip'), ['install', '-q', '--disable-pip-version-check', requirement]],
      ['touch', [proof]],
    ];
    for (const [program, words] of steps) {
      const outcome = await runProgram(program, words);
      if (!outcome.ok) return outcome.reason;
    }
    return null;
  });
}

const title = 'the Blob SDK for Python';
const missing = await install();

if (missing !== null) skipWithReason(title, `${requirement} is not available: ${missing}`);
else
  describe(title, () => {
    it('stores, lists, reads, copies, signs and deletes', async () => {
      const program = await startBlobProgram();
      try {
        const { name } = await createBucket(program.admin, {}, { uploadRules: { allowOverwrite: true } });
        const { accountName, secret } = await program.newSecret();
        const connection = `DefaultEndpointsProtocol=http;AccountName=${accountName};AccountKey=${secret};BlobEndpoint=${program.endpoint};`;
        const { stdout } = await promisify(execFile)(python, [join(import.meta.dirname, 'blob.py'), connection, name], {
          timeout: 60_000,
        });
        expect(stdout.trim()).toBe('done');
      } finally {
        await program.end();
      }
    }, 120_000);
  });
