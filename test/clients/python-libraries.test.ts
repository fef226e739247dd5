import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { openBlobDoor } from '../api/support/blob.ts';
import { startS3Program, type S3Program } from '../api/support/s3.ts';
import { skipWithReason } from '../support/servers.ts';
import { installPythonPackage } from './python-package.ts';

const { program: installed, missing } = await installPythonPackage(
  'obstore==0.12.1',
  ...['minio==7.2.20', 's3fs==2026.9.0', 'adlfs==2026.8.0', 'smart-open==7.7.1', 'boto3==1.43.117'],
  ...['django-storages==1.14.6', 'django==5.2.19'],
);
const title = 'libraries for Python that store in S3 and Blob';

if (missing !== null) skipWithReason(title, `they are not available: ${missing}`);
else
  describe(title, () => {
    let program: S3Program;
    let environment: NodeJS.ProcessEnv;
    beforeAll(async () => {
      program = await startS3Program();
      const { accessKeyId, secret } = await program.newKey();
      const door = await openBlobDoor(program);
      const account = await door.newSecret();
      environment = {
        ...process.env,
        ...{ AWS_ENDPOINT_URL: program.endpoint, AWS_DEFAULT_REGION: 'us-east-1', HOME: program.folder },
        ...{ AWS_ACCESS_KEY_ID: accessKeyId ?? '', AWS_SECRET_ACCESS_KEY: secret },
        ...{ AZURE_ACCOUNT: account.accountName, AZURE_KEY: account.secret, AZURE_ENDPOINT: door.endpoint },
        AZURE_STORAGE_CONNECTION_STRING: `DefaultEndpointsProtocol=http;AccountName=${account.accountName};AccountKey=${account.secret};BlobEndpoint=${door.endpoint};`,
      };
      delete environment['AWS_CA_BUNDLE'];
    }, 60_000);
    afterAll(() => program.end());

    it.each([
      ['minio', 'keeps objects in parts, copies, joins, signs and deletes'],
      ['file systems', 's3fs and adlfs keep files, seek in them, and show folders'],
      ['smart_open', 'writes and reads streams'],
      ['obstore', 'keeps objects at both doors, refuses to write over, and signs'],
      ['django', 'storages keep files and give links to them'],
    ])(
      '%s %s',
      async (job) => {
        const script = join(import.meta.dirname, 'libraries.py');
        const { stdout } = await promisify(execFile)(installed('python'), [script, job], {
          timeout: 60_000,
          env: environment,
        });
        expect(stdout).toBe('done\n');
      },
      60_000,
    );
  });
