import { azurite } from './judge/azurite.ts';
import type { Judge } from './judge/judge.ts';
import { writeSection, type Page } from './judge/report.ts';
import { mint } from './judge/mint.ts';
import { readOptions, type Options, type Suite } from './judge/options.ts';
import { joinParts, partsFile } from './judge/parts.ts';
import { s3Tests } from './judge/s3-tests.ts';
import { versitygw } from './judge/versitygw.ts';

/*
 * npm run judge -- <suite> [--source <folder>] [--only <word>] [--part <number>/<of>]: starts the program, lets a suite of the
 * protocol judge one of its doors, and writes what it said into the page of the door. With --only nothing is written; mint can be
 * run in parts, of which the last one writes.
 */

const judges: { readonly [S in Suite]: { page: Page; judge: Judge } } = {
  's3-tests': { page: 's3-compatibility', judge: s3Tests },
  mint: { page: 's3-compatibility', judge: mint },
  versitygw: { page: 's3-compatibility', judge: versitygw },
  azurite: { page: 'blob-compatibility', judge: azurite },
};
/** Exit code of a program that could not run here. */
const skippedExitCode = 77;

function optionsOrExit(): Options {
  try {
    return readOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
    process.exit(2);
  }
}

const { suite, source, only, part } = optionsOrExit();
const { page, judge } = judges[suite];
const verdict = await judge({ source, only, part });
if ('skipped' in verdict) {
  process.stdout.write(`SKIPPED: ${suite}: ${verdict.skipped}\n`);
  process.exit(skippedExitCode);
}
for (const { name, outcome, reason } of verdict.cases)
  if (outcome === 'failed') process.stdout.write(`${name}: ${reason.replace(/\s+/g, ' ').slice(0, 300)}\n`);
const passed = verdict.cases.filter(({ outcome }) => outcome === 'passed').length;
process.stdout.write(`${passed} of ${verdict.cases.length} pass\n`);
for (const peer of verdict.peers ?? []) {
  const count = peer.cases.filter(({ outcome }) => outcome === 'passed').length;
  process.stdout.write(`${peer.name}: ${count} of ${peer.cases.length} pass\n`);
}
const cases = part === null ? verdict.cases : joinParts(partsFile(suite), part, verdict.cases);
if (only === null && cases !== null) writeSection(page, { ...verdict, cases }, new Date().toISOString().slice(0, 10));
