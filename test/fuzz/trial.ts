import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chanceOf, type Mutation } from './mutations.ts';

/** Reads mutated files as the program does. */
export interface FuzzReader {
  /** Returns `read` or an error code. Any other error fails the test. */
  read(content: Buffer): Promise<string>;
  close(): Promise<void>;
}

/** A format to mutate. */
export interface FuzzedFormat {
  name: string;
  /** Original files, at least two. */
  originals: () => Promise<readonly Buffer[]>;
  mutations: readonly Mutation[];
  /** Number of concurrent reads; 1 by default. */
  concurrency?: number;
  /** Opens a reader; called once for each concurrent read. */
  open: () => FuzzReader | Promise<FuzzReader>;
  /** Expected error codes. */
  codes: readonly string[];
  /** Number of mutations; that of all formats by default. */
  count?: number;
}

/** Number of mutations per format, and the first seed. */
export const mutations = Number(process.env['PLY_FUZZ_MUTATIONS'] ?? 50);
const firstSeed = Number(process.env['PLY_FUZZ_SEED'] ?? 1);
/** An unmodified file follows after this many mutations. */
const betweenSoundFiles = 25;

/** The result of a trial. */
export interface Trial {
  /** Number of mutations by result. */
  counts: Map<string, number>;
  /** Failures with their seeds; at most a few. */
  failures: string[];
}

/** Reads mutations of a format, and an unmodified file now and then. Files that fail are kept. */
export async function tryMutations({
  name,
  originals,
  mutations: kinds,
  concurrency = 1,
  open,
  codes,
  count = mutations,
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
    Array.from({ length: concurrency }, async () => {
      const reader = await open();
      try {
        const sound = await reader.read(files[0]!);
        for (let seed = next++; seed < firstSeed + count && failures.length < 5; seed = next++) {
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

/** Checks that all mutations were read without failures. @param count of mutations */
export function expectNoFailures({ counts, failures }: Trial, count: number = mutations): void {
  expect(failures).toEqual([]);
  expect([...counts.values()].reduce((sum, each) => sum + each, 0)).toBe(count);
}

/** Timeout of a trial on a busy machine, in milliseconds. */
export const timeoutMs = 60_000 + mutations * 3000;
