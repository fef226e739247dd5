import fc from 'fast-check';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { attributes } from '../conformance-data.ts';
import { stepsOf } from './changes.ts';
import { openConnection, ordinalSpan, type Connection } from './connection.ts';
import { KnownPassages, placesOf } from './known.ts';
import { Versions } from './versions.ts';

/** Passages of four words each, as the first revision that the file knows. */
function lay(connection: Connection, count: number, stems: (ordinal: number) => string): void {
  const rows = Array.from({ length: count }, (_, ordinal) => ({ ordinal, text: '', stems: stems(ordinal), length: 4, location: {}, language: null, speaker: null, analysedAs: 'en' }));
  const change = stepsOf(connection, { kind: 'write', organizationId: 'o', assetId: 'a', revision: 1, embeddingModel: null, rows, vectors: new Float32Array(), vectorSizes: new Uint32Array(count) });
  while (change.next().done !== true);
}

function publish(connection: Connection, count: number): void {
  const change = stepsOf(connection, { kind: 'publish', organizationId: 'o', assetId: 'a', revision: 1, count, attributes: attributes('a'), last: undefined });
  while (change.next().done !== true);
}

describe('places of marked words', () => {
  it.each([Uint16Array, Uint32Array])('are all of them, in their order, in an %p', (kind) => {
    const marks = new Uint8Array(10);
    const targets = new Map([[2, [0]], [5, [1, 3]], [9, [2]]]);
    for (const number of targets.keys()) marks[number] = 1;
    fc.assert(fc.property(fc.array(fc.nat(9), { maxLength: 30 }), (words) => {
      expect(placesOf(kind.from(words), marks, targets)).toEqual(words.flatMap((number, place) => (targets.get(number) ?? []).flatMap((term) => [place, term])));
    }));
  });
});

describe('passages that a reader knows', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ply-known-'));
  const path = join(folder, 'passages.db');
  const writer = openConnection(path, 'writer');
  lay(writer, 10, (ordinal) => `common word${ordinal} common odd`);
  const reader = openConnection(path, 'reader');
  const versions = new Versions(reader);
  const first = Number(writer.get('select min(id) as first from passages')?.['first']);
  const ids = Array.from({ length: 10 }, (_, ordinal) => first + ordinal);
  afterAll(() => {
    reader.close();
    writer.close();
    rmSync(folder, { recursive: true });
  });

  function countedBy(known: KnownPassages): number[][] {
    const found = known.of(ids, versions.now().retrievable);
    const terms = [['common'], ['word3', 'word4'], ['common', 'odd'], ['nowhere']];
    const places = known.met(found.filter((passage) => passage !== undefined), terms);
    return places.map((own) => terms.map((_, term) => own.filter((number, at) => at % 2 === 1 && number === term).length));
  }

  it.each([1_000_000, 500, 0])('are counted alike with room for %i bytes', (capacity) => {
    const known = new KnownPassages(reader, capacity);
    const expected = ids.map((_, ordinal) => [2, ordinal === 3 || ordinal === 4 ? 1 : 0, 3, 0]);
    for (let time = 0; time < 5; time += 1) expect(countedBy(known)).toEqual(expected);
  });

  it('are read anew when what may be found has changed', () => {
    const known = new KnownPassages(reader);
    publish(writer, 10);
    for (let time = 0; time < 3; time += 1) countedBy(known);
    const { retrievable } = versions.now();
    lay(writer, 10, () => 'other words came here');
    expect(versions.now().retrievable).not.toBe(retrievable);
    expect(countedBy(known)).toEqual(ids.map(() => [0, 0, 0, 0]));
    expect(known.of([first + ordinalSpan, first], versions.now().retrievable)).toEqual([undefined, expect.objectContaining({ length: 4 })]);
  });
});
