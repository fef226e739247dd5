import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fuzzedFormats } from './formats.ts';
import { chanceOf } from './mutations.ts';

/*
 * Files that were changed at random, a few in every run of the tests and thousands in `npm run test:fuzz`. Each ends as
 * text or with a code, within its time, and the reader goes on with the next. The seed of a file that fails is told;
 * PLY_FUZZ_SEED makes it again, and the file itself is kept.
 */

/** Mutations of each format, and the seed of the first. */
const mutations = Number(process.env['PLY_FUZZ_MUTATIONS'] ?? 50);
const firstSeed = Number(process.env['PLY_FUZZ_SEED'] ?? 1);
/** So many mutations are followed by a file that nothing was done to. */
const betweenSoundFiles = 25;

describe.each(fuzzedFormats)('mutated files of format $name', ({ name, originals, mutations: kinds, open, codes }) => {
  it(`end as text or with a code, ${mutations} of them`, async () => {
    const files = await originals();
    const reader = open();
    const failures: string[] = [];
    const counts = new Map<string, number>();
    try {
      const sound = await reader.read(files[0]!);
      for (let seed = firstSeed; seed < firstSeed + mutations && failures.length < 5; seed++) {
        const chance = chanceOf(seed);
        const mutated = chance.of(kinds)(chance.of(files), chance, files);
        const outcome = await reader.read(mutated);
        counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
        if (!codes.includes(outcome)) {
          const folder = join(tmpdir(), 'ply-fuzz');
          mkdirSync(folder, { recursive: true });
          writeFileSync(join(folder, `${name}-${seed}`), mutated);
          failures.push(`seed ${seed}: ${outcome} (kept as ${join(folder, `${name}-${seed}`)})`);
        }
        if (seed % betweenSoundFiles === 0 && await reader.read(files[0]!) !== sound) failures.push(`a sound file is not read after seed ${seed}`);
      }
    } finally {
      await reader.close();
    }
    process.stdout.write(`${name}: ${[...counts].map(([code, count]) => `${count} ${code}`).join(', ')}\n`);
    expect(failures).toEqual([]);
    expect([...counts.values()].reduce((sum, count) => sum + count, 0)).toBe(mutations);
  }, 30_000 + mutations * 2000);
});
