import { parseArgs } from 'node:util';
import { scriptNames, type ScriptName } from './k6.ts';

/** Options of `npm run load`. */
export interface LoadOptions {
  /** The scripts to run, in order. */
  scripts: readonly ScriptName[];
  /** Short forms: they show that everything works, and their results are not stored. */
  short: boolean;
  /** Approximate number of passages in the library. */
  passages: number;
  /** Whether the program runs without its model, and searches by words only. */
  wordsOnly: boolean;
  /** Address at which the source of generated files listens, and from which the program reads. */
  sourceHost: string;
  /** The second organization of an existing installation. */
  neighbour: string | null;
  /** Duration of the soak in seconds; null for its usual ten minutes. */
  soakSeconds: number | null;
  /** Whether the run starts a cluster of processes with their stores instead of a single process. */
  cluster: boolean;
  /** Only regenerates the page from stored results. */
  page: boolean;
}

/** Approximate number of passages in the library of a run that is not short. */
export const usualPassages = 10_000;

/** The text of `--help`. */
export const usage = `npm run load [-- options]: runs k6 against a program that it starts and fills itself.

  <script>...              some of ${scriptNames.join(', ')}; all by default (also as --only <script>)
  --short                  a minute instead of twenty; shows that everything works, stores no results
  --passages <number>      size of the library, ${usualPassages} by default; a smaller one updates no sizing
  --words-only             without the embedding model (PLY_EMBEDDING_THREADS=0)
  --hours <number>         duration of the soak, for a night for example; its results are not stored
  --cluster                starts a cluster on this machine (NATS and the test stores) instead of one process
  --page                   measures nothing, regenerates docs/capacity.md from stored results

With PLY_API_URL and PLY_API_KEY (a standard key) it measures the installation at that address, in the organization
PLY_ORGANIZATION_ID. Its request limits must be high, and it must run with PLY_PRIVATE_NETWORKS=allow.
  --source-host <address>  address of this machine as seen from the installation, 127.0.0.1 by default
  --neighbour <id>         another organization of the account; without it, noisy-neighbour is skipped
  delivery, doors          are skipped there, because they create buckets; so they are with --cluster
`;

function isScriptName(name: string): name is ScriptName {
  return scriptNames.some((known) => known === name);
}

/** Parses the command line. @throws with a message for the caller if it is not valid */
export function readOptions(words: readonly string[]): LoadOptions | 'help' {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    args: [...words],
    options: {
      only: { type: 'string', multiple: true },
      short: { type: 'boolean' },
      passages: { type: 'string' },
      'words-only': { type: 'boolean' },
      'source-host': { type: 'string' },
      neighbour: { type: 'string' },
      hours: { type: 'string' },
      cluster: { type: 'boolean' },
      page: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help === true) return 'help';
  const named = [...(values.only ?? []), ...positionals];
  const only = named.length > 0 ? named : [...scriptNames];
  const unknown = only.find((name) => !isScriptName(name));
  if (unknown !== undefined)
    throw new Error(`there is no script ${unknown}; the scripts are ${scriptNames.join(', ')}`);
  const short = values.short === true;
  const passages = Number(values.passages ?? (short ? 300 : usualPassages));
  if (!Number.isInteger(passages) || passages < 100)
    throw new Error('--passages must be a whole number of at least 100');
  const hours = values.hours === undefined ? null : Number(values.hours);
  if (hours !== null && !(hours > 0 && hours <= 1000)) throw new Error('--hours must be a number above 0');
  return {
    soakSeconds: hours === null ? null : Math.ceil(hours * 3600),
    cluster: values.cluster === true,
    scripts: scriptNames.filter((name) => only.includes(name)),
    short,
    passages,
    wordsOnly: values['words-only'] === true,
    sourceHost: values['source-host'] ?? '127.0.0.1',
    neighbour: values.neighbour ?? null,
    page: values.page === true,
  };
}
