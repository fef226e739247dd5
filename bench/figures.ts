import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { errorCodeOf } from '../models/error-code.ts';

/** A measured figure with its target. */
export interface Figure {
  /** What is measured, and under which conditions. */
  name: string;
  /** The measured value. */
  measured: string;
  /** The reference measured in the same run; empty if there is none. */
  against: string;
  /** The target. */
  target: string;
  /** Whether the target was met; null without one. */
  reached: boolean | null;
}

/** Options of a part of the bench. */
export interface PartOptions {
  /** Long forms instead of short ones. */
  full: boolean;
  /** Folder in which generated libraries are kept, and those that are there are used; null for a temporary one. */
  library: string | null;
}

/** A part of the bench: returns its figures, or why it cannot run here. */
export type Part = (options: PartOptions) => Promise<Figure[] | { skipped: string }>;

const resultsFile = join(import.meta.dirname, 'results.md');
const heading = `# Results of the bench

\`npm run bench\` writes this file; \`npm run bench -- <part>\` writes the named parts again. Every figure was seen on the
machine and at the time that stand above its table. A ratio compares with a bare part or a peer of the same run, because
the machine may be shared: both sides take turns, and the median of the turns counts.
`;

/** Prints a table in Markdown. */
export function printTable(title: string, columns: readonly string[], rows: readonly (readonly string[])[]): void {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
  process.stdout.write(`\n## ${title}\n\n${line(columns)}${line(columns.map(() => '---'))}${rows.map(line).join('')}`);
}

/** Rows of a Markdown table. */
export function tableOf(figures: readonly Figure[]): string {
  const rows = figures.map(({ name, measured, against, target, reached }) => [
    name,
    measured,
    against,
    target,
    reached === null ? '' : reached ? 'yes' : '**no**',
  ]);
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
  return (
    line(['figure', 'measured', 'against', 'to reach', 'reached']) +
    line(Array<string>(5).fill('---')) +
    rows.map(line).join('')
  );
}

function sectionsOf(text: string): Map<string, string> {
  return new Map(
    text
      .split(/^(?=## )/m)
      .filter((section) => section.startsWith('## '))
      .map((section) => [section.slice(3, section.indexOf('\n')), section.trimEnd()]),
  );
}

function readResults(): string {
  try {
    return readFileSync(resultsFile, 'utf8');
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return '';
    throw error;
  }
}

/** Replaces the results under a heading of the results file. @param order of all headings that it may have */
export function keep(title: string, order: readonly string[], outcome: Figure[] | { skipped: string }): void {
  const sections = sectionsOf(readResults());
  const load = loadavg()
    .map((value) => value.toFixed(1))
    .join(' ');
  const where = `${new Date().toISOString().slice(0, 16).replace('T', ' ')} UTC, ${cpus().length} cores (${cpus()[0]?.model ?? 'unknown'}), Node ${process.versions.node}, load average at the end ${load}`;
  sections.set(
    title,
    `## ${title}\n\n${where}\n\n${'skipped' in outcome ? `SKIPPED: ${outcome.skipped}\n` : tableOf(outcome)}`.trimEnd(),
  );
  const known = order.flatMap((name) => sections.get(name) ?? []);
  writeFileSync(resultsFile, `${heading}\n${known.join('\n\n')}\n`);
}
