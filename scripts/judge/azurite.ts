import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { startBlobProgram } from '../../test/api/support/blob.ts';
import { isObject } from '../../models/schemas/schema.ts';
import { runProgram } from '../setup/system.ts';
import { suiteEnvironment } from './door.ts';
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

/** The tests of Azurite that can be pointed at another server, by mocha. */
export const azurite: Judge = async ({ source, only }) => {
  if (source === null || !existsSync(join(source, files.blob)))
    return { skipped: "the tests are in no package: name a copy of Azure/Azurite's sources with --source <folder>" };
  if (!existsSync(join(source, 'node_modules'))) {
    const installed = await runProgram('npm', ['ci', '--ignore-scripts', '--no-audit'], { folder: source });
    if (!installed.ok) return { skipped: installed.reason };
  }
  // The name that tests of signatures have in their addresses.
  const program = await startBlobProgram(suiteEnvironment, 'devstoreaccount1');
  try {
    const { accountName, secret } = await program.newSecret();
    const compilerOptions = JSON.stringify({ rootDir: source });
    const connection = `DefaultEndpointsProtocol=http;AccountName=${accountName};AccountKey=${secret};BlobEndpoint=${program.endpoint};`;
    const cases: Case[] = [];
    const counts: string[] = [];
    for (const [name, file] of Object.entries(files)) {
      const report = join(program.folder, `${name}.json`);
      const outcome = await runProgram(
        'node',
        [
          ...['node_modules/mocha/bin/mocha.js', '--require', 'ts-node/register', '--require', preload],
          ...['--timeout', '120000', '--exit'],
          ...['--reporter', 'json', '--reporter-option', `output=${report}`],
          // Tests are marked by the stores of Azurite that they are about.
          ...['--grep', only ?? '@loki', file],
        ],
        {
          folder: source,
          timeout: suiteMs,
          environment: {
            JUDGED_KEY: secret,
            JUDGED_DOOR: new URL(program.endpoint).host,
            AZURITE_LIVE_TEST_CONNECTION_STRING: connection,
            TS_NODE_TRANSPILE_ONLY: 'true',
            TS_NODE_COMPILER_OPTIONS: compilerOptions,
          },
        },
      );
      // A run with failures ends with a code other than 0.
      if (!existsSync(report)) throw new Error(outcome.ok ? 'mocha wrote no report' : outcome.reason);
      const found = casesOf(name, await readFile(report, 'utf8'));
      counts.push(`${name} ${found.filter((each) => each.outcome === 'passed').length} of ${found.length}`);
      cases.push(...found);
    }
    const commit = await runProgram('git', ['-C', source, 'log', '-1', '--format=%h']);
    return {
      suite: `Azurite${commit.ok ? `, commit ${commit.output.trim()}` : ''}`,
      selection: `The files blob, blockblob, container, highlevel and sas of its tests: ${counts.join(', ')}.`,
      cases,
    };
  } finally {
    await program.end();
  }
};

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
