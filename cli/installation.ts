import type { Configuration } from '../models/configuration/configuration.ts';
import type { Installation } from '../models/installation.ts';
import { streamNameOf } from '../models/installation.ts';
import { CommandError } from './connection.ts';
import { askOperator } from './operator.ts';

function linesOf({ id, natsPrefix }: Installation): string {
  return [`installation  ${id}`, `NATS prefix   ${natsPrefix} (stream ${streamNameOf(natsPrefix)})`].join('\n');
}

/**
 * `ply installation`: the id of the installation and its names on NATS; `installation renew --yes <id>` gives a copy of
 * the records an id of its own.
 */
export async function installation(configuration: Configuration, words: readonly string[]): Promise<string> {
  const [verb = 'show', option, confirmed, ...more] = words;
  if (verb === 'show' && option === undefined)
    return linesOf(await askOperator(configuration, 'installation.show', {}));
  if (verb !== 'renew' || more.length > 0 || (option !== undefined && option !== '--yes'))
    throw new CommandError(
      `Unknown command "installation ${words.join(' ')}". Commands: installation show, installation renew --yes <id>.`,
    );
  const { id } = await askOperator(configuration, 'installation.show', {});
  if (confirmed !== id)
    throw new CommandError(
      `This gives the records of the installation ${id} another id. Stop all processes that use these records (not those of the original, if this is a copy), then confirm with: installation renew --yes ${id}`,
    );
  return linesOf(await askOperator(configuration, 'installation.renew', {}));
}
