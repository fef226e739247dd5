import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';
import { isObject } from '../../models/schemas/schema.ts';
import { installPythonPackage } from '../../test/clients/python-package.ts';
import { ensureProgram, runProgram, type Outcome } from '../setup/system.ts';
import { notOfferedByS3 } from './capabilities.ts';
import { startJudged } from './door.ts';
import { meantByS3 } from './meant.ts';
import type { Case, Judge } from './judge.ts';

const KiB = 1024;
const MiB = 1024 * KiB;
/** A test that takes longer has failed. */
const testMs = 150_000;

/** Files that the scripts send, by their names. */
const files: { readonly [name: string]: number } = {
  'datafile-0-b': 0,
  'datafile-1-b': 1,
  'datafile-1-kB': KiB,
  'datafile-10-kB': 10 * KiB,
  'datafile-33-kB': 33 * KiB,
  'datafile-100-kB': 100 * KiB,
  'datafile-1-MB': MiB,
  'datafile-5-MB': 5 * MiB,
  'datafile-5243880-b': 5_243_880,
  'datafile-10-MB': 10 * MiB,
  'datafile-65-MB': 65 * MiB,
};

/** Stands for the tests of the script for s3cmd, which run together. */
const s3cmdTests = 's3cmd';

/** Why the scripts cannot run here; null if they can. */
async function missingOf(source: string | null): Promise<string | null> {
  if (source === null || !existsSync(join(source, 'run/core/awscli/test.sh')))
    return 'the suite is in no package registry: name a copy of minio/mint with --source <folder>';
  for (const probe of [
    ['jq', '--version'],
    ['aws', '--version'],
  ] as const) {
    const present = await ensureProgram(probe, [probe[0] === 'aws' ? 'awscli' : probe[0]]);
    if (!present.ok) return present.reason;
  }
  return null;
}

/** The scripts of minio/mint for the AWS command line and for s3cmd. */
export const mint: Judge = async ({ source, only, part }) => {
  const missing = await missingOf(source);
  if (source === null || missing !== null) return { skipped: missing ?? 'no source' };
  const s3cmd = await installPythonPackage('s3cmd==2.4.0');
  if (s3cmd.missing !== null) return { skipped: s3cmd.missing };
  const { program, host, port, keys } = await startJudged(1);
  try {
    const [{ accessKeyId, secret } = { accessKeyId: '', secret: '' }] = keys;
    const data = join(program.folder, 'mint');
    await mkdir(data);
    for (const [name, bytes] of Object.entries(files)) await writeFile(join(data, name), randomBytes(bytes));
    // Version 1 of the command line would sign links by Signature Version 2.
    const settings = join(program.folder, 'aws-config');
    await writeFile(settings, '[default]\ns3 =\n  signature_version = s3v4\n');
    // The test of life cycles leaves it behind where they are not offered, and its next run would add to it.
    await rm(join(tmpdir(), 'lifecycle.json'), { force: true });
    const environment = {
      AWS_CONFIG_FILE: settings,
      ...{ MINT_MODE: 'full', MINT_DATA_DIR: data, SERVER_ENDPOINT: `${host}:${port}`, SERVER_REGION: 'us-east-1' },
      ...{ ACCESS_KEY: accessKeyId, SECRET_KEY: secret, ENABLE_HTTPS: '0' },
      ...{ AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secret, AWS_DEFAULT_REGION: 'us-east-1' },
      ...{ AWS_CA_BUNDLE: '', BOTO_EXPERIMENTAL__NO_EMPTY_CONTINUE: 'true', AWS_EC2_METADATA_DISABLED: 'true' },
      PATH: `${dirname(s3cmd.program('s3cmd'))}:${process.env['PATH'] ?? ''}`,
    };
    const run = (script: string): Promise<Outcome> =>
      runProgram('bash', ['-c', `${script}; true`], { folder: source, environment, timeout: testMs });
    const cases: Case[] = [];
    const script = join(source, 'run/core/awscli/test.sh');
    // The last line runs the tests as a chain, which ends at the first that fails: here each is run alone.
    for (const [at, name] of [...(await chainOf(script)), s3cmdTests].entries()) {
      if (only !== null && !name.includes(only)) continue;
      if (part !== null && at % part.of !== part.number - 1) continue;
      if (name === s3cmdTests) {
        const found = casesOf(name, await run(`unset AWS_CA_BUNDLE; bash run/core/s3cmd/test.sh 2>&1`));
        cases.push(...found.map((each) => ({ ...each, name: `s3cmd: ${each.name}` })));
        continue;
      }
      const outcome = await run(`source <(sed '$d' ${script}); _init http://${host}:${port}; ${name} 2>&1`);
      const [found = { name, outcome: 'skipped' as const, reason: '' }] = casesOf(name, outcome).slice(-1);
      cases.push({ ...found, name: `awscli: ${name}` });
    }
    const commit = await runProgram('git', ['-C', source, 'log', '-1', '--format=%h']);
    return {
      suite: `minio/mint, commit ${commit.ok ? commit.output.trim() : 'unknown'}`,
      selection:
        'Its scripts for the AWS command line, each test alone, and for s3cmd. What needs HTTPS is left out by the scripts themselves.',
      cases,
      capabilities: notOfferedByS3,
      meant: meantByS3,
    };
  } finally {
    await program.end();
  }
};

/** The tests that a script runs in a chain, by their names. */
async function chainOf(script: string): Promise<string[]> {
  const main = (await readFile(script, 'utf8')).split('\nmain() {')[1] ?? '';
  return [...main.matchAll(/^\s+(test_\w+)/gm)].map(([, name = '']) => name);
}

/** The cases of an output: a line of JSON says how each ended. @param name of the only one where it came to no end */
function casesOf(name: string, outcome: Outcome): Case[] {
  if (!outcome.ok) return [{ name, outcome: 'failed', reason: outcome.reason }];
  return outcome.output.split('\n').flatMap((line): Case[] => {
    if (!line.startsWith('{"name"')) return [];
    // Messages of clients stand in the lines as they are, quotes included.
    const status = /"status": "(\w+)"/.exec(line)?.[1];
    const name = /"function": "(\w+)/.exec(line)?.[1] ?? '';
    const isPassed = status === 'PASS';
    return [{ name, outcome: isPassed ? 'passed' : 'failed', reason: isPassed ? '' : reasonOf(line) }];
  });
}

function reasonOf(line: string): string {
  try {
    const parsed: unknown = JSON.parse(line);
    const said = isObject(parsed) ? (parsed['error'] ?? parsed['alert']) : null;
    if (typeof said === 'string') return said;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return /"error": "(.*)"\}?$/.exec(line)?.[1] ?? line;
}
