import { ConfigurationError, readConfiguration, type Configuration } from '../models/configuration/configuration.ts';
import { add } from './add.ts';
import { CommandError } from './connection.ts';
import { doctor } from './doctor.ts';
import { jobs } from './jobs.ts';
import { keys } from './keys.ts';
import { search } from './search.ts';

/** The operator's command line: `npm run ply -- <command>`. */
const commands: { [name: string]: { run: (configuration: Configuration, words: readonly string[]) => Promise<string>; purpose: string } } = {
  add: { run: add, purpose: 'add <folder|file|URL>...   index local files and addresses, and wait for their jobs' },
  search: { run: search, purpose: 'search "<words>"           print passages with their place and marked words' },
  jobs: { run: jobs, purpose: 'jobs [state]               show the newest jobs' },
  keys: { run: keys, purpose: 'keys                       list API keys (keys create, deactivate, reactivate)' },
  doctor: { run: doctor, purpose: 'doctor                     say what is installed, reachable, degraded, and what mends it' },
};

const [name = '', ...words] = process.argv.slice(2);
const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
if (command === undefined) {
  console.log(`npm run ply -- <command>\n\n${Object.values(commands).map(({ purpose }) => `  ${purpose}`).join('\n')}`);
  process.exit(name === '' || name === 'help' ? 0 : 2);
}
try {
  console.log(await command.run(readConfiguration(process.env), words));
} catch (error) {
  if (!(error instanceof CommandError) && !(error instanceof ConfigurationError)) throw error;
  console.error(error.message);
  process.exit(1);
}
