import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Figure, Part } from './figures.ts';
import type { HttpClients } from './http-clients.ts';
import { startProgram } from './program.ts';
import { libraryEnvironment, makeLibrary, principals } from './search-library.ts';
import { median, milliseconds, ratio } from './statistics.ts';

const content = '/api/content/v1';
const passageCount = 100_000;
/** Number of requests in a turn. */
const turn = 20;

type Request = Parameters<HttpClients['ask']>[0];

interface Sides {
  search: number[];
  answer: number[];
  related: number[];
}

async function timesOf(http: HttpClients, requests: readonly Request[]): Promise<number[]> {
  const none: Request = { method: 'GET', path: content };
  return (await http.run(requests.length, (index) => requests[index] ?? none)).times;
}

/** The same queries and matching files for both sides, in turns, so that both see the same state of the machine. */
async function compare(
  http: HttpClients,
  turns: number,
  bodies: readonly string[],
  assetIds: readonly string[],
): Promise<Sides> {
  const sides: Sides = { search: [], answer: [], related: [] };
  for (let at = 0; at <= turns; at += 1) {
    const positions = Array.from({ length: turn }, (_, index) => at * turn + index);
    const posted = (path: string): Request[] =>
      positions.map((index) => ({
        method: 'POST',
        path: `${content}/${path}`,
        body: bodies[index % bodies.length] ?? '',
      }));
    const asked = positions.map((index): Request => ({
      method: 'GET',
      path: `${content}/assets/${assetIds[index % assetIds.length] ?? ''}/related?principals=${principals['100%']}`,
    }));
    const [search, answer, related] = [
      await timesOf(http, posted('search')),
      await timesOf(http, posted('answer')),
      await timesOf(http, asked),
    ];
    // The first turn fills caches.
    if (at === 0) continue;
    sides.search.push(...search);
    sides.answer.push(...answer);
    sides.related.push(...related);
  }
  return sides;
}

function figure(name: string, times: readonly number[], search: readonly number[], most: number): Figure {
  const [own, plain] = [median(times), median(search)];
  return {
    name: `${passageCount.toLocaleString('en')} passages, ${name}: p50`,
    measured: `${milliseconds(own)} = ${ratio(own / plain)}`,
    against: `a search: ${milliseconds(plain)}`,
    target: `at most ${most}x`,
    reached: own / plain <= most,
  };
}

/** Quoting answers and related files compared with searches, over HTTP, with one client. */
export const part: Part = async ({ full }) => {
  const folder = mkdtempSync(join(tmpdir(), 'ply-bench-answers-'));
  try {
    const library = await makeLibrary(folder, passageCount);
    const program = await startProgram({
      folder,
      organizationId: library.organizationId,
      environment: libraryEnvironment,
    });
    const http = program.clients(1);
    try {
      const bodies = library.queries.map((query) => JSON.stringify({ query, principals: [principals['100%']] }));
      const ask = async <T>(path: string, body: string): Promise<T> =>
        JSON.parse(await http.ask({ method: 'POST', path: `${content}/${path}`, body })) as T;
      const assetIds = new Set<string>();
      let written = 0;
      for (const body of bodies.slice(0, turn)) {
        for (const { assetId } of (await ask<{ items: { assetId: string }[] }>('search', body)).items)
          assetIds.add(assetId);
        if ((await ask<{ answer: string | null }>('answer', body)).answer !== null) written += 1;
      }
      if (assetIds.size === 0 || written < turn / 2)
        throw new Error(`the library answers ${written} of ${turn} of its own queries`);
      const { search, answer, related } = await compare(http, full ? 10 : 4, bodies, [...assetIds]);
      return [figure('a quoting answer', answer, search, 1.3), figure('related files', related, search, 2)];
    } finally {
      await Promise.all([http.close(), program.stop()]);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
