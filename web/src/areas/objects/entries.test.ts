import fc from 'fast-check';
import { entriesUnder, pathTo, type StoredObject } from './entries.ts';

const at = '2026-01-01T00:00:00Z';
const object = (key: string, size = 1): StoredObject => ({
  bucketId: 'b',
  checksumState: 'not_requested',
  contentType: 'text/plain',
  createdAt: at,
  createdVia: 'plycdn',
  etag: '""',
  id: key,
  key,
  metadata: {},
  sha256: null,
  size,
  state: 'stored',
  updatedAt: at,
});

it('files beneath a slash are one folder with their number and size', () => {
  const entries = entriesUnder([object('a-b'), object('a/1', 2), object('a/2/3', 3), object('a0')], '');
  expect(
    entries.map((entry) => (entry.kind === 'folder' ? [entry.prefix, entry.count, entry.bytes] : entry.name)),
  ).toEqual(['a-b', ['a/', 2, 5], 'a0']);
  expect(entriesUnder([object('a/1'), object('a/2/3')], 'a/').map(({ name }) => name)).toEqual(['1', '2']);
});

it('the path to a folder names each folder on the way', () => {
  expect(pathTo('')).toEqual([]);
  expect(pathTo('a/b c/')).toEqual([
    { name: 'a', prefix: 'a/' },
    { name: 'b c', prefix: 'a/b c/' },
  ]);
});

it('each name is shown once, and every file is in one of them', () => {
  const key = fc
    .array(fc.constantFrom('a', 'b', '-', 'c'), { minLength: 1, maxLength: 5 })
    .map((parts) => parts.join('/'));
  fc.assert(
    fc.property(fc.uniqueArray(key, { maxLength: 40 }), (keys) => {
      const sorted = [...keys].sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
      const entries = entriesUnder(
        sorted.map((each) => object(each)),
        '',
      );
      const names = entries.map(({ kind, name }) => `${kind} ${name}`);
      expect(new Set(names).size).toBe(names.length);
      expect(entries.reduce((sum, entry) => sum + (entry.kind === 'folder' ? entry.count : 1), 0)).toBe(keys.length);
    }),
  );
});
