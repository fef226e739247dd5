import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Figure, Part } from './figures.ts';
import type { BenchRequest, HttpClients } from './http-clients.ts';
import { startProgram } from './program.ts';
import { libraryEnvironment, makeLibrary, principals } from './search-library.ts';
import { median, milliseconds, percentile, ratio } from './statistics.ts';

const content = '/api/content/v1';
const searcherCount = 8;
const [totalChanges, changesPerTurn] = [100, 20];
const maxRatio = 2;

/** A file with its own principal, which is granted and revoked, and a query that finds it. */
interface GrantedFile {
  assetId: string;
  query: string;
  principal: string;
}

function searchOf(query: string, principal: string): BenchRequest {
  return {
    method: 'POST',
    path: `${content}/search`,
    body: JSON.stringify({ query, principals: [principal], limit: 10 }),
  };
}

async function found(http: HttpClients, query: string, principal: string): Promise<string[]> {
  const { items } = JSON.parse(await http.ask(searchOf(query, principal))) as { items: { assetId: string }[] };
  return items.map(({ assetId }) => assetId);
}

/**
 * Files of the library that are each the best result of a query, so that they are among its results for all readers.
 */
async function chooseFiles(http: HttpClients, queries: readonly string[], count: number): Promise<GrantedFile[]> {
  const chosen = new Map<string, GrantedFile>();
  for (const query of queries) {
    const assetId = (await found(http, query, principals['100%']))[0];
    if (assetId !== undefined && !chosen.has(assetId))
      chosen.set(assetId, { assetId, query, principal: `grant-${chosen.size}` });
    if (chosen.size === count) return [...chosen.values()];
  }
  throw new Error(`only ${chosen.size} of ${count} files are the best answer to a query`);
}

/** Times of consecutive searches of several clients until `work` is done. */
async function searchMeanwhile(
  clients: readonly HttpClients[],
  requestOf: () => BenchRequest,
  work: () => Promise<void>,
): Promise<number[]> {
  const times: number[] = [];
  let isDone = false;
  const searching = clients.map(async (client) => {
    while (!isDone) {
      const asked = performance.now();
      await client.ask(requestOf());
      times.push(performance.now() - asked);
    }
  });
  try {
    await work();
  } finally {
    isDone = true;
    await Promise.all(searching);
  }
  return times;
}

/**
 * Files are granted to a principal and revoked while clients search. Each change follows as soon as the previous one is
 * checked by a search with that principal. Turns without and with changes alternate in one program.
 */
export const part: Part = async ({ full }) => {
  const passageCount = 100_000;
  const folder = mkdtempSync(join(tmpdir(), 'ply-bench-grants-'));
  try {
    return await measure(folder, passageCount, full ? 2 * totalChanges : totalChanges);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** Measures the given number of changes in a library of the given number of passages. */
export async function measure(folder: string, passageCount: number, changes: number): Promise<Figure[]> {
  const library = await makeLibrary(folder, passageCount);
  const program = await startProgram({
    folder,
    organizationId: library.organizationId,
    environment: libraryEnvironment,
  });
  const changer = program.clients(1);
  const searchers = Array.from({ length: searcherCount }, () => program.clients(1));
  const [quiet, changing, writes, checks]: [number[], number[], number[], number[]] = [[], [], [], []];
  let [asked, wrong] = [0, 0];
  const nextSearch = (): BenchRequest =>
    searchOf(library.queries[asked++ % library.queries.length] ?? '', principals['30%']);
  const timed = async <T>(times: number[], work: () => Promise<T>): Promise<T> => {
    const began = performance.now();
    const value = await work();
    times.push(performance.now() - began);
    return value;
  };
  const change = async ({ assetId, query, principal }: GrantedFile, isGranted: boolean): Promise<void> => {
    const body = JSON.stringify({
      mode: 'restricted',
      principals: [principals['100%'], ...(isGranted ? [principal] : [])],
    });
    await timed(writes, () => changer.ask({ method: 'PUT', path: `${content}/assets/${assetId}/permissions`, body }));
    const isFound = (await timed(checks, () => found(changer, query, principal))).includes(assetId);
    if (isFound !== isGranted) wrong += 1;
  };
  try {
    const files = await chooseFiles(changer, library.queries, changesPerTurn / 2);
    await searchMeanwhile(searchers, nextSearch, () => changer.run(5, nextSearch).then(() => undefined));
    for (let done = 0; done < changes; done += changesPerTurn) {
      const began = performance.now();
      changing.push(
        ...(await searchMeanwhile(searchers, nextSearch, async () => {
          for (const file of files) for (const isGranted of [true, false]) await change(file, isGranted);
        })),
      );
      const lasted = performance.now() - began;
      quiet.push(
        ...(await searchMeanwhile(searchers, nextSearch, () => new Promise((resolve) => setTimeout(resolve, lasted)))),
      );
    }
  } finally {
    await Promise.all([changer, ...searchers].map((clients) => clients.close()));
    await program.stop();
  }
  const name = `${passageCount.toLocaleString('en')} passages, ${changes} grants changed while ${searcherCount} clients search`;
  const [during, before] = [percentile(changing, 0.95), percentile(quiet, 0.95)];
  return [
    {
      name: `${name}: p95 of a search`,
      measured: `${milliseconds(during)} = ${ratio(during / before)} (${changing.length} searches)`,
      against: `quiet: ${milliseconds(before)} (${quiet.length} searches)`,
      target: `under ${maxRatio}x`,
      reached: during < maxRatio * before,
    },
    {
      name: `${name}: changes that the next search sees`,
      measured: `${writes.length - wrong} of ${writes.length}`,
      against: '',
      target: 'all',
      reached: wrong === 0,
    },
    {
      name: `${name}: a change and the search after it, p50`,
      measured: `${milliseconds(median(writes))} and ${milliseconds(median(checks))}`,
      against: `quiet p50 of a search: ${milliseconds(median(quiet))}`,
      target: '',
      reached: null,
    },
  ];
}
