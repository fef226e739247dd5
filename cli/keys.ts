import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readOperatorFile, writeOperatorFile } from '../app/operator-file.ts';
import type { Configuration } from '../models/configuration/configuration.ts';
import { instant } from '../models/schemas/values.ts';
import { hashKey, type KeyView, type CreatedKey, type RotatedKey } from '../services/accounts/keys.ts';
import { CommandError } from './connection.ts';
import { askOperator } from './operator.ts';
import { printable } from './terminal.ts';

const day = 86_400_000;

/**
 * The expiry of a key in milliseconds: from a date (its first moment, UTC), a date-time with a time zone, or days from
 * now such as `90d`.
 */
export function expiryOf(given: string, now: number): number | null {
  if (given === 'never') return null;
  const days = /^(\d{1,5})d$/.exec(given)?.[1];
  const at =
    days === undefined
      ? instant(/^\d{4}-\d{2}-\d{2}$/.test(given) ? `${given}T00:00:00Z` : given)
      : now + Number(days) * day;
  if (at === null)
    throw new CommandError(
      `${given} is not a valid time: use a date (2027-01-31), a date-time with its zone (2027-01-31T09:30:00Z), days from now (90d), or never.`,
    );
  if (at <= now) throw new CommandError(`${given} is in the past: a key must expire in the future.`);
  return at;
}

const units: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: day };

/** The overlap of a rotation in milliseconds, from a text such as `30m`, `12h` or `7d`; at most 30 days. */
export function overlapOf(given: string): number {
  const [, count = '', unit = ''] = /^(\d{1,6})([mhd])$/.exec(given) ?? [];
  const overlap = Number(count) * (units[unit] ?? Number.NaN);
  if (!(overlap > 0 && overlap <= 30 * day))
    throw new CommandError(
      `${given} is not a valid overlap: use minutes, hours or days, such as 30m, 12h or 7d; at most 30d.`,
    );
  return overlap;
}

function stateOf({ isActive, expiresAt }: KeyView, now: number): string {
  if (!isActive) return 'inactive';
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'active';
}

function lineOf(key: KeyView, now: number): string {
  const expiry =
    key.expiresAt === null
      ? 'never expires'
      : `${key.expiresAt <= now ? 'expired' : 'expires'} ${new Date(key.expiresAt).toISOString()}`;
  return [
    key._id,
    `${printable(key.prefix)}...`,
    key.scope.padEnd(8),
    stateOf(key, now).padEnd(8),
    `made ${new Date(key.createdAt).toISOString()}`,
    expiry,
    printable(key.label),
  ].join('  ');
}

function table(keys: readonly KeyView[], now: number): string {
  if (keys.length === 0) return 'There are no keys yet: the first start of the program creates them.';
  return keys.map((key) => lineOf(key, now)).join('\n');
}

function createdMessage({ key, view }: CreatedKey, now: number, more: string): string {
  return `${lineOf(view, now)}\n${more}\nThe key, which is only shown now: ${key}`;
}

/** The command line uses the standard key of the first start: if that is rotated, it stores the new one. */
async function storeRotatedKey(configuration: Configuration, { key, formerHash }: RotatedKey): Promise<string> {
  const folder = resolve(configuration.PLY_DATA_DIR);
  const kept = await readOperatorFile(folder);
  if (kept === null || hashKey(kept.key) !== formerHash) return '';
  await writeOperatorFile(folder, { ...kept, key });
  return '\nThis command line used the key, and uses the new one from now on.';
}

/** `ply keys`: lists, creates, rotates, deactivates and reactivates API keys. */
export async function keys(configuration: Configuration, words: readonly string[]): Promise<string> {
  const { verb, first, rest, expires, overlap, account } = parseArguments(words);
  const now = Date.now();
  const expiry = expires === undefined ? undefined : expiryOf(expires, now);
  switch (verb) {
    case 'list':
      return table(await askOperator(configuration, 'keys.list', {}), now);
    case 'create': {
      if (first !== 'standard' && first !== 'admin')
        throw new CommandError(
          'Missing the scope: npm run ply -- keys create <standard|admin> [label] [--expires <date|90d>] [--account <id or name>]',
        );
      const wanted = {
        scope: first,
        label: rest.join(' ') || 'Created on the command line',
        ...(expiry === undefined || expiry === null ? {} : { expiresAt: expiry }),
        ...(account === undefined ? {} : { account }),
      };
      return createdMessage(await askOperator(configuration, 'keys.create', wanted), now, '');
    }
    case 'rotate': {
      const overlapMs = overlap === undefined ? 0 : overlapOf(overlap);
      const made = await askOperator(configuration, 'keys.rotate', {
        keyId: needed(first, verb),
        overlapMs,
        ...(expiry === undefined ? {} : { expiresAt: expiry }),
      });
      return createdMessage(
        made,
        now,
        `The previous key is ${overlapMs === 0 ? 'refused within a second' : `accepted until ${new Date(now + overlapMs).toISOString()}`}.${await storeRotatedKey(configuration, made)}\n`,
      );
    }
    case 'deactivate':
      return lineOf(await askOperator(configuration, 'keys.deactivate', { keyId: needed(first, verb) }), now);
    case 'reactivate':
      return lineOf(await askOperator(configuration, 'keys.reactivate', { keyId: needed(first, verb) }), now);
    default:
      throw new CommandError(
        `Unknown command "keys ${verb}". Commands: keys list, keys create, keys rotate, keys deactivate, keys reactivate.`,
      );
  }
}

function needed(keyId: string | undefined, verb: string): string {
  if (keyId === undefined)
    throw new CommandError(`Missing the key id: npm run ply -- keys ${verb} <id>; npm run ply -- keys lists them.`);
  return keyId;
}

function parseArguments(words: readonly string[]): {
  verb: string;
  first: string | undefined;
  rest: string[];
  expires: string | undefined;
  overlap: string | undefined;
  account: string | undefined;
} {
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      allowPositionals: true,
      options: { expires: { type: 'string' }, overlap: { type: 'string' }, account: { type: 'string' } },
    });
    const [verb = 'list', first, ...rest] = positionals;
    return { verb, first, rest, expires: values.expires, overlap: values.overlap, account: values.account };
  } catch (error) {
    throw new CommandError(error instanceof Error ? error.message : 'the arguments after keys are not valid', {
      cause: error,
    });
  }
}
