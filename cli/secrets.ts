import type { Configuration } from '../models/configuration/configuration.ts';
import type { KeyCount, SecretsReport } from '../app/secrets/count.ts';
import { CommandError } from './connection.ts';
import { askOperator } from './operator.ts';

const uses = { current: 'seals', next: 'seals next', former: 'former' } as const;
/** Maximum number of listed connectors; the others are counted. */
const maxNamed = 20;

function countsOf({ counts, total }: Pick<KeyCount, 'counts' | 'total'>): string {
  return total === 0
    ? 'nothing'
    : Object.entries(counts)
        .filter(([, count]) => count > 0)
        .map(([what, count]) => `${count} ${what}`)
        .join(', ');
}

/** The report as lines: each key with what it sealed, then whether former keys are still needed. */
export function linesOf({ keys, unopened, formerAddresses }: SecretsReport): string[] {
  const former = keys.filter(({ key }) => key.use === 'former');
  const left = former.reduce((sum, { total }) => sum + total, 0);
  const lines = keys.map((count) => `key ${count.key.id}  ${uses[count.key.use].padEnd(10)}  ${countsOf(count)}`);
  if (unopened.total > 0) {
    lines.push(
      `no key     opens       ${unopened.total}: ${unopened.first.map(({ what, id }) => `${id} (${what})`).join(', ')}${unopened.total > unopened.first.length ? ', ...' : ''}`,
      'Name the key that sealed them in PLY_FORMER_SECRET_KEYS, or enter these secrets again.',
    );
  }
  if (formerAddresses.length > 0) {
    lines.push(
      'Sources still send storage events to addresses that a former key made. Give them the notifyUrl that the connector shows now:',
      ...formerAddresses
        .slice(0, maxNamed)
        .map(
          ({ connectorId, organizationId, at }) =>
            `  connector ${connectorId} of organization ${organizationId}, last at ${new Date(at).toISOString()}`,
        ),
      ...(formerAddresses.length > maxNamed ? [`  and ${formerAddresses.length - maxNamed} more`] : []),
    );
  }
  if (former.length > 0) {
    lines.push(
      left > 0
        ? `${left} are still sealed with a former key, so keep it. They are resealed in the background, or now with: npm run ply -- secrets reseal`
        : 'Nothing is sealed with a former key any more. Remove it from PLY_FORMER_SECRET_KEYS (or secret.key) after every process is restarted with the new one, and store it with the backups from before.',
    );
  }
  return lines;
}

/** `ply secrets`: which key seals what, and whether former keys are needed; `secrets reseal` reseals now. */
export async function secrets(configuration: Configuration, words: readonly string[]): Promise<string> {
  const [verb = 'show', ...more] = words;
  if (more.length > 0 || (verb !== 'show' && verb !== 'reseal'))
    throw new CommandError(`Unknown command "secrets ${words.join(' ')}". Commands: secrets show, secrets reseal.`);
  const done = verb === 'reseal' ? await askOperator(configuration, 'secrets.reseal', {}) : null;
  const lines = linesOf(await askOperator(configuration, 'secrets.count', {}));
  return [...(done === null ? [] : [`Resealed: ${done.resealed}.`]), ...lines].join('\n');
}
