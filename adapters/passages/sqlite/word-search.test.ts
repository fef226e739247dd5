import type { Retrieval } from '../port.ts';
import { retrieval } from '../conformance-data.ts';
import { numberOf, rowId } from './connection.ts';
import { RunKeeper } from './merge-runs.ts';
import { PermittedCache } from './permitted.ts';
import { PostingList } from './posting-list.ts';
import { IndexedLibrary } from './testing/indexed-library.ts';
import { WordSearch } from './word-search.ts';

/** A seeded pseudorandom generator. */
let state = 11;
const random = (below: number): number => {
  state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
};
/** The number that the index gives to the first revision. */
const firstRevision = 1024;
/** Stems from very common to rare. */
const stems = Array.from({ length: 60 }, (_, i) => `stem${i}`);
const textOf = (words: number): string =>
  Array.from({ length: words }, () => stems[Math.min(random(60), random(60), random(60))] ?? '').join(' ');

interface Indexed {
  id: number;
  file: number;
  length: number;
  /** How often each word occurs. */
  often: Map<string, number>;
  principals: string[];
  language: string;
}

function wordsIn(text: string): Pick<Indexed, 'length' | 'often'> {
  const words = text.split(' ');
  return {
    length: words.length,
    often: new Map([...Map.groupBy(words, (word) => word)].map(([word, own]) => [word, own.length])),
  };
}

