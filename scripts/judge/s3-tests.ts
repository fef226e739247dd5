import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SaxesParser } from 'saxes';
import { withLock } from '../../test/servers/lock.ts';
import { cacheFolder } from '../setup/paths.mjs';
import { ensureProgram, runProgram } from '../setup/system.ts';
import { notOfferedByS3 } from './capabilities.ts';
import { startJudged, type JudgeKey } from './door.ts';
import { meantByS3 } from './meant.ts';
import type { Case, Judge } from './judge.ts';

const requirementsFile = join(import.meta.dirname, 'requirements.txt');
const folder = join(cacheFolder, 'judges', 's3-tests');
const proof = join(folder, 'installed.txt');
const python = join(folder, 'bin/python3');

/** Groups of the suite about parts of AWS that no door of objects has. */
const leftOut = [
  'bucket_logging',
  'encryption',
  'sse_s3',
  'bucket_encryption',
  'lifecycle',
  'lifecycle_expiration',
  'lifecycle_transition',
  'cloud_transition',
  'cloud_restore',
  's3select',
  'iam_account',
  'iam_tenant',
  'fails_on_aws',
  'auth_aws2',
  'object_ownership',
];
const suiteMs = 3_600_000;

/** Installs what the suite needs of Python. Returns why it is not available, or null. */
async function install(): Promise<string | null> {
  const expected = await readFile(requirementsFile, 'utf8');
  return withLock(`${folder}.lock`, async () => {
    if (existsSync(proof) && (await readFile(proof, 'utf8')) === expected) return null;
    await rm(folder, { recursive: true, force: true });
    for (const step of [
      () => ensureProgram(['python3', '-m', 'ensurepip', '--version'], ['python3-venv']),
      () => runProgram('python3', ['-m', 'venv', folder]),
      () => runProgram(python, ['-m', 'pip', 'install', '-q', '-r', requirementsFile]),
    ]) {
      const outcome = await step();
      if (!outcome.ok) return outcome.reason;
    }
    await writeFile(proof, expected);
    return null;
  });
}

/** ceph/s3-tests: test_s3.py by pytest, against three organizations of the program. */
export const s3Tests: Judge = async ({ source, only }) => {
  const file = 's3tests/functional/test_s3.py';
  if (source === null || !existsSync(join(source, file)))
    return { skipped: 'the suite is in no package registry: name a copy of ceph/s3-tests with --source <folder>' };
  const missing = await install();
  if (missing !== null) return { skipped: missing };
  const { program, host, port, keys } = await startJudged(3);
  try {
    const configuration = join(program.folder, 's3tests.conf');
    const report = join(program.folder, 'report.xml');
    await writeFile(configuration, configurationOf(host, port, keys));
    const outcome = await runProgram(
      python,
      [
        ...['-m', 'pytest', '-q', '-p', 'no:cacheprovider', '--tb=short', `--junitxml=${report}`],
        ...['-m', `not (${leftOut.join(' or ')})`],
        ...(only === null ? [] : ['-k', only]),
        file,
      ],
      {
        folder: source,
        timeout: suiteMs,
        environment: { S3TEST_CONF: configuration, AWS_CA_BUNDLE: '', PYTHONDONTWRITEBYTECODE: '1' },
      },
    );
    // A run with failures ends with a code other than 0.
    if (!existsSync(report)) throw new Error(outcome.ok ? 'pytest wrote no report' : outcome.reason);
    const commit = await runProgram('git', ['-C', source, 'log', '-1', '--format=%h']);
    return {
      suite: `ceph/s3-tests${commit.ok ? `, commit ${commit.output.trim()}` : ''}`,
      selection: `\`test_s3.py\` without the groups ${leftOut.join(', ')}.`,
      cases: casesOf(await readFile(report, 'utf8')),
      capabilities: notOfferedByS3,
      meant: meantByS3,
    };
  } finally {
    await program.end();
  }
};

function configurationOf(host: string, port: number, keys: readonly JudgeKey[]): string {
  const user = (at: number, name: string): string[] => {
    const { organizationId = '', accessKeyId = '', secret = '' } = keys[at] ?? {};
    return [
      `[${name}]`,
      `display_name = ${organizationId}`,
      `user_id = ${organizationId}`,
      `email = user${at}@example.com`,
      `access_key = ${accessKeyId}`,
      `secret_key = ${secret}`,
      ...(name === 's3 main' ? ['api_name ='] : []),
      ...(name === 's3 tenant' ? ['tenant = testx'] : []),
    ];
  };
  return [
    '[DEFAULT]',
    `host = ${host}`,
    `port = ${port}`,
    'is_secure = False',
    'ssl_verify = False',
    '[fixtures]',
    'bucket prefix = judge-{random}-',
    ...user(0, 's3 main'),
    ...user(1, 's3 alt'),
    ...user(2, 's3 tenant'),
    ...user(0, 'iam'),
    ...user(0, 'iam root'),
    ...user(1, 'iam alt root'),
    '',
  ].join('\n');
}

/** The cases of a report in the JUnit form, as pytest writes it. */
function casesOf(report: string): Case[] {
  const cases: Case[] = [];
  const parser = new SaxesParser();
  parser.on('opentag', ({ name, attributes }) => {
    const current = cases.at(-1);
    if (name === 'testcase') cases.push({ name: attributes['name'] ?? '', outcome: 'passed', reason: '' });
    else if (current !== undefined && name === 'skipped') current.outcome = 'skipped';
    else if (current !== undefined && (name === 'failure' || name === 'error')) {
      current.outcome = 'failed';
      current.reason = attributes['message'] ?? '';
    }
  });
  parser.write(report).close();
  return cases;
}
