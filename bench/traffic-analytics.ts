import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dayText } from '../models/calendar-day.ts';
import type { Figure, Part } from './figures.ts';
import { makeTraffic } from './generated-traffic.ts';
import { startProgram } from './program.ts';
import { milliseconds } from './statistics.ts';

const content = '/api/content/v1';
const requests = 10_000_000;
const maxMs = 300;
const repetitions = 7;

/** Reads of 30 days of traffic over ten million requests, from totals, by the running program. */
export const part: Part = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'ply-bench-traffic-'));
  try {
    const organizationId = randomUUID();
    const made = await makeTraffic(folder, organizationId, requests);
    const program = await startProgram({ folder, organizationId });
    const http = program.administrator();
    try {
      const month = `from=${dayText(made.from)}&to=${dayText(made.to)}`;
      const fortnight = `from=${dayText(made.to - 13)}&to=${dayText(made.to)}`;
      const reads = [
        ['delivery analytics of 30 days', `delivery/analytics?${month}`],
        ['traffic of 30 days, by day', `analytics/delivery?${month}`],
        ['traffic of 14 days, by hour', `analytics/delivery?${fortnight}`],
        ['traffic of 30 days, 10 of 20 buckets', `analytics/delivery?${month}&groupBy=bucket`],
        ['traffic of 30 days, 10 of 200 values', `analytics/delivery?${month}&dimension=course`],
        ['breakdown of a month by bucket', `analytics/delivery/breakdown?month=${dayText(made.to).slice(0, 7)}`],
        ['usage of resources of 30 days, 500 rows', `usage/resources?${month}`],
      ] as const;
      const figures: Figure[] = [];
      for (const [name, path] of reads) {
        const { times } = await http.run(repetitions, () => ({ method: 'GET', path: `${content}/${path}` }));
        const longest = Math.max(...times);
        figures.push({
          name: `${made.requests.toLocaleString('en')} requests, ${made.buckets} buckets: ${name}, longest of ${repetitions}`,
          measured: milliseconds(longest),
          against: '',
          target: `below ${maxMs} ms`,
          reached: longest < maxMs,
        });
      }
      const answer = JSON.parse(await http.ask({ method: 'GET', path: `${content}/analytics/delivery?${month}` })) as {
        totals: { bytes: number; requests: number };
      };
      const { bytes } = answer.totals;
      figures.push({
        name: 'bytes of the totals',
        measured: bytes.toLocaleString('en'),
        against: made.bytes.toLocaleString('en'),
        target: 'equal',
        reached: bytes === made.bytes && answer.totals.requests === made.requests,
      });
      return figures;
    } finally {
      await http.close();
      await program.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
