import { dirname } from 'node:path';
import { runProgram } from '../setup/system.ts';
import { gatewayProgram, installGateway } from '../../test/servers/s3.ts';
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

/** How MinIO does; nothing where it cannot be had. */
async function minio(only: string | null): Promise<NonNullable<Verdict['peers']>> {
  const server = await startMinioServer();
  if (typeof server === 'string') {
    process.stdout.write(`MinIO is not judged beside: ${server}\n`);
    return [];
  }
  try {
    const { accessKeyId, secretAccessKey: secret } = minioKey;
    const target = { url: `http://${server.host}`, accessKeyId, secret };
    const { cases, crash } = await run(target, only);
    return [{ name: crash === null ? 'MinIO' : 'MinIO, until the suite crashed on its answers,', cases }];
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
      peers: await minio(only),
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
