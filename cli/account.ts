import { parseArgs } from 'node:util';
import type { Configuration } from '../models/configuration/configuration.ts';
import type { AccountView } from '../services/accounts/account.ts';
import { CommandError } from './connection.ts';
import { askOperator } from './operator.ts';

const usage = 'npm run ply -- account show, or npm run ply -- account set [--time-zone <IANA name, such as Europe/Berlin>] [--plan <name>|none]';

function shown({ accountId, organizationId, timeZone, plan, features, limits, createdAt }: AccountView): string {
  const lines = [
    ['account', accountId], ['organization', organizationId], ['time zone', timeZone],
    ['plan', plan ?? 'none: every feature'], ...(features === null ? [] : [['features', features.join(', ') || 'none']]),
    ...(limits === null ? [] : [['a minute', `${limits.requestsPerMinute} requests, ${limits.searchRequestsPerMinute} searches, ${limits.registrationsPerMinute} registrations, ${limits.storageRequestsPerMinute} of storage, for each organization`]]),
    ['made', new Date(createdAt).toISOString()],
  ];
  return lines.map(([name = '', value = '']) => `${name.padEnd(14)}${value}`).join('\n');
}

/** `ply account`: shows the account of the deployment, and changes its time zone and its plan. */
export async function account(configuration: Configuration, words: readonly string[]): Promise<string> {
  const { verb, change } = understood(words);
  if (verb === 'show') return shown(await askOperator(configuration, 'account.show', {}));
  if (verb !== 'set') throw new CommandError(`There is no "account ${verb}". There are: ${usage}.`);
  if (Object.keys(change).length === 0) throw new CommandError(`Say what to set: ${usage}.`);
  return shown(await askOperator(configuration, 'account.set', change));
}

function understood(words: readonly string[]): { verb: string; change: { timeZone?: string; plan?: string | null } } {
  try {
    const { values, positionals } = parseArgs({ args: [...words], allowPositionals: true, options: { 'time-zone': { type: 'string' }, plan: { type: 'string' } } });
    const { 'time-zone': timeZone, plan } = values;
    if (positionals.length > 1) throw new Error(`${positionals.slice(1).join(' ')} is not understood: ${usage}`);
    return { verb: positionals[0] ?? 'show', change: { ...(timeZone === undefined ? {} : { timeZone }), ...(plan === undefined ? {} : { plan: plan === 'none' ? null : plan }) } };
  } catch (error) {
    throw new CommandError(error instanceof Error ? error.message : usage, { cause: error });
  }
}
