import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  AccountSASPermissions,
  generateAccountSASQueryParameters,
  SASProtocol,
  StorageSharedKeyCredential,
} from '@azure/storage-blob';
import { ensureProgram } from '../../scripts/setup/system.ts';
import { openBlobDoor } from '../api/support/blob.ts';
import { startS3Program, type S3Program } from '../api/support/s3.ts';
import { skipWithReason } from '../support/servers.ts';

const present = await ensureProgram(['rclone', 'version'], ['rclone']);

if (!present.ok) skipWithReason('rclone', present.reason);
else
  describe('rclone', () => {
    let program: S3Program;
    let files: string;
    const large = randomBytes(12 * 2 ** 20);

    /** Sends nothing twice: what fails, fails. */
    const rclone = async (...words: string[]): Promise<string> => {
      const all = ['--config', join(program.folder, 'rclone.conf'), '--retries', '1', '--low-level-retries', '1'];
      const environment = { ...process.env };
      // This version of rclone cannot do with it.
      delete environment['AWS_CA_BUNDLE'];
      const chunks = ['--s3-upload-cutoff', '5Mi', '--s3-chunk-size', '5Mi', '--azureblob-chunk-size', '4Mi'];
      const { stdout } = await promisify(execFile)('rclone', [...all, ...chunks, ...words], {
        timeout: 120_000,
        env: environment,
        encoding: 'utf8',
      });
      return stdout;
    };

    beforeAll(async () => {
      program = await startS3Program();
      const { accessKeyId, secret } = await program.newKey();
      const blob = await openBlobDoor(program);
      const account = await blob.newSecret();
      const sas = generateAccountSASQueryParameters(
        {
          expiresOn: new Date(Date.now() + 3_600_000),
          permissions: AccountSASPermissions.parse('rwdlacup'),
          services: 'b',
          resourceTypes: 'sco',
          protocol: SASProtocol.HttpsAndHttp,
        },
        new StorageSharedKeyCredential(account.accountName, account.secret),
      );
      const s3 = [
        `access_key_id = ${accessKeyId ?? ''}`,
        `secret_access_key = ${secret}`,
        `endpoint = ${program.endpoint}`,
      ];
      writeFileSync(
        join(program.folder, 'rclone.conf'),
        [
          ...['[s3]', 'type = s3', 'provider = Other', ...s3],
          ...['[s3-v2]', 'type = s3', 'provider = Other', 'list_version = 2', ...s3],
          ...['[blob]', 'type = azureblob', `sas_url = ${blob.endpoint}?${sas.toString()}`, ''],
        ].join('\n'),
      );
    });
    afterAll(() => program.end());

    beforeEach(() => {
      files = join(program.folder, 'files');
      rmSync(files, { recursive: true, force: true });
      mkdirSync(join(files, 'sub'), { recursive: true });
      writeFileSync(join(files, 'large.bin'), large);
      writeFileSync(join(files, 'empty'), '');
      writeFileSync(join(files, 'a ü+&.txt'), 'a text');
      for (let at = 0; at < 10; at += 1) writeFileSync(join(files, 'sub', `f${at}.txt`), String(at));
    });

    it.each(['s3', 's3-v2', 'blob'])(
      'syncs a folder, checks it, moves, reads ranges and streams (%s)',
      async (remote) => {
        const bucket = `${remote}:of-rclone-${remote}`;
        await rclone('sync', files, `${bucket}/dir`);
        await rclone('check', files, `${bucket}/dir`);
        writeFileSync(join(files, 'sub/f1.txt'), 'changed');
        rmSync(join(files, 'sub/f2.txt'));
        await rclone('sync', files, `${bucket}/dir`);
        await rclone('check', '--download', files, `${bucket}/dir`);
        expect((await rclone('lsf', '-R', '--files-only', bucket)).trim().split('\n')).toHaveLength(12);
        await rclone('moveto', `${bucket}/dir/large.bin`, `${bucket}/moved.bin`);
        await rclone('touch', `${bucket}/moved.bin`);
        expect(await rclone('md5sum', `${bucket}/moved.bin`)).toContain(
          remote === 'blob' ? createHash('md5').update(large).digest('hex') : 'moved.bin',
        );
        await rclone('copyto', `${bucket}/moved.bin`, join(program.folder, 'got.bin'));
        expect(readFileSync(join(program.folder, 'got.bin')).equals(large)).toBe(true);
        writeFileSync(join(files, 'text'), 'a'.repeat(100));
        await rclone('copy', join(files, 'text'), bucket);
        expect(await rclone('cat', '--offset', '90', '--count', '5', `${bucket}/text`)).toBe('aaaaa');
        await rclone('purge', bucket);
        expect(await rclone('lsf', `${remote}:`)).not.toContain(`of-rclone-${remote}/`);
      },
      180_000,
    );

    it('copies from one door to the other, keeps two folders alike, and links an object', async () => {
      await rclone('copy', files, 's3:of-rclone-both/dir');
      await rclone('check', 's3:of-rclone-both/dir', 'blob:of-rclone-both/dir', '--size-only');
      await rclone('bisync', '--resync', join(files, 'sub'), 's3:of-rclone-both/bi', '--workdir', program.folder);
      writeFileSync(join(files, 'sub', 'new.txt'), 'new');
      await rclone('bisync', join(files, 'sub'), 's3:of-rclone-both/bi', '--workdir', program.folder);
      expect(await rclone('cat', 's3:of-rclone-both/bi/new.txt')).toBe('new');
      const link = (await rclone('link', '--expire', '1h', 's3:of-rclone-both/bi/new.txt')).trim();
      expect(await (await fetch(link)).text()).toBe('new');
      await rclone('purge', 's3:of-rclone-both');
    }, 180_000);
  });
