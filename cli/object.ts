import type { Configuration } from '../models/configuration/configuration.ts';
import { CommandError } from './connection.ts';
import { askOperator } from './operator.ts';
import { printable } from './terminal.ts';

const usage = 'npm run ply -- object takedown <id>, npm run ply -- object reinstate <id>';

/** `ply object takedown|reinstate <id>`: whether a file is delivered. @throws CommandError */
export async function objectCommand(configuration: Configuration, words: readonly string[]): Promise<string> {
  const [verb, objectId, ...more] = words;
  if ((verb !== 'takedown' && verb !== 'reinstate') || objectId === undefined || more.length > 0)
    throw new CommandError(`Unknown: object ${words.map(printable).join(' ')}. Usage: ${usage}`);
  const isDown = verb === 'takedown';
  const { key } = await askOperator(configuration, 'object.takedown', { objectId, isDown }, 'storage');
  return isDown
    ? `${printable(key)} is taken down: it is listed, and not delivered any more.`
    : `${printable(key)} is delivered again.`;
}
