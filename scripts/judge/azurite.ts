import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openBlobDoor, startBlobProgram } from '../../test/api/support/blob.ts';
import { isObject } from '../../models/schemas/schema.ts';
import { runProgram } from '../setup/system.ts';
import { comparisonOf, featureOf, type Compared } from './azurite-comparison.ts';
import { suiteEnvironment } from './door.ts';
import { meantByBlob } from './meant.ts';
import type { Case, Judge } from './judge.ts';

/** Test files about what the door offers: append and page blobs, leases, snapshots and tags have files of their own. */
const files = {
  blob: 'tests/blob/apis/blob.test.ts',
  blockblob: 'tests/blob/apis/blockblob.test.ts',
  container: 'tests/blob/apis/container.test.ts',
  highlevel: 'tests/blob/blockblob.highlevel.test.ts',
  sas: 'tests/blob/sas.test.ts',
} as const;
const suiteMs = 1_800_000;
const preload = join(import.meta.dirname, 'azurite-door.cjs');

/** What mocha's JSON reporter says of a test. */
interface MochaTest {
  title: string;
  err: { message?: string };
  pending: boolean;
}

/** Name and key of an account that tests know. */
interface KnownKey {
  account: string;
  /** The key as the tests have it. */
  known: string;
  /** The key of the door. */
  secret: string;
}

/** Keys that tests have in themselves: the second of the first account, and that of the second account. */
const [secondKey, otherAccountKey] = [
  'testing_key',
  'MTAwCjE2NQoyMjUKMTAzCjIxOAoyNDEKNDAKNzgKMTkxCjE3OAoyMTQKMTY5CjIxMwo2MQoyNTIKMTQxCg==',
];
const emulatorKey = /EMULATOR_ACCOUNT_KEY_STR =\s*"([^"]+)"/;

/** The tests of Azurite that can be pointed at another server, by mocha: against the door, then against Azurite itself. */
export const azurite: Judge = async ({ source, only }) => {
  if (source === null || !existsSync(join(source, files.blob)))
    return { skipped: "the tests are in no package: name a copy of Azure/Azurite's sources with --source <folder>" };
  if (!existsSync(join(source, 'node_modules'))) {
    const installed = await runProgram('npm', ['ci', '--ignore-scripts', '--no-audit'], { folder: source });
    if (!installed.ok) return { skipped: installed.reason };
  }
  const known = emulatorKey.exec(await readFile(join(source, 'src/blob/utils/constants.ts'), 'utf8'))?.[1] ?? '';
  // The name that tests of signatures have in their addresses.
  const program = await startBlobProgram(suiteEnvironment, 'devstoreaccount1');
  try {
    const [{ accountName, secret }, second] = [await program.newSecret(), await program.newSecret()];
    const organization = (await program.admin.createOrganization('another')).id;
    const other = await openBlobDoor(
      { admin: program.admin.as(organization), session: program.session.as(organization) },
      'devstoreaccount2',
    );
    const keys: KnownKey[] = [
      { account: accountName, known, secret },
      { account: accountName, known: secondKey, secret: second.secret },
      { account: 'devstoreaccount2', known: otherAccountKey, secret: (await other.newSecret()).secret },
    ];
    const ofDoor = {
      JUDGED_DOOR: new URL(program.endpoint).host,
      JUDGED_KEYS: JSON.stringify(
        Object.fromEntries(keys.map(({ account, known, secret }) => [`${account} ${known}`, secret])),
      ),
      AZURITE_LIVE_TEST_CONNECTION_STRING: `DefaultEndpointsProtocol=http;AccountName=${accountName};AccountKey=${secret};BlobEndpoint=${program.endpoint};`,
    };
    const compared: Compared[] = [];
    for (const [name, file] of Object.entries(files)) {
      const run = (report: string, environment: { [name: string]: string }): Promise<Case[]> =>
        casesOfFile({ source, name, file, only, report: join(program.folder, report), environment });
      compared.push({
        file: name,
        door: await run(`${name}.json`, ofDoor),
        azurite: await run(`${name}-azurite.json`, {}),
      });
    }
    const commit = await runProgram('git', ['-C', source, 'log', '-1', '--format=%h']);
    return {
      suite: `Azurite${commit.ok ? `, commit ${commit.output.trim()}` : ''}`,
      selection:
        'The files blob, blockblob, container, highlevel and sas of its tests, against the door, and against Azurite itself as its own tests start it.',
      notes: comparisonOf(compared),
      isAbsent: (failed) => featureOf(failed) !== null,
      meant: meantByBlob,
      cases: compared.flatMap(({ door }) => door),
    };
  } finally {
    await program.end();
  }
};

/** A run of a file of tests: against the door that the environment names, else against Azurite. */
interface Run {
  source: string;
  name: string;
  file: string;
  only: string | null;
  /** File that mocha writes. */
  report: string;
  environment: { [name: string]: string };
}

async function casesOfFile({ source, name, file, only, report, environment }: Run): Promise<Case[]> {
  const isDoor = 'JUDGED_DOOR' in environment;
  const outcome = await runProgram(
    'node',
    [
      ...[
        'node_modules/mocha/bin/mocha.js',
        '--require',
        'ts-node/register',
        ...(isDoor ? ['--require', preload] : []),
      ],
      ...['--timeout', '120000', '--exit'],
      ...['--reporter', 'json', '--reporter-option', `output=${report}`],
      // Tests are marked by the stores of Azurite that they are about.
      ...['--grep', only ?? '@loki', file],
    ],
    {
      folder: source,
      timeout: suiteMs,
      environment: {
        ...environment,
        TS_NODE_TRANSPILE_ONLY: 'true',
        TS_NODE_COMPILER_OPTIONS: JSON.stringify({ rootDir: source }),
      },
    },
  );
  // A run with failures ends with a code other than 0.
  if (!existsSync(report)) throw new Error(outcome.ok ? 'mocha wrote no report' : outcome.reason);
  return casesOf(name, await readFile(report, 'utf8'));
}

function isReport(given: unknown): given is { tests: MochaTest[] } {
  return isObject(given) && Array.isArray(given['tests']);
}

function casesOf(file: string, report: string): Case[] {
  const parsed: unknown = JSON.parse(report);
  if (!isReport(parsed)) throw new Error('the report of mocha has another form than expected');
  return parsed.tests.map(({ title, err, pending }) => ({
    name: `${file}: ${title.replaceAll(/\s*@\w+/g, '')}`,
    outcome: pending ? 'skipped' : err.message === undefined ? 'passed' : 'failed',
    reason: reasonOf(err.message ?? ''),
  }));
}

/** The line of a message that says why, without what differs from one run to the next. */
function reasonOf(message: string): string {
  const lines = message.split('\n').map((line) => line.trim());
  return (lines.find((line) => line !== '') ?? '')
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/\d{15,}/g, '<number>');
}
