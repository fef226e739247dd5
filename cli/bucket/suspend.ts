import type { Configuration } from '../../models/configuration/configuration.ts';
import { CommandError } from '../connection.ts';
import { askOperator } from '../operator.ts';

/** `ply bucket suspend|unsuspend <id>`: whether anything of a bucket is delivered. @throws CommandError */
export async function suspend(
  configuration: Configuration,
  words: readonly string[],
  isSuspended: boolean,
): Promise<string> {
  const [bucketId, ...more] = words;
  if (bucketId === undefined || more.length > 0)
    throw new CommandError(`Name the id of one bucket: npm run ply -- bucket ${isSuspended ? '' : 'un'}suspend <id>`);
  const { name } = await askOperator(configuration, 'bucket.suspend', { bucketId, isSuspended }, 'storage');
  return isSuspended ? `${name} is suspended: nothing of it is delivered.` : `${name} is delivered again.`;
}
