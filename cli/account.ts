import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { readOperatorFile } from '../app/operator-file.ts';
import type { Configuration } from '../models/configuration/configuration.ts';
import { hundredthsOf, moneyText } from '../models/money.ts';
import type { AccountChange } from '../models/schemas/account-settings.ts';
import { changeOf, settingsOptions, settingsShown, settingsUsage } from './account-settings.ts';
import { CommandError } from './connection.ts';
import { askOperator } from './operator.ts';
import { printable } from './terminal.ts';

const usage = [
  'npm run ply -- account [show] [--account <id or name>]',
  'npm run ply -- account list',
  `npm run ply -- account set ${settingsUsage} [--account <id or name>]`,
  'npm run ply -- account adjust --amount=<money, such as -12.50> --description=<text> [--account <id or name>]',
  'npm run ply -- account create --name <name>',
  'npm run ply -- account export <folder> [--account <id or name>]',
  'npm run ply -- account erase <id or name> --yes <id> [--keep-usage]',
].join(', ');

interface ParsedArguments {
  verb: string;
  first: string | undefined;
  /** The value of --account: id or name. */
  account: { account?: string };
  change: AccountChange;
  name: string | undefined;
  amount: number | undefined;
  description: string | undefined;
  yes: string | undefined;
  keepUsage: boolean;
}

function table(lines: readonly string[][]): string {
  return lines.map(([name = '', value = '']) => `${name.padEnd(14)}${value}`).join('\n');
}

/** `ply account`: shows, changes, creates, exports and erases accounts. */
export async function account(configuration: Configuration, words: readonly string[]): Promise<string> {
  const given = parseArguments(words);
  switch (given.verb) {
    case 'show':
      return table(settingsShown(await askOperator(configuration, 'account.show', given.account)));
    case 'list':
      return (
        (await askOperator(configuration, 'account.list', {}))
          .map(
            ({ accountId, organizationId, name }) => `${accountId}  organization ${organizationId}  ${printable(name)}`,
          )
          .join('\n') || 'There is no account.'
      );
    case 'set':
      if (Object.keys(given.change).length === 0) throw new CommandError(`Missing what to set: ${usage}.`);
      return table(
        settingsShown(await askOperator(configuration, 'account.set', { ...given.change, ...given.account })),
      );
    case 'adjust':
      return adjust(configuration, given);
    case 'create': {
      if (given.name === undefined)
        throw new CommandError('Missing the name of its organization: npm run ply -- account create --name <name>');
      const { accountId, organizationId, adminKey, standardKey } = await askOperator(configuration, 'account.create', {
        name: given.name,
      });
      return `The keys are only shown now; store them:\n${table([
        ['account', accountId],
        ['organization', organizationId],
        ['admin key', adminKey],
        ['standard key', standardKey],
      ])}`;
    }
    case 'export': {
      if (given.first === undefined)
        throw new CommandError('Missing the target folder: npm run ply -- account export <folder>');
      const folder = resolve(process.env['INIT_CWD'] ?? process.cwd(), given.first);
      const { counts, texts } = await askOperator(configuration, 'account.export', { folder, ...given.account });
      return `Exported into ${folder}: ${Object.entries(counts)
        .map(([name, count]) => `${count} ${name}`)
        .join(', ')}, ${texts} texts. manifest.json has the counts, files.jsonl every file with its SHA-256.`;
    }
    case 'erase':
      return erase(configuration, given);
    default:
      throw new CommandError(`Unknown command "account ${given.verb}". Usage: ${usage}.`);
  }
}

/** A correction or credit: a line of the oldest month that is not closed. */
async function adjust(
  configuration: Configuration,
  { amount, description, account: named }: ParsedArguments,
): Promise<string> {
  if (amount === undefined || description === undefined)
    throw new CommandError(
      'Missing what to charge: npm run ply -- account adjust --amount=<money, such as -12.50> --description=<text>',
    );
  const written = await askOperator(configuration, 'account.adjust', { amount, description, ...named });
  return table([
    ['account', written.accountId],
    ['adjustment', written.adjustmentId],
    ['amount', `${moneyText(written.amount)}${written.currency === null ? '' : ` ${written.currency}`}`],
    ['description', printable(written.description)],
    ['charged in', written.month],
  ]);
}

/** An erasure must be confirmed with the account's id, because a name is mistyped too easily. */
async function erase(configuration: Configuration, { first, yes, keepUsage }: ParsedArguments): Promise<string> {
  const named = first ?? yes;
  if (named === undefined)
    throw new CommandError(
      'Missing the account: npm run ply -- account erase <id or name> --yes <id>; npm run ply -- account list shows them.',
    );
  const { accountId } = await askOperator(configuration, 'account.name', { account: named });
  if (yes !== accountId) {
    throw new CommandError(
      `This erases account ${accountId} permanently: its organizations, keys, files, passages, settings, logs and audit${keepUsage ? '; usage events are kept' : ' and its usage'}. To confirm, enter its id: npm run ply -- account erase --yes ${accountId}`,
    );
  }
  const { state, organizationIds } = await askOperator(configuration, 'account.erase', {
    account: accountId,
    keepUsage,
  });
  // The stored API address and key of the command line are invalid now.
  const folder = resolve(configuration.PLY_DATA_DIR);
  const kept = await readOperatorFile(folder);
  if (kept !== null && organizationIds.includes(kept.organizationId))
    await rm(join(folder, 'operator.json'), { force: true });
  if (state === 'erased')
    return `Account ${accountId} is erased. Only its ids are kept for a day, to remove late writes of a stopped process.`;
  return `Account ${accountId} is being erased: its keys are refused from now on. The running program removes the rest, and continues after a restart. Repeat the command to see when it is done.`;
}

function parseArguments(words: readonly string[]): ParsedArguments {
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      allowPositionals: true,
      options: {
        ...settingsOptions,
        account: { type: 'string' },
        name: { type: 'string' },
        amount: { type: 'string' },
        description: { type: 'string' },
        yes: { type: 'string' },
        'keep-usage': { type: 'boolean' },
      },
    });
    const { account: named, name, amount, description, yes, 'keep-usage': keepUsage = false, ...settings } = values;
    const [verb = 'show', first, ...more] = positionals;
    if (more.length > 0 || (first !== undefined && verb !== 'erase' && verb !== 'export'))
      throw new Error(`${positionals.slice(1).join(' ')} is not valid: ${usage}`);
    const change = changeOf(settings);
    return {
      verb,
      first,
      account: named === undefined ? {} : { account: named },
      change,
      name,
      amount: amount === undefined ? undefined : hundredthsOf(amount),
      description,
      yes,
      keepUsage,
    };
  } catch (error) {
    throw new CommandError(error instanceof Error ? error.message : usage, { cause: error });
  }
}
