import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { openSqliteRecords } from '../adapters/records/sqlite/records.ts';
import { collections } from '../app/collections.ts';
import { Metrics } from '../mixins/metrics.ts';
import { systemRuntime } from '../models/runtime.ts';
import { openSearchLog } from '../services/searcher/log/search-log.ts';
import type { Figure, Part } from './figures.ts';
import type { HttpClients } from './http-clients.ts';
import { startProgram } from './program.ts';
import { makeSearchLog, type Spread } from './generated-search-log.ts';
import { drawText, englishWords, randomNumbers } from './vocabulary.ts';
import { milliseconds, percentile } from './statistics.ts';

const content = '/api/content/v1';
const searches = 1_000_000;
const maxSuggestMs = 15;
const maxAnalyticsMs = 1000;

async function suggestFigures(http: HttpClients, name: string, prefixes: readonly string[]): Promise<Figure[]> {
  const pathOf = (prefix: string): string => `${content}/suggest?prefix=${encodeURIComponent(prefix)}`;
  await http.run(50, (index) => ({ method: 'GET', path: pathOf(prefixes[index] ?? 'th') }));
  const { times } = await http.run(prefixes.length, (index) => ({
    method: 'GET',
    path: pathOf(prefixes[index] ?? 'th'),
  }));
  const p95 = percentile(times, 0.95);
  return [
    {
      name: `${name}: suggest, p50`,
      measured: milliseconds(percentile(times, 0.5)),
      against: '',
      target: '',
      reached: null,
    },
    {
      name: `${name}: suggest, p95`,
      measured: milliseconds(p95),
      against: '',
      target: `below ${maxSuggestMs} ms`,
      reached: p95 < maxSuggestMs,
    },
  ];
}

async function analyticsFigures(http: HttpClients, name: string): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const [days, limit] of [
    [1, 200],
    [7, 200],
    [30, 25],
    [90, 200],
    [365, 200],
  ] as const) {
    const { times } = await http.run(7, () => ({
      method: 'GET',
      path: `${content}/analytics/searches?days=${days}&limit=${limit}`,
    }));
    const longest = Math.max(...times);
    figures.push({
      name: `${name}: analytics of ${days} days, ${limit} queries, longest of 7`,
      measured: milliseconds(longest),
      against: '',
      target: `below ${maxAnalyticsMs} ms`,
      reached: longest < maxAnalyticsMs,
    });
  }
  return figures;
}

async function measureLog(spread: Spread): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), 'ply-bench-analytics-'));
  try {
    const organizationId = randomUUID();
    const log = await makeSearchLog(folder, organizationId, searches, spread);
    const program = await startProgram({ folder, organizationId });
    const http = program.clients(1);
    try {
      const name = `${searches.toLocaleString('en')} searches, ${log.queries.toLocaleString('en')} queries ${spread}`;
      return [...(await suggestFigures(http, name, log.prefixes)), ...(await analyticsFigures(http, name))];
    } finally {
      await http.close();
      await program.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** CPU time of logging a search: all threads of the process, including the store's. */
async function loggingFigure(): Promise<Figure> {
  const folder = mkdtempSync(join(tmpdir(), 'ply-bench-logging-'));
  const records = await openSqliteRecords({ folder, runtime: systemRuntime });
  try {
    await records.prepare(collections);
    const log = openSearchLog({
      runtime: systemRuntime,
      records,
      log: pino({ level: 'silent' }),
      metrics: new Metrics(),
    });
    const random = randomNumbers(1);
    const words = englishWords();
    const organizationId = randomUUID();
    const count = 10_000;
    const queries = Array.from({ length: count }, () => drawText(words, 1 + Math.floor(random() * 3), random));
    const before = process.cpuUsage();
    for (let start = 0; start < count; start += 100) {
      for (const query of queries.slice(start, start + 100))
        log.logSearch({
          organizationId,
          accountId: organizationId,
          kind: 'search',
          query,
          principals: random() < 0.3 ? ['a', 'b'] : null,
          results: 3,
          milliseconds: 12,
        });
      await log.flush();
    }
    const { user, system } = process.cpuUsage(before);
    await log.stop(1000);
    const each = (user + system) / 1000 / count;
    return {
      name: 'logging a search, batches of 100: processor time of all threads',
      measured: milliseconds(each),
      against: '',
      target: 'at most 1 ms',
      reached: each <= 1,
    };
  } finally {
    await records.close();
    await rm(folder, { recursive: true, force: true });
  }
}

/** Suggestions and analytics over HTTP with a log of a million searches, and the cost of logging a search. */
export const part: Part = async ({ full }) => [
  await loggingFigure(),
  ...(await measureLog('as in language')),
  ...(full ? await measureLog('all alike rare') : []),
];
