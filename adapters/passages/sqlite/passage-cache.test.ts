import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { attributes } from '../conformance-data.ts';
import { stepsOf } from './changes.ts';
import { openConnection, ordinalSpan, type Connection } from './connection.ts';
import { PassageCache } from './passage-cache.ts';
import { Versions } from './versions.ts';
import { passageRow } from './testing/passage-row.ts';

/** Passages of four words each, in the first revision of the file. */
function indexFile(connection: Connection, count: number, stems: (ordinal: number) => string): void {
  const rows = Array.from({ length: count }, (_, ordinal) => passageRow(ordinal, stems(ordinal), 4));
  const change = stepsOf(connection, {
    kind: 'write',
    organizationId: 'o',
    assetId: 'a',
    revision: 1,
    embeddingModel: null,
    rows,
    vectors: new Float32Array(),
    vectorSizes: new Uint32Array(count),
  });
  while (change.next().done !== true);
}

function publish(connection: Connection, count: number): void {
  const change = stepsOf(connection, {
    kind: 'publish',
    organizationId: 'o',
    assetId: 'a',
    revision: 1,
    count,
    attributes: attributes('a'),
    last: undefined,
  });
  while (change.next().done !== true);
}

describe('the cache of passages', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ply-known-'));
  const path = join(folder, 'passages.db');
  const writer = openConnection(path, 'writer');
  indexFile(writer, 10, (ordinal) => `common word${ordinal} common odd`);
  const reader = openConnection(path, 'reader');
  const versions = new Versions(reader);
  const first = Number(writer.get('select min(id) as first from passages')?.['first']);
  const ids = Array.from({ length: 10 }, (_, ordinal) => first + ordinal);
  afterAll(() => {
    reader.close();
    writer.close();
    rmSync(folder, { recursive: true });
  });

  const stemsIn = (cache: PassageCache): (string | undefined)[] =>
    cache.get(ids, versions.now().retrievable).map((passage) => passage?.stems);

  it.each([1_000_000, 500, 1])('returns the same passages with a capacity of %i bytes', (capacity) => {
    const cache = new PassageCache(reader, capacity);
    const expected = ids.map((_, ordinal) => `common word${ordinal} common odd`);
    for (let time = 0; time < 5; time += 1) expect(stemsIn(cache)).toEqual(expected);
  });

  it('is cleared when the retrievable rows change', () => {
    const cache = new PassageCache(reader);
    publish(writer, 10);
    for (let time = 0; time < 3; time += 1) stemsIn(cache);
    const { retrievable } = versions.now();
    indexFile(writer, 10, () => 'other words came here');
    expect(versions.now().retrievable).not.toBe(retrievable);
    expect(stemsIn(cache)).toEqual(ids.map(() => 'other words came here'));
    expect(cache.get([first + ordinalSpan, first], versions.now().retrievable)).toEqual([
      undefined,
      expect.objectContaining({ length: 4 }),
    ]);
  });
});
