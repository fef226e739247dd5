import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startBlobProgram } from '../api/support/blob.ts';
import { createBucket } from '../api/support/storage.ts';
import { skipWithReason } from '../support/servers.ts';
import { installPythonPackage } from './python-package.ts';

const requirement = 'azure-storage-blob==12.26.0';
const title = 'the Blob SDK for Python';
const { program: installed, missing } = await installPythonPackage(requirement);

if (missing !== null) skipWithReason(title, `${requirement} is not available: ${missing}`);
else
  describe(title, () => {
    it('stores, lists, reads, copies, signs and deletes', async () => {
      const program = await startBlobProgram();
      try {
        const { name } = await createBucket(program.admin, {}, { uploadRules: { allowOverwrite: true } });
        const { accountName, secret } = await program.newSecret();
        const connection = `DefaultEndpointsProtocol=http;AccountName=${accountName};AccountKey=${secret};BlobEndpoint=${program.endpoint};`;
        const script = join(import.meta.dirname, 'blob.py');
        const { stdout } = await promisify(execFile)(installed('python'), [script, connection, name], {
          timeout: 60_000,
        });
        expect(stdout.trim()).toBe('done');
      } finally {
        await program.end();
      }
    }, 120_000);
  });
