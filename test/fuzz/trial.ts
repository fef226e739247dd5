import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chanceOf, type Mutation } from './mutations.ts';

/** Reads mutated files in the way the program does. */
export interface FuzzReader {
  /** Answers `read`, or the code with which reading ended. Anything else fails the test, and says why. */
  read(content: Buffer): Promise<string>;
  close(): Promise<void>;
}

/** A kind of file that is mutated. */
export interface FuzzedFormat {
  name: string;
  /** Files to mutate, at least two. */
  originals: () => Promise<readonly Buffer[]>;
  mutations: readonly Mutation[];
  /** Files that are read at a time; one where left out. */
  lanes?: number;
  /** Makes what reads them; asked once for each lane. */
  open: () => FuzzReader | Promise<FuzzReader>;
  /** Codes with which reading may end. */
  codes: readonly string[];
}

/** Mutations of each format, and the seed of the first. */
export const mutations = Number(process.env['PLY_FUZZ_MUTATIONS'] ?? 50);
const firstSeed = Number(process.env['PLY_FUZZ_SEED'] ?? 1);
/** So many mutations are followed by a file that nothing was done to. */
const betweenSoundFiles = 25;

/** What a trial saw. */
export interface Trial {
  /** How many mutations ended as text, or with which code. */
  counts: Map<string, number>;
  /** What went wrong, with the seed that makes it again; at most a few. */
  failures: string[];
}

/** Reads so many mutations of a format, and a sound file now and then. A file that goes wrong is kept. */
export async function tryMutations({
  name,
  originals,
  mutations: kinds,
  lanes = 1,
  open,
  codes,
}: FuzzedFormat): Promise<Trial> {
  const files = await originals();
  const failures: string[] = [];
  const counts = new Map<string, number>();
  let next = firstSeed;
  const tryOne = async (reader: FuzzReader, seed: number): Promise<void> => {
    const chance = chanceOf(seed);
    const mutated = chance.of(kinds)(chance.of(files), chance, files);
    const outcome = await reader.read(mutated);
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
    if (codes.includes(outcome)) return;
    const folder = join(tmpdir(), 'ply-fuzz');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${name}-${seed}`), mutated);
    failures.push(`seed ${seed}: ${outcome} (kept as ${join(folder, `${name}-${seed}`)})`);
  };
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      const reader = await open();
      try {
        const sound = await reader.read(files[0]!);
        for (let seed = next++; seed < firstSeed + mutations && failures.length < 5; seed = next++) {
          await tryOne(reader, seed);
          if (seed % betweenSoundFiles === 0 && (await reader.read(files[0]!)) !== sound)
            failures.push(`a sound file is not read after seed ${seed}`);
        }
      } finally {
        await reader.close();
      }
    }),
  );
  process.stdout.write(`${name}: ${[...counts].map(([code, count]) => `${count} ${code}`).join(', ')}\n`);
  return { counts, failures };
}

/** What every trial has to come to: all mutations were read, and none went wrong. */
export function judge({ counts, failures }: Trial): void {
  expect(failures).toEqual([]);
  expect([...counts.values()].reduce((sum, count) => sum + count, 0)).toBe(mutations);
}

/** Milliseconds that a trial may take on a busy machine. */
export const patience = 60_000 + mutations * 3000;
