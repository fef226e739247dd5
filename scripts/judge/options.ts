import { parseArgs } from 'node:util';
import type { JudgeOptions } from './judge.ts';
import { readPart } from './parts.ts';

const suites = ['s3-tests', 'mint', 'versitygw', 'azurite'] as const;

/** The name of a suite on the command line. */
export type Suite = (typeof suites)[number];

/** What the command line asks for. */
export interface Options extends JudgeOptions {
  suite: Suite;
}

/** The only suite that can be run in parts. */
const inParts: Suite = 'mint';

/** Parses the command line of `npm run judge`. @throws Error with a message for the caller if it is not valid */
export function readOptions(words: readonly string[]): Options {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    args: [...words],
    options: { source: { type: 'string' }, only: { type: 'string' }, part: { type: 'string' } },
  });
  const suite = suites.find((name) => name === positionals[0]);
  if (suite === undefined || positionals.length > 1) throw new Error(`name a suite: ${suites.join(', ')}`);
  const { source = null, only = null, part = null } = values;
  if (part !== null && suite !== inParts) throw new Error(`only ${inParts} can be run in parts`);
  // Parts are joined to a whole section, which a selection is not.
  if (part !== null && only !== null) throw new Error('--part and --only cannot be combined');
  return { suite, source, only, part: part === null ? null : readPart(part) };
}
