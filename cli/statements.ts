import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { ClosedMonths } from '../app/operator-statements.ts';
import type { Configuration } from '../models/configuration/configuration.ts';
import type { Verified } from '../services/ledger/statements/verify.ts';
import { CommandError } from './connection.ts';
import type { Report } from './doctor.ts';
import { askOperator } from './operator.ts';

const usage =
  'npm run ply -- statements close | verify | events <month> <line> <file> | export <folder> [--account <id or name>]';

/** The verbs, with the most words that follow each. */
const verbs: ReadonlyMap<string, number> = new Map([
  ['close', 0],
  ['verify', 0],
  ['events', 3],
  ['export', 1],
]);

/** `ply statements`: closes months that are due, computes statements again, and writes them or their events into files. */
export async function statements(configuration: Configuration, words: readonly string[]): Promise<string | Report> {
  const { verb, rest, account } = parsed(words);
  const [folder] = rest;
  const named = account === undefined ? {} : { account };
  if (verb === 'close') return closedText(await askOperator(configuration, 'statements.close', named));
  if (verb === 'verify') return verifiedReport(await askOperator(configuration, 'statements.verify', named));
  if (verb === 'events') return eventsReport(configuration, rest, named);
  if (folder === undefined) throw new CommandError(`Missing the target folder. Usage: ${usage}.`);
  const target = resolve(process.env['INIT_CWD'] ?? process.cwd(), folder);
  const { numbers } = await askOperator(configuration, 'statements.export', { folder: target, ...named });
  if (numbers.length === 0) return 'No month of this account is closed yet.';
  return `Exported ${numbers.length} statements into ${target}: ${numbers.join(', ')}. Check them there with: sha256sum -c SHA256SUMS`;
}

/** Writes the events of a line, and says whether they add up to it. */
async function eventsReport(
  configuration: Configuration,
  [month, line, path]: readonly string[],
  named: { account?: string },
): Promise<Report> {
  if (month === undefined || line === undefined || path === undefined)
    throw new CommandError(`Missing the month, the line or the file to write. Usage: ${usage}.`);
  const file = resolve(process.env['INIT_CWD'] ?? process.cwd(), path);
  const { events, sum, quantity, unit } = await askOperator(configuration, 'statements.events', {
    month,
    line,
    file,
    ...named,
  });
  const isEqual = sum === quantity;
  const verdict = isEqual ? 'as the line says' : `but the line says ${quantity}`;
  return {
    text: `Wrote ${events} events of ${month} ${line} to ${file}: together ${sum} ${unit}, ${verdict}.`,
    hasFailed: !isEqual,
  };
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

function parsed(words: readonly string[]): { verb: string; rest: string[]; account: string | undefined } {
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      allowPositionals: true,
      options: { account: { type: 'string' } },
    });
    const [verb = '', ...rest] = positionals;
    const most = verbs.get(verb);
    if (positionals.length === 0) throw new Error(`Missing one of ${[...verbs.keys()].join(', ')}.`);
    if (most === undefined || rest.length > most) throw new Error(`${positionals.join(' ')} is not valid.`);
    return { verb, rest, account: values.account };
  } catch (error) {
    throw new CommandError(`${error instanceof Error ? error.message : ''} Usage: ${usage}.`, { cause: error });
  }
}
