import { mkdtempSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BoostRule, SynonymRule } from '../models/tuning.ts';
import type { Figure, Part } from './figures.ts';
import type { BenchRequest } from './http-clients.ts';
import { startProgram } from './program.ts';
import { treeCpuSeconds, canMeasureProcesses } from './process-figures.ts';
import { libraryEnvironment, makeLibrary, principals } from './search-library.ts';
import { median, milliseconds, ratio } from './statistics.ts';
import { drawText, englishWords, randomNumbers } from './vocabulary.ts';

const path = '/api/content/v1/search';
const turn = 30;
const maxRatio = 1.5;
const [termCount, boostCount, principalCount] = [500, 20, 1000];

/**
 * 500 terms: the words of the queries first, then other words. In a `usual` dictionary each expands to one phrase and
 * one word of the library, and 18 words that the library does not contain. In the worst case, `known`, all expansions
 * are words of the library, from frequent to rare.
 */
function dictionaryOf(queries: readonly string[], kind: 'usual' | 'known', random: () => number): SynonymRule[] {
  const words = englishWords();
  const terms = [...new Set([...queries.flatMap((query) => query.split(' ')), ...words])]
    .filter((word) => /^[a-z]+$/.test(word))
    .slice(0, termCount);
  return terms.map((term, at) => ({
    term,
    expansions:
      kind === 'known'
        ? [...new Set(Array.from({ length: 20 }, () => drawText(words.slice(500), 1, random)))]
        : [
            words[1500 + at] ?? `word${at}`,
            drawText(words.slice(500), 2, random),
            ...Array.from({ length: 18 }, (_, index) => `absent${at}x${index}`),
          ],
  }));
}

function boosts(): BoostRule[] {
  return Array.from({ length: boostCount }, (_, at) => ({
    name: `boost-${at}`,
    match: { metadata: { year: [2000 + at, 2001 + at], department: ['sales', 'research', 'support'][at % 3] ?? '' } },
    factor: at % 2 === 0 ? 1.1 : 0.9,
  }));
}

interface Side {
  request: (index: number) => BenchRequest;
  times: number[];
  cpu: number;
}

interface Variant {
  name: string;
  /** Its dictionary; null for a search without tuning. */
  tuned: 'usual' | 'known' | null;
  principals: readonly string[];
  /** Maximum ratio to a plain search; null if it is only reported. */
  most: number | null;
}

const variants: readonly Variant[] = [
  { name: 'plain', tuned: null, principals: [principals['30%']], most: null },
  {
    name: `${principalCount} principals`,
    tuned: null,
    principals: [...Array.from({ length: principalCount - 1 }, (_, at) => `group:${at}`), principals['30%']],
    most: maxRatio,
  },
  {
    name: `${termCount} synonyms of 20 expansions and ${boostCount} boosts`,
    tuned: 'usual',
    principals: [principals['30%']],
    most: maxRatio,
  },
  {
    name: `${termCount} synonyms whose expansions are all words of the library`,
    tuned: 'known',
    principals: [principals['30%']],
    most: null,
  },
];

/**
 * Searches with many principals, and with a full dictionary and boosts, compared with plain ones. Rules are written
 * before each turn that needs them and removed afterwards, so that all variants take turns in one program.
 */
export const part: Part = async ({ full }) => {
  const passageCount = 100_000;
  const turns = full ? 8 : 4;
  const folder = mkdtempSync(join(tmpdir(), 'ply-bench-tuning-'));
  try {
    const library = await makeLibrary(folder, passageCount);
    const bodyOf =
      (variant: Variant) =>
      (index: number): BenchRequest => ({
        method: 'POST',
        path,
        body: JSON.stringify({
          query: library.queries[index % library.queries.length],
          principals: variant.principals,
          limit: 10,
        }),
      });
    const program = await startProgram({
      folder,
      organizationId: library.organizationId,
      environment: libraryEnvironment,
    });
    const http = program.clients(1);
    const sides = variants.map((variant): Side & Variant => ({
      ...variant,
      request: bodyOf(variant),
      times: [],
      cpu: 0,
    }));
    const tune = async (kind: Variant['tuned']): Promise<void> => {
      await http.ask({
        method: 'PUT',
        path: '/api/content/v1/tuning/synonyms',
        body: JSON.stringify(kind === null ? [] : dictionaryOf(library.queries, kind, randomNumbers(7))),
      });
      for (const rule of boosts())
        await http.ask(
          kind !== null
            ? { method: 'PUT', path: `/api/content/v1/tuning/boosts/${rule.name}`, body: JSON.stringify(rule) }
            : { method: 'DELETE', path: `/api/content/v1/tuning/boosts/${rule.name}` },
        );
    };
    try {
      for (let at = 0; at <= turns; at += 1) {
        for (const side of sides) {
          if (side.tuned !== null) await tune(side.tuned);
          // New rules are compiled by the first search, and new files are read again.
          await http.run(3, (index) => side.request(index));
          const before = canMeasureProcesses() ? treeCpuSeconds(program.pid) : 0;
          const { times } = await http.run(turn, (index) => side.request(at * turn + index));
          if (at > 0) side.cpu += canMeasureProcesses() ? treeCpuSeconds(program.pid) - before : 0;
          if (at > 0) side.times.push(...times);
          if (side.tuned !== null) await tune(null);
        }
      }
    } finally {
      await http.close();
      await program.stop();
    }
    const [plain] = sides;
    if (plain === undefined) return [];
    return sides.slice(1).map((side): Figure => {
      const by = median(side.times) / median(plain.times);
      const cpu = canMeasureProcesses() ? `; processor time ${ratio(side.cpu / plain.cpu)}` : '';
      return {
        name: `${passageCount.toLocaleString('en')} passages: a search with ${side.name}`,
        measured: `${milliseconds(median(side.times))} = ${ratio(by)}${cpu}`,
        against: `plain: ${milliseconds(median(plain.times))}`,
        target: side.most === null ? '' : `at most ${side.most}x`,
        reached: side.most === null ? null : by <= side.most,
      };
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
