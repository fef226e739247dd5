import type { Figure } from './figures.ts';
import type { HttpClients } from './http-clients.ts';
import type { MillionLibrary } from './million-library.ts';
import { canMeasureProcesses, treeMemory } from './process-figures.ts';
import { startProgram } from './program.ts';
import { libraryEnvironment, principals } from './search-library.ts';
import { median, milliseconds, percentile, ratio } from './statistics.ts';

const path = '/api/content/v1/search';
/** Number of measured searches of one client and of several, and of those before them that fill the caches. */
const [searches, searchesOfSeveral, warmUp] = [100, 160, 20];
/** Number of concurrent clients besides one. */
const several = 8;
/** Results of a search. */
const limit = 10;
/** A search with a missing word may take so many times as long as one without. */
const maxMissing = 2;
const largest = 1_000_000;
/** Milliseconds of the first search after a start in the largest library, and memory in MB after all. */
const [maxFirst, maxMemory] = [1500, 1000];
/** Milliseconds to reach, by passages, share of permitted ones and clients. */
const targets: { readonly [of: string]: { p50?: number; p95?: number } } = {
  '100000 100% 1': { p50: 20 },
  '1000000 100% 1': { p50: 100, p95: 250 },
  '1000000 1% 1': { p50: 60, p95: 150 },
  '1000000 100% 8': { p95: 1000 },
};

/** A number with separators of thousands. */
export const counted = (passages: number): string => passages.toLocaleString('en');

type Share = keyof typeof principals;

function request(query: string, share: Share) {
  const body = JSON.stringify({ query, principals: [principals[share]], limit });
  return { method: 'POST', path, body } as const;
}

/** Results of a search, in a form that can be compared. */
function resultsOf(answer: string): string[] {
  const { items } = JSON.parse(answer) as { items: { assetId: string; location: unknown }[] };
  return items.map(({ assetId, location }) => JSON.stringify([assetId, location]));
}

/** The latencies of searches in a library of so many passages. */
function latencies(
  passages: number,
  share: Share,
  clients: number,
  { times, seconds }: { times: readonly number[]; seconds: number },
): Figure {
  const [p50, p95] = [percentile(times, 0.5), percentile(times, 0.95)];
  const target = targets[`${passages} ${share} ${clients}`];
  const bounds = [
    ...(target?.p50 === undefined ? [] : [{ text: `p50 at most ${target.p50} ms`, isMet: p50 <= target.p50 }]),
    ...(target?.p95 === undefined ? [] : [{ text: `p95 at most ${target.p95} ms`, isMet: p95 <= target.p95 }]),
  ];
  return {
    name: `${counted(passages)} passages, principals see ${share}, ${clients === 1 ? '1 client' : `${clients} clients`}: p50 and p95`,
    measured: `${milliseconds(p50)} and ${milliseconds(p95)}, ${(times.length / seconds).toFixed(0)} answers/s`,
    against: '',
    target: bounds.map(({ text }) => text).join(', '),
    reached: bounds.length === 0 ? null : bounds.every(({ isMet }) => isMet),
  };
}

/** Searches for the same with and without a word that the library lacks, in turns. */
async function missingWords(http: HttpClients, { passages, mistyped }: MillionLibrary): Promise<Figure> {
  const times: Record<'query' | 'missing', number[]> = { query: [], missing: [] };
  for (const each of mistyped.slice(0, searches)) {
    for (const kind of ['query', 'missing'] as const) {
      const { times: own } = await http.run(1, () => request(each[kind], '100%'));
      times[kind].push(...own);
    }
  }
  const [plain, missing] = [median(times.query), median(times.missing)];
  return {
    name: `${counted(passages)} passages, a word that the library lacks, principals see 100%, 1 client: p50 and p95`,
    measured: `${milliseconds(missing)} = ${ratio(missing / plain)} and ${milliseconds(percentile(times.missing, 0.95))}`,
    against: `without the missing word: ${milliseconds(plain)} and ${milliseconds(percentile(times.query, 0.95))}`,
    target: `p50 at most ${maxMissing}x`,
    reached: missing <= plain * maxMissing,
  };
}

/** The memory of the program and its processes; none where it cannot be measured. */
function memory(name: string, pid: number, max: number | null): Figure[] {
  if (!canMeasureProcesses()) return [];
  const { own, all } = treeMemory(pid);
  return [
    {
      name,
      measured: `${own.toFixed(0)} MB, with mapped pages of files ${all.toFixed(0)} MB`,
      against: '',
      target: max === null ? '' : `at most ${max} MB`,
      reached: max === null ? null : own <= max,
    },
  ];
}

/**
 * Starts a program over a library and measures its first search, then searches of one client and several for principals
 * that see 100, 30 and 1 percent, and its memory.
 */
export async function measureSearches(library: MillionLibrary): Promise<{ figures: Figure[]; p95: number }> {
  const { folder, passages, organizationId, key, queries } = library;
  const program = await startProgram({ folder, organizationId, key, environment: libraryEnvironment });
  const [http, many] = [program.clients(1), program.clients(several)];
  const figures: Figure[] = [];
  const name = `${counted(passages)} passages`;
  let p95 = Number.NaN;
  const queryAt = (index: number): string => queries[index % queries.length] ?? '';
  try {
    const began = performance.now();
    const first = await http.ask(request(queryAt(0), '100%'));
    const elapsed = performance.now() - began;
    for (const share of ['100%', '30%', '1%'] as const) {
      await http.run(warmUp, (index) => request(queryAt(index), share));
      const alone = await http.run(searches, (index) => request(queryAt(index + warmUp), share));
      const together = await many.run(searchesOfSeveral, (index) => request(queryAt(index + warmUp), share));
      if (share === '100%') {
        p95 = percentile(alone.times, 0.95);
        const later = resultsOf(await http.ask(request(queryAt(0), share)));
        if (later.length === 0) throw new Error('the library does not answer its own queries');
        const found = new Set(resultsOf(first));
        figures.push({
          name: `${name}, principals see 100%: the first search after a start that took ${(program.startMs / 1000).toFixed(1)} s`,
          measured: milliseconds(elapsed),
          against: `${later.filter((each) => found.has(each)).length} of ${later.length} results are those of a later one`,
          target: passages === largest ? `under ${maxFirst} ms` : '',
          reached: passages === largest ? elapsed < maxFirst : null,
        });
      }
      figures.push(latencies(passages, share, 1, alone), latencies(passages, share, several, together));
    }
    figures.push(await missingWords(http, library));
    figures.push(
      ...memory(`${name}: memory of the whole program after it`, program.pid, passages === largest ? maxMemory : null),
    );
  } finally {
    await Promise.all([http.close(), many.close()]);
    await program.stop();
  }
  return { figures, p95 };
}
