import * as s3 from '@aws-sdk/client-s3';
import type { BlobServiceClient } from '@azure/storage-blob';
import type { AuditLogView } from '../../models/audit-log.ts';
import type { BucketView } from '../../models/bucket.ts';
import type { NewCredentialView, StorageCredentialView, StoragePermission } from '../../models/storage-credential.ts';
import { faultOf as blobFaultOf, openBlobDoor, type BlobDoor } from './support/blob.ts';
import { content, until } from './support/client.ts';
import { clientOf, faultOf as s3FaultOf, startS3Program, type S3Program } from './support/s3.ts';
import { createBucket, putObject } from './support/storage.ts';

let program: S3Program;
let blob: BlobDoor;
let bucket: BucketView;
let other: BucketView;
const path = `${content}/storage-credentials`;
const id = Buffer.from('a').toString('base64');
beforeAll(async () => {
  program = await startS3Program();
  blob = await openBlobDoor(program);
  const overwrites = { uploadRules: { allowOverwrite: true } };
  [bucket, other] = [
    await createBucket(program.admin, {}, overwrites),
    await createBucket(program.admin, {}, overwrites),
  ];
  for (const each of [bucket, other]) await putObject(program.admin, each.id, 'kept', Buffer.from('kept'));
}, 60_000);
afterAll(() => program.end());

/** Operations of S3 clients on a bucket, with the permission that each needs. */
const s3Operations: [StoragePermission, string, (client: s3.S3Client, Bucket: string) => Promise<unknown>][] = [
  ['read', 'GetObject', (client, Bucket) => client.send(new s3.GetObjectCommand({ Bucket, Key: 'kept' }))],
  ['read', 'HeadObject', (client, Bucket) => client.send(new s3.HeadObjectCommand({ Bucket, Key: 'kept' }))],
  ['read', 'ListObjectsV2', (client, Bucket) => client.send(new s3.ListObjectsV2Command({ Bucket }))],
  ['read', 'ListParts', (client, Bucket) => client.send(new s3.ListMultipartUploadsCommand({ Bucket }))],
  ['write', 'PutObject', (client, Bucket) => client.send(new s3.PutObjectCommand({ Bucket, Key: 'a', Body: 'x' }))],
  ['write', 'Create', (client, Bucket) => client.send(new s3.CreateMultipartUploadCommand({ Bucket, Key: 'a' }))],
  ['delete', 'DeleteObject', (client, Bucket) => client.send(new s3.DeleteObjectCommand({ Bucket, Key: 'none' }))],
  ['manage', 'DeleteBucket', (client, Bucket) => client.send(new s3.DeleteBucketCommand({ Bucket }))],
];

/** Operations of Blob clients on a container. */
const blobOperations: [StoragePermission, string, (client: BlobServiceClient, name: string) => Promise<unknown>][] = [
  ['read', 'Get Blob', (client, name) => client.getContainerClient(name).getBlobClient('kept').download(0, 1)],
  ['read', 'Get Properties', (client, name) => client.getContainerClient(name).getBlobClient('kept').getProperties()],
  ['read', 'List Blobs', (client, name) => client.getContainerClient(name).listBlobsFlat().next()],
  ['read', 'Get Block List', (client, name) => blocks(client, name, 'kept').getBlockList('all')],
  ['write', 'Put Blob', (client, name) => blocks(client, name, 'b').upload('x', 1)],
  ['write', 'Put Block', (client, name) => blocks(client, name, 'c').stageBlock(id, 'x', 1)],
  ['write', 'Set Metadata', (client, name) => blocks(client, name, 'kept').setMetadata({})],
  ['write', 'Set Container Metadata', (client, name) => client.getContainerClient(name).setMetadata({})],
  ['delete', 'Delete Blob', (client, name) => blocks(client, name, 'none').delete()],
  ['manage', 'Set ACL', (client, name) => client.getContainerClient(name).setAccessPolicy()],
];
const blocks = (client: BlobServiceClient, container: string, name: string) =>
  client.getContainerClient(container).getBlockBlobClient(name);

const permissions: StoragePermission[] = ['read', 'write', 'delete'];

describe('a key', () => {
  it.each(permissions)('with %s alone does that alone, in its buckets alone, at the S3 door', async (permission) => {
    const client = await program.client({ permissions: [permission], bucketIds: [bucket.id] });
    for (const [needed, operation, run] of s3Operations) {
      const isRefused = needed !== permission;
      const [code, status] = await s3FaultOf(run(client, bucket.name));
      // Heads have no body, and so no code.
      const refusal = operation === 'HeadObject' ? ['403', 403] : ['AccessDenied', 403];
      expect([operation, operation === 'HeadObject' && isRefused ? '403' : code, status]).toEqual([
        operation,
        ...(isRefused ? refusal : [null, null]),
      ]);
      expect([operation, (await s3FaultOf(run(client, other.name)))[1]]).toEqual([operation, 403]);
    }
  });

  it.each(permissions)('with %s alone does that alone, in its buckets alone, at the Blob door', async (permission) => {
    const client = await blob.client({ permissions: [permission], bucketIds: [bucket.id] });
    for (const [needed, operation, run] of blobOperations) {
      const found = await blobFaultOf(run(client, bucket.name));
      const done = operation === 'Delete Blob' ? [404, 'BlobNotFound'] : [null, null];
      // Of heads, which have no body, the SDK says no code.
      const refused = [403, operation === 'Get Properties' ? undefined : 'AuthorizationPermissionMismatch'];
      expect([operation, found.status, found.code]).toEqual([operation, ...(needed === permission ? done : refused)]);
      const elsewhere = await blobFaultOf(run(client, other.name));
      expect([operation, elsewhere.status, elsewhere.code]).toEqual([operation, ...refused]);
    }
    expect(await blobFaultOf(client.getContainerClient('made-without-right').create())).toEqual({
      code: 'AuthorizationPermissionMismatch',
      status: 403,
    });
  });

  it('works until it expires, notes when it was used last, and leaves its marks in the audit log', async () => {
    const expiresAt = new Date(Date.now() + 4000).toISOString();
    const made = await program.session.get<NewCredentialView>(201, 'POST', path, {
      body: { name: 'short', kind: 's3', permissions: ['read'], expiresAt },
    });
    const client = clientOf(program.endpoint, made);
    await client.send(new s3.ListBucketsCommand({}));
    const refused = await until(
      () => s3FaultOf(client.send(new s3.ListBucketsCommand({}))),
      ([, status]) => status !== null,
    );
    expect(refused).toEqual(['InvalidAccessKeyId', 403]);
    expect(Date.now()).toBeGreaterThanOrEqual(Date.parse(expiresAt));
    const { items } = await program.session.get<{ items: StorageCredentialView[] }>(200, 'GET', path);
    const shown = items.find((each) => each.id === made.id);
    expect(Date.parse(shown?.lastUsedAt ?? '')).toBeGreaterThan(Date.parse(expiresAt) - 10_000);
    const log = await program.admin.get<AuditLogView>(200, 'GET', `${content}/audit`);
    expect(log.items.filter(({ resourceId }) => resourceId === made.id).map(({ action }) => action)).toEqual([
      'credential.created',
    ]);
  });
});
