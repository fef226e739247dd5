import type { FileAttributes, SearchFilter } from '../../models/passage.ts';
import { attributes, found, index, model, newScope, oddStrings, passage, vector } from './conformance-data.ts';
import type { Passages } from './port.ts';

/** Permissions and filters, which apply to both legs. */
export function restrictionTests(passages: () => Passages): void {
  const restricted = (assetId: string, principals: string[], more: Partial<FileAttributes> = {}) =>
    attributes(assetId, { aclMode: 'restricted', principals, ...more });
  const row = (more = {}) => passage(0, 'word', { vector: vector(1, 2), ...more });

  /** The results of each leg alone, which must agree. */
  async function seen(
    scope: ReturnType<typeof newScope>,
    principals: string[] | null,
    filter: SearchFilter = {},
  ): Promise<string[]> {
    const words = await found(passages(), scope, { principals, filter });
    const meaning = await found(passages(), scope, {
      principals,
      filter,
      terms: [],
      vectors: [{ model, vector: vector(1, 1) }],
    });
    expect(meaning).toEqual(words);
    return words.map((name) => name.split('/')[0] ?? '');
  }

  it('returns open files to all, restricted ones only to granted principals', async () => {
    const scope = newScope();
    await index(passages(), scope, [row()], attributes('open'));
    await index(passages(), scope, [row()], restricted('both', ['p', 'q']));
    await index(passages(), scope, [row()], restricted('second', ['q']));
    await index(passages(), scope, [row()], restricted('nobody', []));
    expect(await seen(scope, null)).toEqual(['open']);
    expect(await seen(scope, [])).toEqual(['open']);
    expect(await seen(scope, ['p'])).toEqual(['both', 'open']);
    expect(await seen(scope, ['q'])).toEqual(['both', 'open', 'second']);
    expect(await seen(scope, ['unknown', 'P', ''])).toEqual(['open']);
    const many = [...Array.from({ length: 999 }, (_, i) => `other ${i}`), 'p'];
    expect(await seen(scope, many)).toEqual(['both', 'open']);
  });

  it('applies grants and revocations to the next retrieval, and ignores outdated attributes', async () => {
    const scope = newScope();
    await index(passages(), scope, [row()], restricted('a', ['p']));
    await passages().setAttributes(scope, restricted('a', ['q'], { attributesVersion: 2 }));
    expect(await seen(scope, ['p'])).toEqual([]);
    expect(await seen(scope, ['q'])).toEqual(['a']);
    await passages().setAttributes(scope, attributes('a', { attributesVersion: 1 }));
    expect(await seen(scope, null)).toEqual([]);
    await passages().publish(scope, 1, 1, attributes('a', { attributesVersion: 1 }));
    expect(await seen(scope, null)).toEqual([]);
    await passages().setAttributes(scope, attributes('a', { attributesVersion: 3 }));
    expect(await seen(scope, null)).toEqual(['a']);
    await passages().setAttributes(scope, restricted('a', [], { attributesVersion: 4 }));
    expect(await seen(scope, ['p', 'q'])).toEqual([]);
  });

  it('keeps attributes that arrive before the rows', async () => {
    const scope = newScope();
    await passages().setAttributes(scope, restricted('a', ['p'], { attributesVersion: 5 }));
    await index(passages(), scope, [row()], attributes('a', { attributesVersion: 4 }));
    expect(await seen(scope, null)).toEqual([]);
    expect(await seen(scope, ['p'])).toEqual(['a']);
  });

  it('hides files whose source is missing and shows them again', async () => {
    const scope = newScope();
    await index(passages(), scope, [row()], attributes('a'));
    await passages().setAttributes(scope, attributes('a', { attributesVersion: 2, present: false }));
    expect(await seen(scope, null)).toEqual([]);
    await passages().setAttributes(scope, attributes('a', { attributesVersion: 3 }));
    expect(await seen(scope, null)).toEqual(['a']);
  });

  it('stores 5,000 principals of a file', async () => {
    const scope = newScope();
    const principals = Array.from({ length: 5000 }, (_, i) => `principal ${i}`);
    await index(passages(), scope, [row(), passage(1, 'word')], restricted('a', principals));
    for (const principal of ['principal 0', 'principal 2500', 'principal 4999'])
      expect(await found(passages(), scope, { principals: [principal] })).toEqual(['a/1/0', 'a/1/1']);
    expect(await seen(scope, ['principal 5000'])).toEqual([]);
    await passages().setAttributes(scope, restricted('a', principals.slice(1), { attributesVersion: 2 }));
    expect(await seen(scope, ['principal 0'])).toEqual([]);
    expect(await found(passages(), scope, { principals: ['principal 1'] })).toHaveLength(2);
  });

  it('applies each filter alone and all together', async () => {
    const scope = newScope();
    const file = attributes('a', {
      kind: 'video',
      externalId: 'x',
      createdAt: 2000,
      collections: ['c1', 'c2'],
      metadata: { course: 'law', year: 1, done: true, tags: ['red', 2, false], empty: [], same: ['s', 's'] },
    });
    await index(passages(), scope, [row({ speaker: 'Ann', language: 'en-GB' })], file);
    await index(passages(), scope, [row()], attributes('b', { metadata: { year: '1', done: 'true' } }));
    const all: SearchFilter = {
      kind: 'video',
      externalIds: ['x', 'y'],
      assetIds: ['a', 'z'],
      createdAfter: 2000,
      createdBefore: 2001,
      collections: ['c2', 'other'],
      speaker: 'Ann',
      language: 'EN-us',
      metadata: { course: 'law', year: [5, 1], done: true, tags: 'red' },
    };
    const hits: SearchFilter[] = [
      all,
      ...Object.entries(all).map(([name, value]) => ({ [name]: value })),
      { metadata: { tags: 2 } },
      { metadata: { tags: [false, 'blue'] } },
      { metadata: { same: 's' } },
      { language: 'en' },
      {},
    ];
    for (const filter of hits) expect(await seen(scope, null, filter)).toContain('a');
    const misses: SearchFilter[] = [
      { kind: 'audio' },
      { externalIds: ['X'] },
      { externalIds: [] },
      { assetIds: [] },
      { assetIds: ['A'] },
      { createdAfter: 2001 },
      { createdBefore: 2000 },
      { collections: [] },
      { collections: ['C1'] },
      { speaker: 'ann' },
      { speaker: '' },
      { language: 'de' },
      { language: 'eng' },
      { metadata: { course: 'Law' } },
      { metadata: { year: '1' } },
      { metadata: { year: 2 } },
      { metadata: { done: 'true' } },
      { metadata: { done: false } },
      { metadata: { tags: '2' } },
      { metadata: { tags: [] } },
      { metadata: { tags: ['blue'] } },
      { metadata: { empty: 'x' } },
      { metadata: { none: true } },
      { metadata: { course: 'law', year: 2 } },
      { ...all, kind: 'document' },
      { ...all, speaker: 'Bob' },
    ];
    for (const filter of misses) expect(await seen(scope, null, filter)).not.toContain('a');
    expect(await seen(scope, null, { metadata: { year: '1' } })).toEqual(['b']);
    expect(await seen(scope, null, { language: 'en' })).toEqual(['a']);
  });

  it('distinguishes special characters in every field', async () => {
    const scope = newScope();
    const assets = oddStrings.map((odd, i) => `${i}${odd}`);
    await Promise.all(
      oddStrings.map((odd, i) =>
        index(
          passages(),
          scope,
          [passage(0, `word tail${i}`, { speaker: odd, vector: vector(1, i) })],
          restricted(assets[i] ?? '', [odd], { externalId: odd, collections: [odd], metadata: { [odd]: odd } }),
        ),
      ),
    );
    for (const [i, odd] of oddStrings.entries()) {
      const expected = [`${assets[i]}/1/0`];
      expect(await found(passages(), scope, { principals: [odd] })).toEqual(expected);
      const filters: SearchFilter[] = [
        { externalIds: [odd] },
        { collections: [odd] },
        { metadata: { [odd]: odd } },
        { speaker: odd },
        { assetIds: assets.slice(i, i + 1) },
      ];
      for (const filter of filters)
        expect(await found(passages(), scope, { principals: oddStrings, filter })).toEqual(expected);
    }
    expect(await found(passages(), scope)).toEqual([]);
  });
}
