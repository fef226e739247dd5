import { readConfiguration, type Configuration } from '../models/configuration/configuration.ts';
import { privateUmask } from '../app/data-folder.ts';
import { account } from './account.ts';
import { add } from './add.ts';
import { backup } from './backup.ts';
import { bucket } from './bucket.ts';
import { doctor, type Report } from './doctor.ts';
import { evalQuestions } from './eval.ts';
import { installation } from './installation.ts';
import { jobs } from './jobs.ts';
import { keys } from './keys.ts';
import { objectCommand } from './object.ts';
import { videoCommand } from './video.ts';
import { mcp } from './mcp.ts';
import { restore } from './restore.ts';
import { search } from './search.ts';
import { secrets } from './secrets.ts';
import { statements } from './statements.ts';
import { usage } from './usage.ts';
import { users } from './users.ts';

/** The operator's command line: `npm run ply -- <command>`. */
const commands: {
  [name: string]: {
    run: (configuration: Configuration, words: readonly string[]) => Promise<string | Report>;
    purpose: string;
  };
} = {
  add: { run: add, purpose: 'add <folder|file|URL>...   index local files and URLs, and wait for their jobs' },
  search: {
    run: search,
    purpose:
      'search "<words>"           print passages with their location and matching words; --as <principal> (repeatable):\n                             show what such a reader finds, recorded in the account audit',
  },
  mcp: {
    run: mcp,
    purpose:
      'mcp                        serve the library to language models by the Model Context Protocol, on standard input and output;\n                             --as <principal> (repeatable): for a reader with these principals; --as-reader: open files alone',
  },
  eval: {
    run: evalQuestions,
    purpose:
      'eval <questions.csv>       measure search with your own questions (columns: question, expected file, place), and write a\n                             page of the misses; --page <file.html>, --before <earlier page> to compare',
  },
  jobs: { run: jobs, purpose: 'jobs [state]               show the newest files with their latest job' },
  bucket: {
    run: bucket,
    purpose:
      'bucket [list]              list buckets; bucket create <name> [--public], put <name> <folder|file>..., ls <name> [prefix],\n                             get <name> <key> [file], rm <name> <key>..., sign <name> <key>; an interrupted put goes on when it is repeated;\n                             suspend|unsuspend <id>: whether anything of it is delivered',
  },
  object: {
    run: objectCommand,
    purpose: 'object takedown|reinstate <id>\n                             stop and resume the delivery of a file',
  },
  video: {
    run: videoCommand,
    purpose:
      'video [list [<library>]]   list video libraries, or the videos of one; video create <library>, put <library> <folder|file>...: upload\n                             films and wait until they are ready (--no-wait: uploaded; --title <title>); an interrupted put goes on\n                             when it is repeated; takedown|reinstate <id>: whether a video is played',
  },
  keys: {
    run: keys,
    purpose:
      "keys [list]                list API keys; keys create <standard|admin> [label], keys rotate|deactivate|reactivate <id>;\n                             with --expires <date|90d>, a new or rotated key expires; with --overlap <30m|12h|7d>, the\n                             rotated key's previous secret is accepted for that time",
  },
  account: {
    run: account,
    purpose:
      'account [show]             show the account; account set --plan, --time-zone, --currency, --service-starts-at, --service-ends-at,\n                             --pay-as-you-go, --quota <metric>=<number>, --alert-thresholds;\n                             account adjust --amount=<money> --description=<text>: a correction or credit on the open month;\n                             account list, create --name <name>, export <folder>, erase <id or name> --yes <id> [--keep-usage];\n                             show, set, adjust, export and keys create take --account <id or name>',
  },
  statements: {
    run: statements,
    purpose:
      'statements close           close the months that are due; statements verify: compute all statements again from their events and\n                             name every difference; statements events <month> <line> <file>: write the events of a line as CSV;\n                             statements export <folder>: write them as CSV and JSON; --account <id or name>',
  },
  usage: {
    run: usage,
    purpose:
      'usage [--month <YYYY-MM>]  print what the account used in a month, by metric and day, and what it costs; --account <id or name>',
  },
  users: {
    run: users,
    purpose:
      'users [list]               list who signs in to the dashboard; users password <e-mail>: make a new password, which is shown\n                             once, for a new or known user; --account <id or name>',
  },
  secrets: {
    run: secrets,
    purpose:
      'secrets [show]             show which secret key seals what, and whether a former key is still needed; secrets reseal:\n                             reseal everything now',
  },
  installation: {
    run: installation,
    purpose:
      'installation [show]        show the id of the installation and its names on NATS; installation renew --yes <id>:\n                             give a copy of the records an id of its own',
  },
  backup: {
    run: backup,
    purpose:
      'backup <folder>            copy the data of a single-machine installation, running or stopped; with --every <6h>\n                             [--keep <7>], take one now and after each interval into a new folder below it',
  },
  restore: {
    run: restore,
    purpose: 'restore <folder>           restore a backup into an empty data folder (PLY_DATA_DIR)',
  },
  doctor: {
    run: doctor,
    purpose: 'doctor                     report what is installed, reachable and degraded, and how to fix it',
  },
};

const [name = '', ...words] = process.argv.slice(2);
const helpOptions = ['--help', '-h'];
const asksForHelp = ['', 'help', ...helpOptions].includes(name);
const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
if (command === undefined) {
  if (!asksForHelp) console.error(`Unknown command: ${name}.\n`);
  console.log(
    `npm run ply -- <command>\n\n${Object.values(commands)
      .map(({ purpose }) => `  ${purpose}`)
      .join('\n')}`,
  );
  process.exit(asksForHelp ? 0 : 2);
}
if (words.length === 1 && helpOptions.includes(words[0] ?? '')) {
  console.log(`npm run ply -- ${command.purpose}`);
  process.exit(0);
}
process.umask(privateUmask);
try {
  const result = await command.run(readConfiguration(process.env), words);
  console.log(typeof result === 'string' ? result : result.text);
  if (typeof result !== 'string' && result.hasFailed) process.exitCode = 1;
} catch (error) {
  // A message for everybody, the stack at level debug.
  console.error(error instanceof Error ? error.message : String(error));
  if (process.env['PLY_LOG_LEVEL'] === 'debug') console.error(error);
  process.exit(1);
}
