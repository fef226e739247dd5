import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqlitePassages } from '../adapters/passages/sqlite/sqlite.ts';
import { systemRuntime } from '../models/runtime.ts';
import { scopeOf } from '../models/scope.ts';
import { modelFolder } from '../scripts/setup/paths.mjs';
import { passagesAtSecond } from './million-growth.ts';
import { libraryIn, type MillionLibrary } from './million-library.ts';
import { principals } from './search-library.ts';

describe('the library size at which a search takes a second', () => {
  const [small, middle, large] = [
    { passages: 10_000, p95: 100 },
    { passages: 100_000, p95: 400 },
    { passages: 400_000, p95: 1600 },
  ];

  it('is interpolated between the measured points around it', () => {
    expect(passagesAtSecond([small, middle, large])).toEqual({ passages: 250_000, isBetweenPoints: true });
  });

  it('is extrapolated from the last two points if all are faster', () => {
    expect(passagesAtSecond([small, { passages: 55_000, p95: 250 }, middle])).toEqual({
      passages: 280_000,
      isBetweenPoints: false,
    });
  });

  it('is null if times do not grow, or with one point', () => {
    expect(passagesAtSecond([middle, { passages: 200_000, p95: 400 }])).toBeNull();
    expect(passagesAtSecond([small])).toBeNull();
  });

  it('is 0 if the smallest library is slower', () => {
    expect(
      passagesAtSecond([
        { passages: 100_000, p95: 2000 },
        { passages: 400_000, p95: 3000 },
      ]),
    ).toEqual({ passages: 0, isBetweenPoints: false });
  });
});

if (existsSync(join(modelFolder, 'model.json'))) {
  it('a library is laid down once, and a larger one goes on from it', async () => {
    const root = mkdtempSync(join(tmpdir(), 'ply-million-'));
    try {
      const small = await libraryIn(root, 100, null);
      const large = await libraryIn(root, 300, small.library);
      expect([small.laying?.passages, large.laying?.passages]).toEqual([100, 200]);
      expect(await libraryIn(root, 300, null)).toEqual({ library: large.library, laying: null });
      expect(large.library.mistyped.length).toBeGreaterThan(0);
      expect([await passagesOf(small.library), await passagesOf(large.library)]).toEqual([100, 300]);
    } finally {
      rmSync(root, { recursive: true });
    }
  });
} else {
  console.warn(`SKIPPED: how a library of the bench is laid down, because there is no model in ${modelFolder}`);
  it.skip(`a library is laid down once (no model in ${modelFolder})`, () => undefined);
}

async function passagesOf({ folder, organizationId, model }: MillionLibrary): Promise<number> {
  const passages = await openSqlitePassages({ folder, runtime: systemRuntime, readerThreads: 1 });
  try {
    const { candidates } = await passages.retrieve(scopeOf(organizationId), {
      principals: [principals['100%']],
      filter: {},
      terms: [],
      vectors: [{ model, vector: new Float32Array(384).fill(1) }],
      limit: 1000,
    });
    return candidates.length;
  } finally {
    await passages.close();
  }
}
