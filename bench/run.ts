import type { Figure, Part, PartOptions } from './figures.ts';
import { keep, tableOf } from './figures.ts';

/*
 * npm run bench [-- [--full] [--library=folder] part...]: measures the named parts (all of them without a name), prints a
 * table and writes bench/results.md. --full measures the long forms, which have headings of their own there, and the parts
 * that are long in every form; without it those are measured only by their names. --library names a folder in which the
 * part "million" keeps what it searches, and takes what is there: laying a million passages down takes longer than measuring
 * them.
 */

const parts: { readonly [name: string]: () => Promise<{ part: Part }> } = {
  search: () => import('./search.ts'),
  answers: () => import('./answers.ts'),
  tuning: () => import('./tuning.ts'),
  grants: () => import('./grants.ts'),
  million: () => import('./million.ts'),
  analytics: () => import('./analytics.ts'),
  'traffic-analytics': () => import('./traffic-analytics.ts'),
  ledger: () => import('./ledger.ts'),
  indexing: () => import('./indexing.ts'),
  registration: () => import('./registration.ts'),
  delivery: () => import('./delivery.ts'),
  uploads: () => import('./uploads.ts'),
  listing: () => import('./listing.ts'),
  'slow-readers': () => import('./slow-readers.ts'),
  edges: () => import('./edges.ts'),
  video: () => import('./video.ts'),
  encoders: () => import('./encoders.ts'),
  doors: () => import('./doors.ts'),
  webhooks: () => import('./webhooks.ts'),
  jobs: () => import('./jobs.ts'),
  sync: () => import('./sync.ts'),
  'sync-million': () => import('./sync-million.ts'),
  extraction: () => import('./extraction.ts'),
  slides: () => import('./slides.ts'),
  speech: () => import('./speech.ts'),
  recording: () => import('./recording.ts'),
  hostile: () => import('./hostile.ts'),
  start: () => import('./start.ts'),
  cluster: () => import('./cluster.ts'),
};
const names = Object.keys(parts);
/** The heading of a part in the results file: its long form stands beside the short one. */
const headingOf = (name: string, isLong: boolean): string => (isLong ? `${name}, long form` : name);
/** Slow parts, which are measured with --full or by name only. */
const longParts = new Set(['million', 'sync-million', 'ledger', 'encoders']);

async function measure(name: string, options: PartOptions): Promise<Figure[]> {
  const load = parts[name];
  if (load === undefined) throw new Error(`there is no part ${name}; the parts are ${names.join(', ')} and extract`);
  process.stdout.write(`\n## ${name}\n\n`);
  const outcome = await (await load()).part(options);
  const headings = names.flatMap((each) => [headingOf(each, false), headingOf(each, true)]);
  keep(headingOf(name, options.full), headings, outcome);
  process.stdout.write('skipped' in outcome ? `SKIPPED: ${outcome.skipped}\n` : tableOf(outcome));
  return 'skipped' in outcome ? [] : outcome;
}

const words = process.argv.slice(2);
const chosen = words.filter((word) => !word.startsWith('--'));
const full = words.includes('--full');
const option = '--library=';
const library = words.find((word) => word.startsWith(option))?.slice(option.length) ?? null;
const unknown = chosen.find((name) => name !== 'extract' && !names.includes(name));
if (unknown !== undefined) {
  process.stderr.write(`There is no part ${unknown}. The parts are ${names.join(', ')} and extract.\n`);
  process.exit(2);
}
const figures: Figure[] = [];
for (const name of chosen.length === 0 ? names.filter((each) => full || !longParts.has(each)) : chosen) {
  // Rates of the format readers: a table without targets.
  if (name === 'extract') await import('./extract.ts');
  else figures.push(...(await measure(name, { full, library })));
}
const missed = figures.filter((figure) => figure.reached === false).length;
process.stdout.write(`\n${figures.length} figures, ${missed} of them missed.\n`);
