import { parseArgs } from 'node:util';
import type { Configuration } from '../models/configuration/configuration.ts';
import { CommandError } from './connection.ts';
import { askOperator } from './operator.ts';
import { printable } from './terminal.ts';

const usage =
  'npm run ply -- users [list] | users password <e-mail> | users reset <e-mail>, with [--account <id or name>]';

/**
 * `ply users`: lists the users of the dashboard, gives them passwords, and lets those in who have lost password or
 * second factor.
 */
export async function users(configuration: Configuration, words: readonly string[]): Promise<string> {
  const { verb, email, account } = parsed(words);
  if (verb === 'list') {
    const found = await askOperator(configuration, 'users.list', account);
    return (
      found
        .map(
          ({ userId, createdAt, email: address, role, isActive, secondFactor }) =>
            `${userId}  made ${createdAt}  ${isActive ? (role ?? 'none') : 'inactive'}  ${secondFactor ? 'second factor' : 'password'}  ${printable(address)}`,
        )
        .join('\n') || 'There is no user: npm run ply -- users password <e-mail> makes one.'
    );
  }
  if (verb !== 'password' && verb !== 'reset')
    throw new CommandError(`Unknown command "users ${verb}". Usage: ${usage}.`);
  if (email === undefined) throw new CommandError(`Missing the e-mail address: ${usage}.`);
  const { user, password } = await askOperator(configuration, `users.${verb}`, { email, ...account });
  return `${printable(user.email)} signs in to the dashboard with this password, which is only shown now: ${password}\nSessions of this user are over.${verb === 'reset' ? ' The second factor is off.' : ''}`;
}

function parsed(words: readonly string[]): {
  verb: string;
  email: string | undefined;
  account: { account?: string };
} {
  try {
    const { values, positionals } = parseArgs({
      args: [...words],
      allowPositionals: true,
      options: { account: { type: 'string' } },
    });
    const [verb = 'list', email, ...more] = positionals;
    if (more.length > 0) throw new Error(`${more.join(' ')} is not valid: ${usage}`);
    return { verb, email, account: values.account === undefined ? {} : { account: values.account } };
  } catch (error) {
    throw new CommandError(error instanceof Error ? error.message : usage, { cause: error });
  }
}
