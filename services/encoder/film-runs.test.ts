import fc from 'fast-check';
import { FilmRuns } from './film-runs.ts';

/** Folders with segments, by their numbers; `last` is the number of the last of all. */
function filesOf(folders: { [folder: string]: readonly number[] }, last: number | null = null) {
  return {
    async *segmentsFrom(folder: string, first: number) {
      for (const number of (folders[folder] ?? []).filter((each) => each >= first))
        yield await Promise.resolve({ number, isLast: number === last });
    },
  };
}

describe('the runs of a film', () => {
  it('are missing where a rendition lacks a segment of them', async () => {
    const files = filesOf({ 'a/': [0, 1, 2, 3, 4, 5, 8], 'b/': [0, 1, 2, 4, 5, 6, 7, 8] });
    const runs = new FilmRuns(files, ['a/', 'b/'], { length: 2, count: 5 });
    expect(await runs.missing()).toEqual([1, 3, 4]);
    expect(runs.share).toBeCloseTo(0.4);
  });

  it('end with the last segment, or where the source has nothing more', async () => {
    const files = filesOf({ 'a/': [0, 1, 2] }, 2);
    expect(await new FilmRuns(files, ['a/'], { length: 2, count: 5 }).missing()).toEqual([]);
    const short = new FilmRuns(filesOf({ 'a/': [0, 1] }), ['a/'], { length: 2, count: 3 });
    expect(await short.missing()).toEqual([1, 2]);
    short.endAt(1);
    expect([await short.missing(), short.share]).toEqual([[], 1]);
  });

  it('are made one after another while the length of the source is not known', async () => {
    const runs = new FilmRuns(filesOf({ 'a/': [0, 1, 4, 5] }), ['a/'], { length: 2, count: null });
    expect([await runs.missing(), runs.share]).toEqual([[1], 0]);
  });

  it('are those whose segments are not all there, whichever are', async () => {
    const subset = fc.uniqueArray(fc.integer({ min: 0, max: 29 })).map((all) => all.toSorted((a, b) => a - b));
    await fc.assert(
      fc.asyncProperty(subset, subset, fc.integer({ min: 1, max: 7 }), async (one, other, length) => {
        const count = Math.ceil(30 / length);
        const folders = { 'a/': one, 'b/': other };
        const runs = new FilmRuns(filesOf(folders, 29), ['a/', 'b/'], { length, count });
        const isWhole = (run: number): boolean =>
          Object.values(folders).every((all) =>
            Array.from({ length }, (_, at) => run * length + at).every((each) => each > 29 || all.includes(each)),
          );
        const expected = Array.from({ length: count }, (_, run) => run).filter((run) => !isWhole(run));
        expect(await runs.missing()).toEqual(expected);
        expect(await runs.missing()).toEqual(expected);
      }),
    );
  });
});
