import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { analyse, analyseQuery } from '../models/analyser/analyser.ts';
import { modelFolder } from '../scripts/setup/paths.mjs';
import { planQuery } from '../services/searcher/query.ts';
import { candidatesPerLeg } from '../services/searcher/retrieve.ts';
import type { Figure, Part } from './figures.ts';
import type { HttpClients } from './http-clients.ts';
import { startProgram } from './program.ts';
import { startBareParts, type BareParts, type BareSearch } from './search-bare.ts';
import { libraryEnvironment, makeLibrary, principals, type SearchLibrary } from './search-library.ts';
import { measureRealTexts } from './search-real.ts';
import { median, milliseconds, percentile, ratio } from './statistics.ts';

const path = '/api/content/v1/search';
/**
 * Searches of a turn: each query of the library once, because their costs differ. Both sides and both numbers of
 * clients take turns, because the machine may be slower for a while.
 */
const turn = 200;
/** Searches of each kind before the measurement: the engine compiles code within hundreds of requests. */
const before = 200;

function bodyOf(query: string, principal: string): string {
  return JSON.stringify({ query, principals: [principal], limit: 10 });
}

function bareSearch(query: string, principal: string): BareSearch {
  const plan = planQuery(analyseQuery(query, ['en']), [analyse(query, 'en')], true);
  return { query, terms: plan.terms, principals: [principal], limit: candidatesPerLeg };
}

/** Times of `count` bare searches with `clients` at a time: with several, the wait for a thread counts. */
async function runBare(
  bare: BareParts,
  clients: number,
  count: number,
  searchOf: (index: number) => BareSearch,
): Promise<{ times: number[]; seconds: number }> {
  const times: number[] = [];
  let next = 0;
  const began = performance.now();
  await Promise.all(
    Array.from({ length: clients }, async () => {
      for (let index = next++; index < count; index = next++) {
        const asked = performance.now();
        const own = await bare.search(searchOf(index));
        times.push(clients === 1 ? own : performance.now() - asked);
      }
    }),
  );
  return { times, seconds: (performance.now() - began) / 1000 };
}

function queryOf({ queries }: SearchLibrary): (index: number) => string {
  return (index) => queries[index % queries.length] ?? '';
}

/** Warms up both sides: compiled code and caches. */
async function warmUp(http: HttpClients, bare: BareParts, clients: number, library: SearchLibrary): Promise<void> {
  const queryAt = queryOf(library);
  for (const principal of Object.values(principals)) {
    await http.run(before, (index) => ({ method: 'POST', path, body: bodyOf(queryAt(index), principal) }));
    await runBare(bare, clients, before, (index) => bareSearch(queryAt(index), principal));
  }
}

interface Side {
  times: number[];
  rates: number[];
}

interface Compared {
  ours: Side;
  bare: Side;
}

/** Number of concurrent clients. */
interface Clients {
  count: number;
  http: HttpClients;
}

/** Measures both sides with each number of clients. */
async function compare(
  clients: readonly Clients[],
  bare: BareParts,
  turns: number,
  library: SearchLibrary,
  principal: string,
): Promise<Compared[]> {
  const compared = clients.map((): Compared => ({ ours: { times: [], rates: [] }, bare: { times: [], rates: [] } }));
  const queryAt = queryOf(library);
  for (let at = 0; at <= turns; at++) {
    for (const [index, { count, http }] of clients.entries()) {
      const ours = await http.run(turn, (index) => ({ method: 'POST', path, body: bodyOf(queryAt(index), principal) }));
      const theirs = await runBare(bare, count, turn, (index) => bareSearch(queryAt(index), principal));
      const sides = compared[index];
      // The first turn fills caches on both sides.
      if (at === 0 || sides === undefined) continue;
      sides.ours.times.push(...ours.times);
      sides.bare.times.push(...theirs.times);
      sides.ours.rates.push(turn / ours.seconds);
      sides.bare.rates.push(turn / theirs.seconds);
    }
  }
  return compared;
}

function latencyFigures(name: string, { ours, bare }: Compared): Figure[] {
  return (
    [
      [0.5, 1.3],
      [0.95, 2.5],
    ] as const
  ).map(([share, limit]): Figure => {
    const [own, parts] = [percentile(ours.times, share), percentile(bare.times, share)];
    return {
      name: `${name}: p${share * 100}`,
      measured: `${milliseconds(own)} = ${ratio(own / parts)}`,
      against: `its bare parts: ${milliseconds(parts)}`,
      target: `at most ${limit}x`,
      reached: own / parts <= limit,
    };
  });
}

async function measureLibrary(passageCount: number, turns: number): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'ply-bench-search-'));
  const cores = availableParallelism();
  const figures: Figure[] = [];
  try {
    const library = await makeLibrary(folder, passageCount);
    const program = await startProgram({
      folder,
      organizationId: library.organizationId,
      environment: libraryEnvironment,
    });
    const bare = await startBareParts(
      {
        modelFolder,
        passages: join(folder, 'passages.db'),
        organizationId: library.organizationId,
        embeddingModel: library.embeddingModel,
      },
      cores,
    );
    const [one, eight] = [program.clients(1), program.clients(8)];
    try {
      const found = JSON.parse(
        await one.ask({ method: 'POST', path, body: bodyOf(library.queries[0] ?? '', principals['100%']) }),
      ) as { items: unknown[] };
      if (found.items.length === 0) throw new Error('the library does not answer its own queries');
      await warmUp(eight, bare, 8, library);
      for (const [share, principal] of Object.entries(principals)) {
        const name = `${passageCount.toLocaleString('en')} passages, principals see ${share}`;
        const [single, several] = await compare(
          [
            { count: 1, http: one },
            { count: 8, http: eight },
          ],
          bare,
          turns,
          library,
          principal,
        );
        if (single === undefined || several === undefined) throw new Error('one client and several were not compared');
        figures.push(...latencyFigures(`${name}, 1 client`, single), ...latencyFigures(`${name}, 8 clients`, several));
        const [rateOne, rateEight] = [median(single.ours.rates), median(several.ours.rates)];
        figures.push({
          name: `${name}: answers a second, 8 clients`,
          measured: `${rateEight.toFixed(0)} = ${ratio(rateEight / rateOne)}`,
          against: `1 client: ${rateOne.toFixed(0)}; bare parts: ${median(several.bare.rates).toFixed(0)} (${ratio(median(several.bare.rates) / median(single.bare.rates))} of 1 client)`,
          target: '',
          reached: null,
        });
      }
    } finally {
      await Promise.all([one.close(), eight.close(), bare.close(), program.stop()]);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return figures;
}

/**
 * Searches over HTTP compared with their bare parts: the embedding of the query and the two legs of the index,
 * with files and permissions as in the program. The program compares codes of vectors in memory, so it may be faster
 * than its bare parts; the 200 queries repeat, so most pages are cached. Both sides are measured warm, in turns.
 */
export const part: Part = async ({ full }) => [
  ...(await measureLibrary(10_000, full ? 10 : 5)),
  ...(await measureLibrary(100_000, full ? 6 : 3)),
  ...(await measureRealTexts()),
];
