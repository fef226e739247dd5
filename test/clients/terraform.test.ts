import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { GetObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { runProgram } from '../../scripts/setup/system.ts';
import { startS3Program } from '../api/support/s3.ts';
import { createBucket } from '../api/support/storage.ts';
import { skipWithReason } from '../support/servers.ts';

const present = await runProgram('terraform', ['version']);

if (!present.ok) skipWithReason("Terraform's S3 backend", present.reason);
else
  describe("Terraform's S3 backend", () => {
    it('keeps its state, its lock and its workspaces in a bucket', async () => {
      const program = await startS3Program();
      try {
        const { accessKeyId, secret } = await program.newKey();
        const client = await program.client();
        const { name: Bucket } = await createBucket(program.admin, {}, { uploadRules: { allowOverwrite: true } });
        const folder = join(program.folder, 'terraform');
        mkdirSync(folder);
        const settings = {
          ...{
            bucket: Bucket,
            key: 'env/state.tfstate',
            region: 'us-east-1',
            use_path_style: true,
            use_lockfile: true,
          },
          endpoints: { s3: program.endpoint },
          ...{ skip_credentials_validation: true, skip_requesting_account_id: true },
          ...{ skip_metadata_api_check: true, skip_region_validation: true },
        };
        const main = {
          terraform: { backend: { s3: settings } },
          resource: { terraform_data: { one: { input: 'kept' } } },
          output: { kept: { value: '${terraform_data.one.output}' } },
        };
        writeFileSync(join(folder, 'main.tf.json'), JSON.stringify(main));
        const environment: NodeJS.ProcessEnv = {
          ...process.env,
          ...{ AWS_ACCESS_KEY_ID: accessKeyId ?? '', AWS_SECRET_ACCESS_KEY: secret, HOME: folder },
          ...{ CHECKPOINT_DISABLE: '1', TF_IN_AUTOMATION: '1' },
        };
        delete environment['AWS_CA_BUNDLE'];
        const terraform = async (...words: string[]): Promise<string> => {
          const all = [...words, '-no-color'];
          return (await promisify(execFile)('terraform', all, { cwd: folder, env: environment, timeout: 120_000 }))
            .stdout;
        };
        await terraform('init', '-input=false');
        expect(await terraform('apply', '-auto-approve')).toContain('kept = "kept"');
        expect(await terraform('plan')).toContain('No changes.');
        const state = await client.send(new GetObjectCommand({ Bucket, Key: 'env/state.tfstate' }));
        expect(await state.Body?.transformToString()).toContain('"kept"');
        await terraform('workspace', 'new', 'dev');
        const { Contents } = await client.send(new ListObjectsV2Command({ Bucket }));
        // The lock is gone.
        expect(Contents?.map(({ Key }) => Key)).toEqual(['env:/dev/env/state.tfstate', 'env/state.tfstate'].sort());
      } finally {
        await program.end();
      }
    }, 180_000);
  });
