import { parseArgs } from 'node:util';
import { scriptNames, type ScriptName } from './k6.ts';

/** What `npm run load` is asked for. */
export interface LoadOptions {
  /** The scripts to run, in their order. */
  scripts: readonly ScriptName[];
  /** Short forms: they show that everything works, and their figures are not kept. */
  short: boolean;
  /** Passages that the library is filled with, about. */
  passages: number;
  /** Whether the program runs without its model, by words alone. */
  wordsOnly: boolean;
  /** Address that the source of made files listens at, and that the program reads from. */
  sourceHost: string;
  /** The second organization of an installation that is there already. */
  neighbour: string | null;
  /** Only writes the page anew from what was measured before. */
  page: boolean;
}

/** What is printed for `--help`. */
export const usage = `npm run load [-- options]: k6 against an installation that it starts and fills itself.

  --only <script>          one of ${scriptNames.join(', ')}; may be given several times
  --short                  a minute instead of twenty; shows that all works, keeps no figures
  --passages <number>      size of the library, 10000 where left out
  --words-only             without the embedding model (PLY_EMBEDDING_THREADS=0)
  --page                   measures nothing, writes docs/capacity.md anew from what was measured

With PLY_API_URL and PLY_API_KEY (a standard key) it measures the installation at that address, in the organization that
PLY_ORGANIZATION_ID names. Its limits on requests must be high, and it must run with PLY_PRIVATE_NETWORKS=allow.
  --source-host <address>  address of this machine as the installation reaches it, 127.0.0.1 where left out
  --neighbour <id>         another organization of the account; without it noisy-neighbour is left out
`;

function isScriptName(name: string): name is ScriptName {
  return scriptNames.some((known) => known === name);
}

/** Reads the words of the command line. @throws with a message for the caller where they are not well formed */
export function readOptions(words: readonly string[]): LoadOptions | 'help' {
  const { values } = parseArgs({
    args: [...words],
    options: {
      only: { type: 'string', multiple: true }, short: { type: 'boolean' }, passages: { type: 'string' }, 'words-only': { type: 'boolean' },
      'source-host': { type: 'string' }, neighbour: { type: 'string' }, page: { type: 'boolean' }, help: { type: 'boolean' },
    },
  });
  if (values.help === true) return 'help';
  const only = values.only ?? [...scriptNames];
  const unknown = only.find((name) => !isScriptName(name));
  if (unknown !== undefined) throw new Error(`there is no script ${unknown}; the scripts are ${scriptNames.join(', ')}`);
  const short = values.short === true;
  const passages = Number(values.passages ?? (short ? 300 : 10_000));
  if (!Number.isInteger(passages) || passages < 100) throw new Error('--passages must be a whole number of at least 100');
  return {
    scripts: scriptNames.filter((name) => only.includes(name)), short, passages, wordsOnly: values['words-only'] === true,
    sourceHost: values['source-host'] ?? '127.0.0.1', neighbour: values.neighbour ?? null, page: values.page === true,
  };
}
