import {
  AbortMultipartUploadCommand,
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  PutObjectCommand,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { BlobServiceClient } from '@azure/storage-blob';
import { join } from 'node:path';
import { projectRoot } from '../../scripts/setup/paths.mjs';
import { commandLine } from '../support/command-line.ts';
import { faultOf as blobFaultOf, openBlobDoor } from './support/blob.ts';
import { faultOf, startS3Program } from './support/s3.ts';
import { createBucket } from './support/storage.ts';

describe('a plan without storage', () => {
  it('keeps what there is readable and deletable at both doors, and takes nothing new', async () => {
    const program = await startS3Program({
      PLY_PLANS_FILE: join(projectRoot, 'plans/examples.json'),
      PLY_PRICES_FILE: join(projectRoot, 'plans/prices-example.json'),
    });
    try {
      const blobs = await openBlobDoor(program);
      const { name: Bucket } = await createBucket(program.admin, {}, { uploadRules: { allowOverwrite: true } });
      const before = await program.client();
      const key = await program.client();
      const secret = await blobs.newKey();
      for (const Key of ['a', 'b']) await before.send(new PutObjectCommand({ Bucket, Key, Body: 'a text' }));
      const { UploadId } = await before.send(new CreateMultipartUploadCommand({ Bucket, Key: 'parts' }));
      const ply = commandLine({ PLY_DATA_DIR: join(program.folder, 'data') });
      expect(await ply(['account', 'set', '--plan', 'starter'])).toMatchObject({ code: 0 });

      const parts = { Bucket, Key: 'parts', UploadId };
      for (const write of [
        key.send(new PutObjectCommand({ Bucket, Key: 'c', Body: 'a text' })),
        key.send(new CopyObjectCommand({ Bucket, Key: 'c', CopySource: `${Bucket}/a` })),
        key.send(new CreateMultipartUploadCommand({ Bucket, Key: 'c' })),
        key.send(new UploadPartCommand({ ...parts, PartNumber: 1, Body: 'a part' })),
        key.send(new CreateBucketCommand({ Bucket: `${Bucket}-2` })),
      ])
        expect(await faultOf(write)).toEqual(['AccessDenied', 403]);
      await key.send(new AbortMultipartUploadCommand(parts));
      expect(await (await key.send(new GetObjectCommand({ Bucket, Key: 'a' }))).Body?.transformToString()).toBe(
        'a text',
      );
      await key.send(new DeleteObjectCommand({ Bucket, Key: 'a' }));

      const service = new BlobServiceClient(blobs.endpoint, secret);
      const container = service.getContainerClient(Bucket);
      const refused = { code: 'InsufficientAccountPermissions', status: 403 };
      expect(await blobFaultOf(container.getBlockBlobClient('c').upload('a text', 6))).toEqual(refused);
      expect(await blobFaultOf(container.getBlockBlobClient('c').stageBlock('MQ==', 'a text', 6))).toEqual(refused);
      expect(await blobFaultOf(service.getContainerClient(`${Bucket}-3`).create())).toEqual(refused);
      expect((await container.getBlobClient('b').downloadToBuffer()).toString()).toBe('a text');
      await container.getBlobClient('b').delete();
    } finally {
      await program.end();
    }
  }, 60_000);
});
