import { parseArgs } from 'node:util';
import type { Configuration } from '../models/configuration/configuration.ts';
import { CommandError } from './connection.ts';
import { askOperator } from './operator.ts';
import { usagePicture } from './usage-picture.ts';

const usageOfCommand = 'npm run ply -- usage [--month <YYYY-MM>] [--account <id or name>]';

/** `ply usage`: prints what an account used in a month, and what it costs; as wide as the terminal, if it is one. */
export async function usage(configuration: Configuration, words: readonly string[]): Promise<string> {
  const { isTTY, columns } = process.stdout;
  return usagePicture(await askOperator(configuration, 'usage.show', parsed(words)), isTTY ? columns : Infinity);
}

function parsed(words: readonly string[]): { month?: string; account?: string } {
  try {
    const { values } = parseArgs({
      args: [...words],
      options: { month: { type: 'string' }, account: { type: 'string' } },
    });
    return { ...values };
  } catch (error) {
    throw new CommandError(`${error instanceof Error ? error.message : ''} Usage: ${usageOfCommand}.`, {
      cause: error,
    });
  }
}