describe('the word leg', () => {
  const library = new IndexedLibrary();
  const all: Indexed[] = [];
  /** Every word is common to the second one. */
  const searches = [
    new WordSearch(library.connection),
    new WordSearch(library.connection, { passages: 1, share: 0 }),
  ] as const;
  let version = 0;
  beforeAll(() => {
    const publications = Array.from({ length: 400 }, (_, file) => {
      const passages = Array.from({ length: 1 + random(14) }, () => ({
        stems: textOf(3 + random(40)),
        language: random(5) === 0 ? 'de' : 'en',
      }));
      const principals = [['few'], ['few', 'many'], ['many'], ['many']][random(4)] ?? [];
      for (const [ordinal, { stems: text, language }] of passages.entries())
        all.push({ id: rowId(firstRevision + file, ordinal), file, ...wordsIn(text), principals, language });
      return library.publication(`asset-${file}`, passages, { aclMode: 'restricted', principals });
    });
    // Runs of all sizes: a large one with bounds of its blocks, merged ones, and small ones.
    library.changeTogether(publications.slice(0, 280));
    for (const publication of publications.slice(280, 330)) library.change(publication);
    for (const keeper = new RunKeeper(library.connection); keeper.step(););
    for (const publication of publications.slice(330)) library.change(publication);
    expect(
      library.connection.lists('select min(number), max(number) from revisions').map((row) => [row[0], row[1]]),
    ).toEqual([[firstRevision, firstRevision + 399]]);
    expect(library.connection.lists('select stem from block_bounds').length).toBeGreaterThan(3);
    // Postings of removed files stay, and overwritten passages leave the bounds of their blocks.
    for (let file = 0; file < 300; file += 9) remove(file);
    for (let file = 1; file < 400; file += 12) overwrite(file);
  });
  afterAll(() => library.connection.close());

  function remove(file: number): void {
    library.remove(`asset-${file}`);
    all.splice(0, all.length, ...all.filter((passage) => passage.file !== file));
  }

  /** Gives the first passage of a file other words. */
  function overwrite(file: number): void {
    const first = all.find((passage) => passage.file === file);
    if (first === undefined) throw new Error('there is no such file');
    const text = textOf(3 + random(40));
    const { last, ...publication } = library.publication(`asset-${file}`, [{ stems: text, language: first.language }]);
    if (last === undefined) throw new Error('there are no rows');
    const { organizationId, assetId, revision } = publication;
    library.change({ kind: 'write', organizationId, assetId, revision, ...last });
    Object.assign(first, wordsIn(text));
  }

  const visible = ({ principals, filter }: Retrieval): Indexed[] =>
    all.filter(
      (passage) =>
        passage.principals.some((each) => principals?.includes(each)) &&
        (filter.language === undefined || passage.language === filter.language),
    );

  /** BM25 of all visible passages, by its formula. */
  function scores(request: Retrieval): Map<number, number> {
    const words = all.reduce((sum, { length }) => sum + length, 0);
    const scored = new Map<number, number>();
    const weighed = request.terms.flat().map((stem) => {
      const containing = all.filter(({ often }) => often.has(stem)).length;
      return { stem, weight: Math.max(1e-6, Math.log((all.length - containing + 0.5) / (containing + 0.5))) };
    });
    for (const { id, length, often } of visible(request)) {
      const norm = 1.2 * (0.25 + (0.75 * length * all.length) / words);
      let score = 0;
      for (const { stem, weight } of weighed) {
        const own = often.get(stem) ?? 0;
        score += (weight * own * 2.2) / (own + norm);
      }
      if (score > 0) scored.set(id, score);
    }
    return scored;
  }

  /** Expects the best by these scores; of passages with the same one any may be the last. */
  function expectBest(ids: readonly number[], expected: ReadonlyMap<number, number>, limit: number): void {
    const best = [...expected.values()].sort((one, other) => other - one).slice(0, limit);
    expect(ids).toHaveLength(best.length);
    expect(new Set(ids).size).toBe(ids.length);
    const differences = ids.map((id, rank) => Math.abs((expected.get(id) ?? Number.NaN) - (best[rank] ?? Number.NaN)));
    expect(differences.filter((difference) => !(difference < 1e-9))).toEqual([]);
  }

  function found(request: Retrieval, search: WordSearch = searches[0]): ReturnType<WordSearch['best']> {
    const { connection } = library;
    const [totals] = connection.lists('select passages, words from organizations');
    const counted = request.terms.flat().map((stem) => ({
      stem,
      passages: numberOf(connection.get('select passages from stem_counts where stem = ?', stem)?.['passages']),
    }));
    version += 1;
    return search.best(
      { organization: 1, passages: numberOf(totals?.[0]), words: numberOf(totals?.[1]) },
      new PermittedCache(connection).get(1, request, null, version),
      request,
      counted.filter(({ passages }) => passages > 0),
    );
  }

  const asked = (words: readonly string[], more: Partial<Retrieval> = {}): Retrieval =>
    retrieval({ terms: words.map((stem) => [stem]), principals: ['many'], ...more });

  it.each([
    ['one common word', ['stem0']],
    ['one rare word', ['stem55']],
    ['common and rare words', ['stem0', 'stem1', 'stem30', 'stem2', 'stem45']],
    ['common words alone', ['stem3', 'stem2', 'stem1', 'stem0']],
    ['all words', stems],
  ])('returns the passages of the highest BM25 for %s, whoever asks', (_, words) => {
    for (const principals of [['few'], ['many'], ['few', 'many'], ['nobody']]) {
      const expected = scores(asked(words, { principals }));
      for (const search of searches)
        for (const limit of [1, 10, 200, 10_000])
          expectBest(found(asked(words, { principals, limit }), search).ids, expected, limit);
    }
  });

  it('returns passages that a filter by language permits, also if they are far down', () => {
    for (const limit of [1, 10, 10_000]) {
      const request = asked(['stem0', 'stem20'], { filter: { language: 'de' }, limit });
      expectBest(found(request).ids, scores(request), limit);
    }
  });

  it('knows of passages that contain none of the words', () => {
    const request = asked(['stem40', 'stem0'], { limit: 10_000 });
    const { mayContain } = found(request);
    const certain = visible(request).filter(({ id }) => !mayContain(id));
    expect(certain.length).toBeGreaterThan(50);
    for (const { often } of certain) expect(often.has('stem40') || often.has('stem0')).toBe(false);
  });

  it('decodes few postings of a common word beside a rare one', () => {
    // The best hold both rare words; nothing without them comes near.
    library.changeTogether([
      ...Array.from({ length: 20 }, (_, file) =>
        library.publication(`rare-${file}`, [{ stems: 'unusual seldom common' }], { principals: ['many'] }),
      ),
      ...Array.from({ length: 300 }, (_, file) =>
        library.publication(
          `common-${file}`,
          Array.from({ length: 16 }, (_, at) => ({ stems: at < 6 ? `common of${at}` : `other of${at}` })),
          { principals: ['many'] },
        ),
      ),
    ]);
    const decode = import.meta.jest.spyOn(PostingList.prototype, 'decode');
    const request = asked(['unusual', 'seldom', 'common'], { limit: 15 });
    const { ids, mayContain } = found(request, searches[1]);
    const decoded = decode.mock.calls.length;
    expect(ids).toHaveLength(15);
    // With a larger limit, those with the common word alone are wanted too.
    decode.mockClear();
    found(asked(['unusual', 'seldom', 'common'], { limit: 10_000 }), searches[1]);
    expect(decode.mock.calls.length).toBeGreaterThan(8);
    expect(decoded).toBeLessThan(decode.mock.calls.length / 2);
    decode.mockRestore();
    // Only where postings were left out it cannot tell.
    const without = library.connection.lists("select id from passages where stems = 'other of9' limit 1");
    expect(mayContain(numberOf(without[0]?.[0]))).toBe(true);
    const rare = library.connection
      .lists("select id from passages where stems = 'unusual seldom common'")
      .map((row) => numberOf(row[0]));
    expect(ids.every((id) => rare.includes(id))).toBe(true);
  });

  it('finds nothing without words or permissions', () => {
    expect(found(asked([])).ids).toEqual([]);
    expect(found(asked(['stem0'], { principals: [] })).ids).toEqual([]);
  });
});
