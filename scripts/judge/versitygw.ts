import { dirname } from 'node:path';
import { ListBucketsCommand } from '@aws-sdk/client-s3';
import { runProgram } from '../setup/system.ts';
import { clientOf } from '../../test/api/support/s3.ts';
import { gatewayProgram, installGateway, type S3TestServer } from '../../test/servers/s3.ts';
import { minioKey, startMinioServer } from '../../test/servers/minio.ts';
import { notOfferedByS3 } from './capabilities.ts';
import { startJudged } from './door.ts';
import { meantByS3 } from './meant.ts';
import type { Case, Judge, Verdict } from './judge.ts';

const suiteMs = 3_600_000;

/** A server that the suite is pointed at. */
interface Target {
  url: string;
  accessKeyId: string;
  secret: string;
}

/**
 * Runs the suite, which the program of versitygw holds. It numbers its buckets, whose names stay taken when they are deleted,
 * so all cases run in one process; one that crashes ends the run.
 */
async function run(
  { url, accessKeyId, secret }: Target,
  only: string | null,
): Promise<{ cases: Case[]; crash: string | null }> {
  const outcome = await runProgram(
    'sh',
    [
      // The suite ends with a code other than 0 where a case fails: the shell hands its output on in any case.
      ...['-c', 'unset AWS_CA_BUNDLE; "$@" 2>&1; true', 'judge'],
      ...[gatewayProgram, 'test', '-a', accessKeyId, '-s', secret, '-e', url],
      only ?? 'full-flow',
    ],
    // It calls its own program for users, by a path from here.
    { timeout: suiteMs, folder: dirname(gatewayProgram) },
  );
  if (!outcome.ok) throw new Error(outcome.reason);
  return { cases: casesOf(outcome.output), crash: /^panic: (.*)$/m.exec(outcome.output)?.[1] ?? null };
}

const minioOwner = { accessKeyId: minioKey.accessKeyId, secret: minioKey.secretAccessKey };

/** Runs one case. The suite numbers its buckets from 1 each time, so that nothing may be left of the case before. */
async function runAlone(server: S3TestServer, name: string): Promise<{ found: Case; isEmpty: boolean }> {
  const url = `http://${server.host}`;
  const { cases, crash } = await run({ url, ...minioOwner }, name);
  const client = clientOf(url, minioOwner);
  const { Buckets = [] } = await client.send(new ListBucketsCommand({}));
  client.destroy();
  const [found = { name, outcome: 'failed', reason: `the suite crashed: ${crash ?? 'it said nothing'}` }] = cases;
  return { found, isEmpty: Buckets.length === 0 };
}

/**
 * How MinIO does; nothing where it cannot be had. The suite crashes on some of its answers: that case counts as failed, and
 * those behind it are run one by one.
 * @param names of all cases, in their order; one word runs what the suite has under it
 */
async function minio(names: readonly string[], only: string | null): Promise<NonNullable<Verdict['peers']>> {
  let server = await startMinioServer();
  if (typeof server === 'string') {
    process.stdout.write(`MinIO is not judged beside: ${server}\n`);
    return [];
  }
  try {
    const { cases, crash } = await run({ url: `http://${server.host}`, ...minioOwner }, only);
    let isEmpty = false;
    for (const name of crash === null ? [] : names.slice(cases.length)) {
      if (!isEmpty) {
        await server.stop();
        const next = await startMinioServer();
        if (typeof next === 'string') throw new Error(next);
        server = next;
      }
      const alone = await runAlone(server, name);
      cases.push(alone.found);
      ({ isEmpty } = alone);
    }
    const crashes = cases.filter(({ reason }) => reason.startsWith('the suite crashed')).length;
    return [{ name: crashes === 0 ? 'MinIO' : `MinIO, on whose answers the suite crashed ${crashes} times,`, cases }];
  } finally {
    await server.stop();
  }
}

/** The suite of versitygw, `test full-flow`, and MinIO beside. */
export const versitygw: Judge = async ({ only }) => {
  const missing = await installGateway();
  if (missing !== null) return { skipped: missing };
  const { program, host, port, keys } = await startJudged(1);
  try {
    const [{ accessKeyId, secret } = { accessKeyId: '', secret: '' }] = keys;
    const { cases, crash } = await run({ url: `http://${host}:${port}`, accessKeyId, secret }, only);
    return {
      suite: 'versitygw 1.8.0',
      selection: `The cases of \`versitygw test full-flow\`${crash === null ? '' : `, until it crashed (${crash})`}.`,
      cases,
      capabilities: notOfferedByS3,
      meant: meantByS3,
      peers: await minio(
        cases.map(({ name }) => name),
        only,
      ),
    };
  } finally {
    await program.end();
  }
};

/** The cases of the suite's output: a line says how each ended, and why. */
function casesOf(output: string): Case[] {
  const cases: Case[] = [];
  // Colours of a terminal.
  for (const line of output.replaceAll(/\u001b\[[0-9;]*m/g, '').split('\n')) {
    const [, result, name, reason = ''] = /^\s*(PASS|FAIL|SKIP)\s+([A-Za-z0-9_]+)(?::\s*(.*))?$/.exec(line) ?? [];
    if (result === undefined || name === undefined) continue;
    const outcome = result === 'PASS' ? 'passed' : result === 'FAIL' ? 'failed' : 'skipped';
    cases.push({ name, outcome, reason: withoutIds(reason) });
  }
  return cases;
}

/** A reason without what differs from one run to the next. */
function withoutIds(reason: string): string {
  return reason
    .replaceAll(/RequestID: [0-9a-f-]+, HostID: , /g, '')
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>');
}
