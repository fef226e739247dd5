import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Figure } from './figures.ts';
import { startProgram } from './program.ts';
import { collectionsFolder, makeRealLibrary, type RealLibrary } from './real-library.ts';
import { libraryEnvironment } from './search-library.ts';
import { compareWithWeaviate } from './search-weaviate.ts';
import { median, milliseconds, percentile, ratio } from './statistics.ts';

const path = '/api/content/v1/search';
const files = 5000;
/** Searches of a turn, turns, and searches before them. */
const [turn, turns, before] = [200, 3, 200];
const kinds = ['plain', 'missing', 'short', 'long'] as const;
type Kind = (typeof kinds)[number];
const described: Record<Kind, string> = {
  plain: 'questions',
  missing: 'the same questions with a word that the library lacks',
  short: 'queries of up to three words',
  long: 'queries of ten words and more',
};
/** A search with a missing word may take so many times as long as one without. */
const maxMissing = 2;

interface Times {
  times: number[];
  rates: number[];
}

async function measureProgram(folder: string, { organizationId, queries }: RealLibrary, clients: number) {
  const program = await startProgram({ folder, organizationId, environment: libraryEnvironment });
  const http = program.clients(clients);
  const measured: Record<Kind, Times> = {
    plain: { times: [], rates: [] },
    missing: { times: [], rates: [] },
    short: { times: [], rates: [] },
    long: { times: [], rates: [] },
  };
  const run = async (kind: Kind, count: number, from: number) =>
    http.run(count, (index) => ({
      method: 'POST',
      path,
      body: JSON.stringify({ query: queries[kind][(from + index) % queries[kind].length], limit: 10 }),
    }));
  try {
    await run('plain', before, 0);
    for (let at = 0; at < turns; at += 1) {
      for (const kind of kinds) {
        const { times, seconds } = await run(kind, turn, at * turn);
        measured[kind].times.push(...times);
        measured[kind].rates.push(turn / seconds);
      }
    }
    return measured;
  } finally {
    await http.close();
    await program.stop();
  }
}

/**
 * Searches in 5,000 real texts of one passage each, by kinds of queries that take turns, with one client and eight; and
 * beside Weaviate.
 */
export async function measureRealTexts(): Promise<Figure[]> {
  const source = collectionsFolder();
  if (source === null) {
    process.stdout.write('SKIPPED: no labelled collections beside the project for the library of real texts\n');
    return [];
  }
  const folder = mkdtempSync(join(tmpdir(), 'ply-bench-real-'));
  const figures: Figure[] = [];
  try {
    const library = await makeRealLibrary(folder, source, files);
    for (const clients of [1, 8]) {
      const measured = await measureProgram(folder, library, clients);
      const plain = median(measured.plain.times);
      for (const kind of kinds) {
        const { times, rates } = measured[kind];
        const [p50, p95] = [median(times), percentile(times, 0.95)];
        figures.push({
          name: `${library.files.toLocaleString('en')} real texts of one passage, ${described[kind]}, ${clients === 1 ? '1 client' : `${clients} clients`}: p50 and p95`,
          measured: `${milliseconds(p50)}${kind === 'missing' ? ` = ${ratio(p50 / plain)}` : ''} and ${milliseconds(p95)}, ${median(rates).toFixed(0)} answers/s`,
          against: kind === 'missing' ? `without the missing word: ${milliseconds(plain)}` : '',
          target: kind === 'missing' ? `at most ${maxMissing}x` : '',
          reached: kind === 'missing' ? p50 <= plain * maxMissing : null,
        });
      }
    }
    figures.push(...(await compareWithWeaviate(folder, library)));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return figures;
}
