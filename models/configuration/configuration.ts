import { isPlaceholder } from './placeholders.ts';
import { variables } from './table.ts';
import type { Variable } from './variables.ts';

type Variables = typeof variables;

/** The values of all variables, parsed and checked. */
export type Configuration = { readonly [K in keyof Variables]: Variables[K] extends Variable<infer T> ? T : never };

/** An invalid environment; the message has one line for each fault. */
export class ConfigurationError extends Error {
  constructor(faults: readonly string[]) {
    super(`The configuration is not usable:\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
    this.name = 'ConfigurationError';
  }
}

/** The same table, with each variable typed by its own value. */
const table: { readonly [K in keyof Configuration]: Variable<Configuration[K]> } = variables;

/** The name of a variable. */
export type VariableName = keyof Configuration;

function isVariableName(word: string): word is VariableName {
  return Object.hasOwn(table, word);
}

/** The names of all variables, in the order of the documentation. */
export const variableNames: readonly VariableName[] = Object.keys(table).filter(isVariableName);

/** Up to three variables that share the most words with an unknown name, as the end of a message. */
function suggestions(unknown: string): string {
  const words = new Set(unknown.split('_').slice(1));
  const shared = (name: string): number => name.split('_').filter((word) => words.has(word)).length;
  const most = Math.max(...variableNames.map(shared));
  if (most === 0) return '';
  const nearest = variableNames.filter((name) => shared(name) === most).slice(0, 3);
  return `; there ${nearest.length === 1 ? 'is' : 'are'} ${nearest.join(', ')}`;
}

type Values = { -readonly [K in VariableName]?: Configuration[K] };

function readOne<K extends VariableName>(values: Values, name: K, given: string | undefined, faults: string[]): void {
  const { kind, fallback } = table[name];
  values[name] = fallback;
  if (given === undefined || given === '') return;
  if (isPlaceholder(given)) {
    faults.push(`${name}: still has the value of a template, which everybody knows; set a value of your own`);
    return;
  }
  try {
    values[name] = kind.parse(given);
  } catch (error) {
    faults.push(`${name}: ${error instanceof Error ? error.message : 'not valid'}`);
  }
}

function areComplete(values: Values): values is Configuration {
  return variableNames.every((name) => Object.hasOwn(values, name));
}

/** Roles that read or write customers' objects. */
const rolesOfObjects: ReadonlySet<string> = new Set(['storage', 'delivery', 's3', 'blob', 'extractor', 'encoder']);

/** Processes of a cluster share their stores and secrets, so none of them may be embedded. */
function clusterFaults({ PLY_NATS_URL, ...others }: Configuration): string[] {
  if (PLY_NATS_URL === null) return [];
  const stores = ['PLY_MONGO_URL', 'PLY_MILVUS_URL', 'PLY_REDIS_URL', 'PLY_BLOBS_URL'] as const;
  const faults = stores
    .filter((store) => others[store] === null)
    .map((store) => `${store}: needed with PLY_NATS_URL, because the processes of a cluster share their stores`);
  if (others.PLY_ROLES.some((role) => rolesOfObjects.has(role)) && others.PLY_OBJECTS_URL === null)
    faults.push('PLY_OBJECTS_URL: needed with PLY_NATS_URL, because the processes of a cluster share their stores');
  if (others.PLY_SECRET_KEY === null)
    faults.push(
      'PLY_SECRET_KEY: needed with PLY_NATS_URL, because the processes of a cluster share their sealed secrets',
    );
  return faults;
}

/** The key of an external account and its id are of use together only. */
function externalAccountFaults({ PLY_ACME_EAB_KEY_ID: id, PLY_ACME_EAB_HMAC_KEY: key }: Configuration): string[] {
  if ((id === null) === (key === null)) return [];
  return [
    id === null
      ? 'PLY_ACME_EAB_KEY_ID: needed with PLY_ACME_EAB_HMAC_KEY'
      : 'PLY_ACME_EAB_HMAC_KEY: needed with PLY_ACME_EAB_KEY_ID',
  ];
}

/**
 * Reads the configuration from an environment. Variables that begin with `PLY_TEST_` are for the tests.
 * @throws ConfigurationError naming every variable that is unknown, malformed, missing or a placeholder of a template.
 */
export function readConfiguration(environment: Readonly<Record<string, string | undefined>>): Configuration {
  const faults = Object.keys(environment)
    .filter((name) => name.startsWith('PLY_') && !name.startsWith('PLY_TEST_') && !isVariableName(name))
    .map((name) => `${name}: there is no such variable${suggestions(name)} (see docs/configuration.md)`);
  const values: Values = {};
  for (const name of variableNames) readOne(values, name, environment[name], faults);
  if (!areComplete(values)) throw new Error('a variable was not read');
  faults.push(...clusterFaults(values), ...externalAccountFaults(values));
  if (faults.length > 0) throw new ConfigurationError(faults);
  return values;
}
