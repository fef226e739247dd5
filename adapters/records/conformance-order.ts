import { behindPrefix, listKeyOf } from '../../models/storage-key.ts';
import { thing, type Ground } from './conformance-ground.ts';

/** Texts at the borders of the lengths of UTF-8, and of what UTF-16 orders otherwise (surrogates before U+E000). */
const keys = [
  '',
  '!',
  '~',
  '\u007f',
  '\u0080',
  '\u07ff',
  '\u0800',
  '\ud7ff',
  '\ue000',
  '\uffff',
  '\u{10000}',
  '\u{10ffff}',
]
  .flatMap((end) => [`k${end}`, `k/${end}`, `k/${end}z`])
  .filter((key, index, all) => all.indexOf(key) === index);

/** Tests of the order of texts up to U+00FF, on which lists of objects rely. */
export function orderConformance({ all, of }: Ground): void {
  it('orders keys by their bytes in UTF-8, pages over them, and compares them alike', async () => {
    await all().insertNew(keys.map((key, index) => thing(`t${index}`, { key: listKeyOf(key) })));
    const inOrder = keys.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other))).map(listKeyOf);
    for (const direction of [1, -1] as const) {
      const walked: string[] = [];
      for (let after: string[] | null = null; ;) {
        const page = await of('o').find({
          filter: { key: { $exists: true } },
          sort: [['key', direction]],
          limit: 4,
          ...(after === null ? {} : { after }),
        });
        walked.push(...page.flatMap(({ key }) => (key === undefined ? [] : [key])));
        const last = walked.at(-1);
        if (last === undefined || page.length < 4) break;
        after = [last];
      }
      expect(walked).toEqual(direction === 1 ? inOrder : inOrder.toReversed());
    }
    for (const prefix of ['k/', 'k/\ud7ff', 'k/\uffff', 'k/\u{10ffff}'].map(listKeyOf)) {
      const found = await of('o').find({
        filter: { key: { $gte: prefix, $lt: behindPrefix(prefix) ?? '' } },
        sort: [['key', 1]],
        limit: 100,
      });
      expect(found.map(({ key }) => key)).toEqual(inOrder.filter((key) => key.startsWith(prefix)));
    }
  });
}
