import { compareBytes } from '../entries.ts';
import { walkFolders, type ListFolder } from './tree.ts';

/**
 * Lists folders like an account with a hierarchical namespace: a folder's entries are in the order of the names without
 * their slashes, so `a/` comes before `a-b`.
 */
function tree(names: readonly string[], pageItems: number): { list: ListFolder<{ name: string }>; asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    list: async (folder, marker) => {
      asked.push(folder);
      const items = [
        ...new Set(
          names
            .filter((name) => name.startsWith(folder))
            .map((name) => /^[^/]*\/?/.exec(name.slice(folder.length))?.[0] ?? ''),
        ),
      ];
      const sorted = items
        .sort((a, b) => compareBytes(a.replace('/', ''), b.replace('/', '')))
        .map((item) => folder + item);
      const from = Number(marker ?? 0);
      const page = sorted.slice(from, from + pageItems);
      return {
        blobs: page.filter((name) => !name.endsWith('/')).map((name) => ({ name })),
        folders: page.filter((name) => name.endsWith('/')),
        marker: from + pageItems < sorted.length ? String(from + pageItems) : null,
      };
    },
  };
}

async function walked(list: ListFolder<{ name: string }>, prefix = '', after: string | null = null): Promise<string[]> {
  const names: string[] = [];
  for await (const { name } of walkFolders(list, prefix, after)) names.push(name);
  return names;
}

const names = [
  'Course 1 (old)/a.txt',
  'Course 1.txt',
  'Course 1/a.txt',
  'Course 1/b/c.txt',
  'Course 1/b-c.txt',
  'Course 10/a.txt',
  'a-b.txt',
  'a-b/x.txt',
  'a.txt',
  'a/z.txt',
  'a/b/c/d.txt',
  'a/b-.txt',
  'a0.txt',
  'b',
  'ab/ü.txt',
  'é/\u{1f600}.txt',
  'é/\uff5e.txt',
  'e\u0301.txt',
  '.hidden/x.txt',
  ' /x.txt',
  '!/x.txt',
  '0/1/2/3/4/5.txt',
  '0/1/2.txt',
  '0-.txt',
];
const inOrder = [...names].sort(compareBytes);

describe('a walk through folders', () => {
  it.each([1, 2, 3, 1000])('lists all names once and in order, with pages of %i', async (pageItems) => {
    expect(await walked(tree(names, pageItems).list)).toEqual(inOrder);
  });

  it('continues after any name, without listing earlier folders', async () => {
    for (const [at, after] of inOrder.entries())
      expect(await walked(tree(names, 2).list, '', after)).toEqual(inOrder.slice(at + 1));
    const { list, asked } = tree(names, 1000);
    await walked(list, '', 'a/b/c/d.txt');
    expect(asked).toEqual(['', 'a/', 'a/b/', 'a/b/c/', 'ab/', 'é/']);
  });

  it('lists only names with the prefix, also one that ends within a name', async () => {
    for (const prefix of ['a', 'a/', 'Course 1', 'é/', 'nothing'])
      expect(await walked(tree(names, 2).list, prefix)).toEqual(inOrder.filter((name) => name.startsWith(prefix)));
  });

  it('refuses foreign, repeated and unordered names, and endless markers', async () => {
    const refused = { name: 'SourceError', reason: 'refused' };
    const page =
      (blobs: string[], folders: string[] = [], marker: string | null = null): ListFolder<{ name: string }> =>
      async (folder) =>
        folder === ''
          ? { blobs: blobs.map((name) => ({ name })), folders, marker }
          : { blobs: [], folders: [], marker: null };
    for (const wrong of [
      page(['a/b.txt']),
      page(['a', 'a']),
      page([], ['a/b/']),
      page([], ['a/', 'a/']),
      page(['x'.repeat(3000)]),
      page([], [], 'again'),
      page(['a'], [], 'again'),
    ])
      await expect(walked(wrong)).rejects.toMatchObject(refused);
    const late: ListFolder<{ name: string }> = async (folder, marker) => ({
      blobs: folder !== '' ? [] : [{ name: marker === null ? 'b' : 'a' }],
      folders: [],
      marker: marker === null && folder === '' ? '1' : null,
    });
    await expect(walked(late)).rejects.toMatchObject(refused);
  });
});
