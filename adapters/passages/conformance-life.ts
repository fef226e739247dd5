import { setImmediate } from 'node:timers/promises';
import { attributes, found, index, model, newScope, passage, retrieval, vector } from './conformance-data.ts';
import type { Passages } from './port.ts';

/** The lifecycle of a file: written, published, replaced, discarded, removed. */
export function lifeTests(passages: () => Passages): void {
  const file = (revision: number) => ({ assetId: 'a', revision, embeddingModel: model });

  it('retrieves nothing before publish, everything after', async () => {
    const scope = newScope();
    await passages().write(scope, file(1), [passage(0, 'word one', { vector: vector(1) }), passage(1, 'word two')]);
    expect(await found(passages(), scope, { vectors: [{ model, vector: vector(1) }] })).toEqual([]);
    expect(await passages().countOf(scope, 'a', 1)).toBe(0);
    expect((await passages().retrieve(scope, retrieval())).statistics).toEqual({
      passages: 0,
      averageLength: 0,
      documentFrequencies: [0],
    });
    await passages().publish(scope, 1, 2, attributes('a'));
    expect(await found(passages(), scope)).toEqual(['a/1/0', 'a/1/1']);
    expect(await passages().countOf(scope, 'a', 1)).toBe(2);
  });

  it('stores the last rows of a publication, once or twice, and in addition to earlier rows', async () => {
    const scope = newScope();
    await passages().write(scope, file(1), [passage(0, 'word one', { vector: vector(1) })]);
    const last = { embeddingModel: model, rows: [passage(1, 'word two', { vector: vector(2) })] };
    for (let time = 0; time < 2; time++) {
      await passages().publish(scope, 1, 2, attributes('a'), last);
      expect(await found(passages(), scope)).toEqual(['a/1/0', 'a/1/1']);
      expect(await found(passages(), scope, { terms: [], vectors: [{ model, vector: vector(2) }] })).toEqual([
        'a/1/0',
        'a/1/1',
      ]);
      expect((await passages().retrieve(scope, retrieval())).statistics).toEqual({
        passages: 2,
        averageLength: 2,
        documentFrequencies: [2],
      });
    }
  });

  it('replaces a revision: both are retrievable until the old one is discarded', async () => {
    const scope = newScope();
    await index(passages(), scope, [passage(0, 'word'), passage(1, 'word')], attributes('a'));
    await passages().write(scope, file(2), [passage(0, 'word')]);
    expect(await found(passages(), scope)).toEqual(['a/1/0', 'a/1/1']);
    await passages().publish(scope, 2, 1, attributes('a', { attributesVersion: 2 }));
    expect(await found(passages(), scope)).toEqual(['a/1/0', 'a/1/1', 'a/2/0']);
    await passages().discard(scope, 'a', 1);
    await passages().discard(scope, 'a', 1);
    expect(await found(passages(), scope)).toEqual(['a/2/0']);
    expect((await passages().retrieve(scope, retrieval())).statistics).toEqual({
      passages: 1,
      averageLength: 1,
      documentFrequencies: [1],
    });
    expect(await passages().countOf(scope, 'a', 1)).toBe(0);
    expect(await passages().fetch(scope, [{ assetId: 'a', revision: 1, ordinal: 0 }])).toEqual([]);
  });

  it('repeats writes without effect, before and after publish', async () => {
    const scope = newScope();
    const rows = [passage(0, 'word one', { vector: vector(1) }), passage(1, 'word two two')];
    await passages().write(scope, file(1), rows.toReversed());
    await passages().write(scope, file(1), rows);
    await passages().publish(scope, 1, 2, attributes('a'));
    const before = await passages().retrieve(scope, retrieval({ vectors: [{ model, vector: vector(1) }] }));
    await passages().write(scope, file(1), rows);
    await passages().publish(scope, 1, 2, attributes('a'));
    const after = await passages().retrieve(scope, retrieval({ vectors: [{ model, vector: vector(1) }] }));
    const sorted = (result: typeof before) => result.candidates.toSorted((a, b) => a.ordinal - b.ordinal);
    expect(sorted(after)).toEqual(sorted(before));
    expect(after.statistics).toEqual(before.statistics);
    expect(after.statistics.passages).toBe(2);
  });

  it('updates the counts when a published row is overwritten', async () => {
    const scope = newScope();
    await index(passages(), scope, [passage(0, 'word old')], attributes('a'));
    await passages().write(scope, file(1), [passage(0, 'word new new')]);
    const { candidates, statistics } = await passages().retrieve(
      scope,
      retrieval({ terms: [['old'], ['new'], ['word']] }),
    );
    expect(candidates.map(({ frequencies, length }) => ({ frequencies, length }))).toEqual([
      { frequencies: [0, 2, 1], length: 3 },
    ]);
    expect(statistics).toEqual({ passages: 1, averageLength: 3, documentFrequencies: [0, 1, 1] });
  });

  it('removes rows at and above the count, also after a change of the count', async () => {
    const scope = newScope();
    await passages().write(
      scope,
      file(1),
      [0, 1, 2].map((ordinal) => passage(ordinal, 'word')),
    );
    await passages().publish(scope, 1, 2, attributes('a'));
    expect(await found(passages(), scope)).toEqual(['a/1/0', 'a/1/1']);
    expect(await passages().fetch(scope, [{ assetId: 'a', revision: 1, ordinal: 2 }])).toEqual([]);
    await passages().publish(scope, 1, 1, attributes('a'));
    expect(await found(passages(), scope)).toEqual(['a/1/0']);
    expect((await passages().retrieve(scope, retrieval())).statistics.passages).toBe(1);
    await passages().write(scope, file(1), [passage(1, 'word')]);
    expect(await found(passages(), scope)).toEqual(['a/1/0']);
    await passages().publish(scope, 1, 2, attributes('a'));
    expect((await passages().retrieve(scope, retrieval())).statistics.passages).toBe(2);
    expect(await passages().countOf(scope, 'a', 1)).toBe(2);
  });

  it('fetches passages in the requested order and omits missing ones', async () => {
    const scope = newScope();
    const long = `${'x😀'.repeat(30_000)} word`;
    const rows = [
      passage(0, 'word', {
        text: long,
        language: 'en-GB',
        speaker: 'Zoë "Z"',
        location: { startSeconds: 1.5, endSeconds: 2, timingPrecision: 'word' },
        timings: [0, 0, 10_000, 50],
      }),
      passage(1, `word ${'long'.repeat(30_000)}`, { analysedAs: 'und' }),
    ];
    await index(passages(), scope, rows, attributes('a'));
    const keys = [1, 7, 0].map((ordinal) => ({ assetId: 'a', revision: 1, ordinal }));
    const fetched = await passages().fetch(scope, [...keys, { assetId: 'b', revision: 1, ordinal: 0 }]);
    expect(fetched).toEqual(
      [rows[1], rows[0]].map((row) => {
        const { vector: _vector, ...rest } = row ?? passage(0, '');
        return { ...rest, assetId: 'a', revision: 1 };
      }),
    );
    expect(await found(passages(), scope)).toEqual(['a/1/0', 'a/1/1']);
  });

  it('publishes a revision without passages', async () => {
    const scope = newScope();
    await passages().publish(scope, 1, 0, attributes('a'));
    expect(await found(passages(), scope)).toEqual([]);
    expect(await passages().languages(scope)).toEqual([]);
  });

  it('removes a file completely', async () => {
    const scope = newScope();
    const restricted = attributes('a', {
      aclMode: 'restricted',
      principals: ['p'],
      metadata: { k: 'v' },
      attributesVersion: 9,
    });
    await index(passages(), scope, [passage(0, 'word', { vector: vector(1) })], restricted);
    await index(passages(), scope, [passage(0, 'word')], attributes('b'));
    await passages().removeFile(scope, 'a');
    await passages().removeFile(scope, 'a');
    const { candidates, statistics } = await passages().retrieve(
      scope,
      retrieval({ principals: ['p'], vectors: [{ model, vector: vector(1) }] }),
    );
    expect(candidates.map(({ assetId }) => assetId)).toEqual(['b']);
    expect(statistics).toEqual({ passages: 1, averageLength: 1, documentFrequencies: [1] });
    expect(await passages().countOf(scope, 'a', 1)).toBe(0);
    // The same id can be indexed again: its attributes are removed too.
    await index(passages(), scope, [passage(0, 'word')], attributes('a', { attributesVersion: 1 }));
    expect(await found(passages(), scope)).toEqual(['a/1/0', 'b/1/0']);
    expect(await found(passages(), scope, { filter: { metadata: { k: 'v' } } })).toEqual([]);
  });

  it('lists the languages of published passages', async () => {
    const scope = newScope();
    await index(passages(), scope, [passage(0, 'word'), passage(1, 'wort', { analysedAs: 'de' })], attributes('a'));
    await passages().write(scope, { assetId: 'b', revision: 1, embeddingModel: null }, [
      passage(0, 'mot', { analysedAs: 'fr' }),
    ]);
    expect((await passages().languages(scope)).toSorted()).toEqual(['de', 'en']);
    await passages().removeFile(scope, 'a');
    expect(await passages().languages(scope)).toEqual([]);
  });

  it('stays consistent with many concurrent files', async () => {
    const scope = newScope();
    const ids = Array.from({ length: 12 }, (_, i) => `file${i}`);
    let reading = true;
    const seen = (async () => {
      let worst = 0;
      while (reading) {
        worst = Math.max(worst, (await passages().retrieve(scope, retrieval())).candidates.length);
        // A retrieval may resolve without I/O: yield to the writes.
        await setImmediate();
      }
      return worst;
    })();
    try {
      await Promise.all(
        ids.map(async (assetId) => {
          await index(passages(), scope, [passage(0, 'word'), passage(1, 'word')], attributes(assetId));
          await Promise.all([
            passages().write(scope, { assetId, revision: 2, embeddingModel: model }, [passage(0, 'word')]),
            passages().setAttributes(scope, attributes(assetId, { attributesVersion: 2 })),
          ]);
          await passages().publish(scope, 2, 1, attributes(assetId, { attributesVersion: 2 }));
          await passages().discard(scope, assetId, 1);
        }),
      );
    } finally {
      reading = false;
    }
    expect(await seen).toBeLessThanOrEqual(ids.length * 3);
    expect(await found(passages(), scope)).toEqual(ids.map((assetId) => `${assetId}/2/0`).sort());
    expect((await passages().retrieve(scope, retrieval())).statistics).toEqual({
      passages: 12,
      averageLength: 1,
      documentFrequencies: [12],
    });
  });
}
