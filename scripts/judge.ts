import { azurite } from './judge/azurite.ts';
import type { Judge } from './judge/judge.ts';
import { writeSection, type Page } from './judge/report.ts';
import { mint } from './judge/mint.ts';
import { joinParts, partsFile, readPart } from './judge/parts.ts';
import { s3Tests } from './judge/s3-tests.ts';
import { versitygw } from './judge/versitygw.ts';

/*
 * npm run judge -- <suite> [--source <folder>] [--only <word>] [--part <number>/<of>]: starts the program, lets a suite of the
 * protocol judge one of its doors, and writes what it said into the page of the door. With --only nothing is written; mint can be
 * run in parts, of which the last one writes.
 */

const judges: { readonly [name: string]: { page: Page; judge: Judge } } = {
  's3-tests': { page: 's3-compatibility', judge: s3Tests },
  mint: { page: 's3-compatibility', judge: mint },
  versitygw: { page: 's3-compatibility', judge: versitygw },
  azurite: { page: 'blob-compatibility', judge: azurite },
};
/** Exit code of a program that could not run here. */
const skippedExitCode = 77;

/** The only suite that can be run in parts. */
const inParts = 'mint';

const words = process.argv.slice(2);
const optionOf = (name: string): string | null => {
  const at = words.indexOf(`--${name}`);
  return at < 0 ? null : (words[at + 1] ?? null);
};
const chosen = judges[words[0] ?? ''];
if (chosen === undefined) {
  process.stderr.write(`Name a suite: ${Object.keys(judges).join(', ')}.\n`);
  process.exit(2);
}
const only = optionOf('only');
const partText = optionOf('part');
if (partText !== null && words[0] !== inParts) {
  process.stderr.write(`Only ${inParts} can be run in parts.\n`);
  process.exit(2);
}
const part = partText === null ? null : readPart(partText);
const verdict = await chosen.judge({ source: optionOf('source'), only, part });
if ('skipped' in verdict) {
  process.stdout.write(`SKIPPED: ${words[0] ?? ''}: ${verdict.skipped}\n`);
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
const cases = part === null ? verdict.cases : joinParts(partsFile(words[0] ?? ''), part, verdict.cases);
if (only === null && cases !== null)
  writeSection(chosen.page, { ...verdict, cases }, new Date().toISOString().slice(0, 10));
