import type { Configuration } from '../models/configuration/configuration.ts';
import { CommandError } from './connection.ts';
import { askOperator } from './operator.ts';
import { printable } from './terminal.ts';

const usage = 'npm run ply -- video takedown <id>, npm run ply -- video reinstate <id>';

/** `ply video takedown|reinstate <id>`: whether a video is played. @throws CommandError */
export async function videoCommand(configuration: Configuration, words: readonly string[]): Promise<string> {
  const [verb, videoId, ...more] = words;
  if ((verb !== 'takedown' && verb !== 'reinstate') || videoId === undefined || more.length > 0)
    throw new CommandError(`Unknown: video ${words.map(printable).join(' ')}. Usage: ${usage}`);
  const isDown = verb === 'takedown';
  const { title } = await askOperator(configuration, 'video.takedown', { videoId, isDown }, 'storage');
  return isDown
    ? `${printable(title)} is taken down: it is listed, and not played any more.`
    : `${printable(title)} is played again.`;
}
