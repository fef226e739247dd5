import { dirname } from 'node:path';
import { runProgram } from '../setup/system.ts';
import { gatewayProgram, installGateway } from '../../test/servers/s3.ts';
import { startJudged } from './door.ts';
import type { Case, Judge } from './judge.ts';

const suiteMs = 3_600_000;

/**
 * The suite of versitygw, which its own program holds: `test full-flow`. It numbers its buckets, whose names stay taken when
 * they are deleted, so all cases run in one process; one that crashes ends the run.
 */
export const versitygw: Judge = async ({ only }) => {
  const missing = await installGateway();
  if (missing !== null) return { skipped: missing };
  const { program, host, port, keys } = await startJudged(1);
  const [{ accessKeyId, secret } = { accessKeyId: '', secret: '' }] = keys;
  try {
    const outcome = await runProgram(
      'sh',
      [
        // The suite ends with a code other than 0 where a case fails: the shell hands its output on in any case.
        ...['-c', 'unset AWS_CA_BUNDLE; "$@" 2>&1; true', 'judge'],
        ...[gatewayProgram, 'test', '-a', accessKeyId, '-s', secret, '-e', `http://${host}:${port}`],
        only ?? 'full-flow',
      ],
      // It calls its own program for users, by a path from here.
      { timeout: suiteMs, folder: dirname(gatewayProgram) },
    );
    if (!outcome.ok) throw new Error(outcome.reason);
    const crash = /^panic: (.*)$/m.exec(outcome.output)?.[1];
    const cases = casesOf(outcome.output);
    return {
      suite: 'versitygw 1.8.0',
      selection: `The cases of \`versitygw test full-flow\`${crash === undefined ? '' : `, until it crashed (${crash})`}.`,
      cases,
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
