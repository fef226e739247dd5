import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { ClosedMonths } from '../app/operator-statements.ts';
import type { Configuration } from '../models/configuration/configuration.ts';
import type { Verified } from '../services/ledger/statements/verify.ts';
import { CommandError } from './connection.ts';
import type { Report } from './doctor.ts';
import { askOperator } from './operator.ts';

const usage = 'npm run ply -- statements close | verify | export <folder> [--account <id or name>]';

/** `ply statements`: closes months that are due, computes statements again, and writes them into a folder. */
export async function statements(configuration: Configuration, words: readonly string[]): Promise<string | Report> {
  const { verb, folder, account } = parsed(words);
  const named = account === undefined ? {} : { account };
  if (verb === 'close') return closedText(await askOperator(configuration, 'statements.close', named));
  if (verb === 'verify') return verifiedReport(await askOperator(configuration, 'statements.verify', named));
  if (folder === undefined) throw new CommandError(`Missing the target folder. Usage: ${usage}.`);
  const target = resolve(process.env['INIT_CWD'] ?? process.cwd(), folder);
  const { numbers } = await askOperator(configuration, 'statements.export', { folder: target, ...named });
  if (numbers.length === 0) return 'No month of this account is closed yet.';
  return `Exported ${numbers.length} statements into ${target}: ${numbers.join(', ')}. Check them there with: sha256sum -c SHA256SUMS`;
}

function closedText(accounts: readonly ClosedMonths[]): string {
  return accounts
    .map(({ accountId, numbers, open }) => {
      const done = numbers.length === 0 ? 'no month was due' : `closed ${numbers.join(', ')}`;
      if (open === null) return `${accountId}  ${done}`;
      const next = open.isIncomplete
        ? 'waits for the sizes of its last day or the plan of the next month: the running program brings them'
        : `can be closed from ${open.dueAt}`;
      return `${accountId}  ${done}; ${open.month} ${next}`;
    })
    .join('\n');
}

function verifiedReport(verified: readonly Verified[]): Report {
  const lines = verified.flatMap(({ accountId, number, month, differences, differing }) => [
    `${accountId}  ${number}  ${month}  ${differing === 0 ? 'equals its events' : `${differing} differences`}`,
    ...differences.map(
      ({ path, stored, computed }) => `  ${path}: stored ${stored ?? 'nothing'}, computed ${computed ?? 'nothing'}`,
    ),
    ...(differing > differences.length ? [`  and ${differing - differences.length} more`] : []),
  ]);
  return {
    text: lines.join('\n') || 'No month is closed yet.',
    hasFailed: verified.some(({ differing }) => differing > 0),
  };
}

function parsed(words: readonly string[]): { verb: string; folder: string | undefined; account: string | undefined } {
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      allowPositionals: true,
      options: { account: { type: 'string' } },
    });
    const [verb = '', folder, ...more] = positionals;
    const isKnown = ['close', 'verify', 'export'].includes(verb);
    if (!isKnown || more.length > 0 || (folder !== undefined && verb !== 'export'))
      throw new Error(`${positionals.join(' ') || 'nothing'} is not valid.`);
    return { verb, folder, account: values.account };
  } catch (error) {
    throw new CommandError(`${error instanceof Error ? error.message : ''} Usage: ${usage}.`, { cause: error });
  }
}
