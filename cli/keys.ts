import { resolve } from 'node:path';
import { openStores, closeStores } from '../adapters/open.ts';
import { askProgram, operate, type OperatorAnswer, type OperatorRequest } from '../house/operator-socket.ts';
import { modelFolder } from '../house/program.ts';
import { systemAmbient } from '../models/ambient.ts';
import type { Configuration } from '../models/configuration/configuration.ts';
import { pino } from 'pino';
import { CommandError } from './connection.ts';

/** Asks the running program, or works on the stores themselves where none runs (or where they are shared). */
async function ask(configuration: Configuration, asked: OperatorRequest): Promise<OperatorAnswer> {
  const answer = configuration.PLY_MONGO_URL === null ? await askProgram(resolve(configuration.PLY_DATA_DIR), asked) : null;
  if (answer !== null) return answer;
  const log = pino({ level: 'error' }, pino.destination(2));
  const stores = await openStores({ configuration: { ...configuration, PLY_ROLES: ['accounts'] }, ambient: systemAmbient, log, nodeId: 'command-line', modelFolder: modelFolder(configuration) });
  try {
    return await operate({ ...stores, ambient: systemAmbient, log, configuration }, asked);
  } finally {
    await closeStores(stores);
  }
}

function table(answer: OperatorAnswer): string {
  if (answer.keys.length === 0) return 'There are no keys yet: they are made at the first start.';
  return answer.keys.map((key) => [key._id, `${key.prefix}...`, key.scope.padEnd(8), (key.isActive ? 'active' : 'inactive').padEnd(8), new Date(key.createdAt).toISOString(), key.label].join('  ')).join('\n');
}

/** `ply keys`: lists API keys. `ply keys create <standard|admin> [label]`, `ply keys deactivate|reactivate <id>`. */
export async function keys(configuration: Configuration, [verb = 'list', first, ...rest]: readonly string[]): Promise<string> {
  switch (verb) {
    case 'list':
      return table(await ask(configuration, { do: 'keys.list' }));
    case 'create': {
      if (first !== 'standard' && first !== 'admin') throw new CommandError('Say which scope: npm run ply -- keys create <standard|admin> [label]');
      const [any] = (await ask(configuration, { do: 'keys.list' })).keys;
      if (any === undefined) throw new CommandError('There is no account yet: it is made at the first start.');
      const made = await ask(configuration, { do: 'keys.create', accountId: any.accountId, scope: first, label: rest.join(' ') || 'Made on the command line' });
      return `${table(made)}\n\nThe key, shown this once: ${made.key ?? ''}`;
    }
    case 'deactivate':
    case 'reactivate':
      if (first === undefined) throw new CommandError(`Say which key: npm run ply -- keys ${verb} <id>`);
      return table(await ask(configuration, { do: verb === 'deactivate' ? 'keys.deactivate' : 'keys.reactivate', keyId: first }));
    default:
      throw new CommandError(`There is no "keys ${verb}". There are: keys, keys create, keys deactivate, keys reactivate.`);
  }
}
