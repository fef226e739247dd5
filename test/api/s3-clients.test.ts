import { execFile, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startS3Program, type S3Program } from './support/s3.ts';
import { createBucket } from './support/storage.ts';

const run = promisify(execFile);
const has = (command: string, ...given: string[]): boolean => spawnSync(command, given).status === 0;

let program: S3Program;
let environment: NodeJS.ProcessEnv;
let bucket: string;
let folder: string;
beforeAll(async () => {
  program = await startS3Program();
  const { accessKeyId, secret } = await program.newKey();
  ({ name: bucket } = await createBucket(program.admin, {}, { uploadRules: { allowOverwrite: true } }));
  folder = mkdtempSync(join(tmpdir(), 'ply-s3-clients-'));
  environment = {
    ...process.env,
    HOME: folder,
    AWS_ACCESS_KEY_ID: accessKeyId ?? '',
    AWS_SECRET_ACCESS_KEY: secret,
    AWS_DEFAULT_REGION: 'us-east-1',
    AWS_ENDPOINT_URL: program.endpoint,
    AWS_CA_BUNDLE: '',
  };
  delete environment['AWS_CA_BUNDLE'];
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await program.end();
});

const withAws = has('aws', '--version');
(withAws ? describe : describe.skip)(
  withAws ? 'the AWS command line' : 'the AWS command line SKIPPED, because aws is not installed',
  () => {
    const aws = async (...given: string[]): Promise<string> =>
      (await run('aws', given, { env: environment, timeout: 60_000 })).stdout;

    it('syncs a folder there and back, with objects in parts', async () => {
      const [there, back] = [join(folder, 'there'), join(folder, 'back')];
      mkdirSync(join(there, 'ü b'), { recursive: true });
      const large = randomBytes(20 * 2 ** 20);
      writeFileSync(join(there, 'large.bin'), large);
      writeFileSync(join(there, 'ü b', 'small+1.txt'), 'small');
      await aws('s3', 'sync', there, `s3://${bucket}/sync`);
      expect(await aws('s3', 'sync', there, `s3://${bucket}/sync`)).toBe('');
      await aws('s3', 'sync', `s3://${bucket}/sync`, back);
      expect(readFileSync(join(back, 'large.bin')).equals(large)).toBe(true);
      expect(readFileSync(join(back, 'ü b', 'small+1.txt'), 'utf8')).toBe('small');
      expect(await aws('s3', 'ls', '--recursive', `s3://${bucket}/sync`)).toMatch(/large\.bin\n.*small\+1\.txt\n$/);
      await aws('s3', 'mv', `s3://${bucket}/sync/large.bin`, `s3://${bucket}/moved.bin`);
      await aws('s3', 'rm', '--recursive', `s3://${bucket}/sync`);
      expect(await aws('s3', 'ls', `s3://${bucket}/`)).toMatch(/^[^\n]*moved\.bin\n$/);
    });

    it('signs links', async () => {
      await aws(
        's3api',
        'put-object',
        '--bucket',
        bucket,
        '--key',
        'linked',
        '--body',
        join(folder, 'there', 'ü b', 'small+1.txt'),
      );
      // Version 1 of the command line signs by Signature Version 2 unless it is told otherwise.
      const two = (await aws('s3', 'presign', `s3://${bucket}/linked`)).trim();
      expect([two, await (await fetch(two)).text()]).toEqual([expect.stringContaining('Signature='), 'small']);
      const signing = join(folder, '.aws');
      mkdirSync(signing, { recursive: true });
      writeFileSync(join(signing, 'config'), '[default]\ns3 =\n  signature_version = s3v4\n');
      const link = (await aws('s3', 'presign', `s3://${bucket}/linked`)).trim();
      rmSync(signing, { recursive: true });
      expect(await (await fetch(link)).text()).toBe('small');
    });
  },
);

const withBoto = has('python3', '-c', 'import boto3');
(withBoto ? describe : describe.skip)(withBoto ? 'boto3' : 'boto3 SKIPPED, because python3 has no module boto3', () => {
  it('stores, streams in parts, lists and deletes', async () => {
    const script = `
import boto3, io, os, urllib.request
from boto3.s3.transfer import TransferConfig
s3 = boto3.client('s3')
bucket = os.environ['BUCKET']
data = os.urandom(13 * 1024 * 1024)
s3.upload_fileobj(io.BytesIO(data), bucket, 'boto/large', Config=TransferConfig(multipart_chunksize=5 * 1024 * 1024, multipart_threshold=5 * 1024 * 1024))
s3.put_object(Bucket=bucket, Key='boto/small', Body=b'small', ChecksumAlgorithm='SHA256', Metadata={'a': 'b'})
back = io.BytesIO()
s3.download_fileobj(bucket, 'boto/large', back)
assert back.getvalue() == data
head = s3.head_object(Bucket=bucket, Key='boto/small', ChecksumMode='ENABLED')
assert head['Metadata'] == {'a': 'b'} and 'ChecksumSHA256' in head, head
pages = s3.get_paginator('list_objects_v2').paginate(Bucket=bucket, Prefix='boto/', PaginationConfig={'PageSize': 1})
link = s3.generate_presigned_url('put_object', Params={'Bucket': bucket, 'Key': 'boto/ü+ %41', 'Metadata': {'by': 'link'}, 'ContentType': 'text/plain'})
urllib.request.urlopen(urllib.request.Request(link, method='PUT', data=b'linked', headers={'Content-Type': 'text/plain'}))
named = {'Bucket': bucket, 'Key': 'boto/ü+ %41', 'ResponseContentDisposition': 'attachment; filename="ü"'}
answer = urllib.request.urlopen(s3.generate_presigned_url('get_object', Params=named))
assert answer.read() == b'linked' and answer.headers['x-amz-meta-by'] == 'link', dict(answer.headers)
assert answer.headers['content-disposition'].encode('latin-1').decode() == 'attachment; filename="ü"', dict(answer.headers)
listing = urllib.request.urlopen(s3.generate_presigned_url('list_objects_v2', Params={'Bucket': bucket, 'Prefix': 'boto/s'}))
assert b'<KeyCount>1</KeyCount>' in listing.read()
s3.delete_object(Bucket=bucket, Key='boto/ü+ %41')
keys = [each['Key'] for page in pages for each in page.get('Contents', [])]
assert keys == ['boto/large', 'boto/small'], keys
s3.delete_objects(Bucket=bucket, Delete={'Objects': [{'Key': key} for key in keys]})
assert s3.list_objects_v2(Bucket=bucket, Prefix='boto/')['KeyCount'] == 0
print('done')
`;
    const { stdout } = await run('python3', ['-c', script], {
      env: { ...environment, BUCKET: bucket },
      timeout: 60_000,
    });
    expect(stdout).toBe('done\n');
  });
});
