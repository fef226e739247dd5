import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../setup/paths.mjs';
import type { Installation } from './installation.ts';
import { k6Version, scriptNames, scriptsFolder } from './k6.ts';
import { usualPassages, type LoadOptions } from './options.ts';
import { tableOf, type Row } from './rows.ts';

/** Results of one part of a run: the filling, or a script. */
export interface Section {
  /** When, on what machine, over how many passages. */
  where: string;
  rows: Row[];
  /** Figures that the sizing uses, by name. */
  figures: { [name: string]: number };
}

/** Parts by name. */
export type Results = { [part: string]: Section };

/** Name of the part that is not a script. */
export const filling = 'filling';

const resultsFile = join(scriptsFolder, 'results.json');
/** The page that shows the results. */
export const pageFile = join(projectRoot, 'docs/capacity.md');

/** Results of earlier runs; empty if none are stored. */
export function readResults(): Results {
  return existsSync(resultsFile) ? (JSON.parse(readFileSync(resultsFile, 'utf8')) as Results) : {};
}

/**
 * Results in which those of a part are replaced. Of a library smaller than the usual one the table alone is: what the sizing
 * uses belongs together, and stays that of the last usual library.
 */
export function withSection(
  results: Results,
  part: string,
  section: Section,
  { passages }: Pick<LoadOptions, 'passages'>,
): Results {
  if (passages >= usualPassages) return { ...results, [part]: section };
  return part === filling ? results : { ...results, [part]: { ...section, figures: results[part]?.figures ?? {} } };
}

/** Stores the results of a part. @param options of the run */
export function storeSection(part: string, section: Section, options: Pick<LoadOptions, 'passages'>): void {
  writeFileSync(resultsFile, `${JSON.stringify(withSection(readResults(), part, section, options), null, 2)}\n`);
}

/** When, on which machine and on which installation something was measured. */
export function whereNow(
  { description }: Pick<Installation, 'description'>,
  { passages }: Pick<LoadOptions, 'passages'>,
): string {
  const load = loadavg()
    .map((value) => value.toFixed(1))
    .join(' ');
  return `${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC, ${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}), Node ${process.versions.node}, k6 ${k6Version}, load average at the end ${load}. ${description}, filled with about ${passages.toLocaleString('en')} passages`;
}

/** All parts with a heading each, in the order of a run. */
export function resultsText(results: Results): string {
  const sections = [filling, ...scriptNames].map((part) => {
    const section = results[part];
    return `### ${part}\n\n${section === undefined ? 'Not measured yet: `npm run load` fills this in.\n' : `${section.where}\n\n${tableOf(section.rows)}`}`;
  });
  return sections.join('\n');
}

/**
 * Puts a text between the two markers of a name, `<!-- name: begin -->` and `<!-- name: end -->`, in a page.
 * @throws if the page has no such markers
 */
export function between(page: string, name: string, text: string): string {
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`the page has no markers for ${name}: ${begin} ... ${end}`);
  return `${page.slice(0, from + begin.length)}\n\n${text.trim()}\n\n${page.slice(to)}`;
}
