import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../setup/places.mjs';
import type { Installation } from './installation.ts';
import { k6Version, scriptNames, scriptsFolder } from './k6.ts';
import type { LoadOptions } from './options.ts';
import { tableOf, type Row } from './rows.ts';

/** What one part of a run told: the filling, or a script. */
export interface Section {
  /** When, on what machine, over how many passages. */
  where: string;
  rows: Row[];
  /** Figures that the sizing is checked against, by name. */
  figures: { [name: string]: number };
}

/** Parts by name. */
export type Results = { [part: string]: Section };

/** The part that is not a script. */
export const filling = 'filling';

const resultsFile = join(scriptsFolder, 'results.json');
/** The page that shows the results. */
export const pageFile = join(projectRoot, 'docs/capacity.md');

/** What earlier runs told; nothing where none was kept. */
export function readResults(): Results {
  return existsSync(resultsFile) ? (JSON.parse(readFileSync(resultsFile, 'utf8')) as Results) : {};
}

/** Keeps what a part told in the place of what it told before. */
export function keepSection(part: string, section: Section): void {
  writeFileSync(resultsFile, `${JSON.stringify({ ...readResults(), [part]: section }, null, 2)}\n`);
}

/** When, on what machine, and on what installation something was measured. */
export function whereNow({ description }: Pick<Installation, 'description'>, { passages }: Pick<LoadOptions, 'passages'>): string {
  const load = loadavg().map((value) => value.toFixed(1)).join(' ');
  return `${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC, ${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}), Node ${process.versions.node}, k6 ${k6Version}, load average at the end ${load}. ${description}, filled with about ${passages.toLocaleString('en')} passages`;
}

/** All parts, each under a heading, in the order in which they run. */
export function resultsText(results: Results): string {
  const sections = [filling, ...scriptNames].map((part) => {
    const section = results[part];
    return `### ${part}\n\n${section === undefined ? 'Not measured yet: `npm run load` fills this in.\n' : `${section.where}\n\n${tableOf(section.rows)}`}`;
  });
  return sections.join('\n');
}

/**
 * Puts a text between the two marks of a name, `<!-- name: begin -->` and `<!-- name: end -->`, in a page.
 * @throws where the page has no such marks
 */
export function between(page: string, name: string, text: string): string {
  const [begin, end] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`the page has no place for ${name}: ${begin} ... ${end}`);
  return `${page.slice(0, from + begin.length)}\n\n${text.trim()}\n\n${page.slice(to)}`;
}
