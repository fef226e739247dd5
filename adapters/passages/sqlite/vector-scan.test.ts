import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { retrieval } from '../conformance-data.ts';
import { stepsOf } from './changes.ts';
import { numberOf, openConnection, ordinalSpan, type Connection } from './connection.ts';
import { openVectorMemory } from './dot-products.ts';
import { PermittedCache, type Permitted } from './permitted.ts';
import { meaningLeg } from './statements.ts';
import { lengthOf } from './vector-cache.ts';
import { VectorScan } from './vector-scan.ts';

const dimensions = 24;
const model = 'model';

/** A seeded pseudorandom generator. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31 - 0.5;
}

function vectorOf(random: () => number): Float32Array {
  return Float32Array.from({ length: dimensions }, random);
}

function done(connection: Connection, change: Parameters<typeof stepsOf>[1]): void {
  const steps = stepsOf(connection, change);
  connection.run('begin');
  while (steps.next().done !== true);
  connection.run('commit');
}

function versionOf(connection: Connection): number {
  return numberOf(connection.get('pragma data_version')?.['data_version']);
}

/** Writes and publishes a file: every fifth passage has no vector, every third the vector of the previous passage. */
function indexFile(connection: Connection, assetId: string, count: number, random: () => number): void {
  const vectors: Float32Array[] = [];
  for (let ordinal = 0; ordinal < count; ordinal += 1)
    vectors.push(ordinal % 3 === 2 ? (vectors.at(-1) ?? vectorOf(random)) : vectorOf(random));
  const sizes = Uint32Array.from(vectors, (_, ordinal) => (ordinal % 5 === 4 ? 0 : dimensions));
  const laid = vectors.filter((_, ordinal) => ordinal % 5 !== 4);
  const rows = vectors.map((_, ordinal) => ({
    ordinal,
    text: '',
    stems: '',
    length: 0,
    location: {},
    language: null,
    speaker: null,
    analysedAs: 'en',
  }));
  done(connection, {
    kind: 'write',
    organizationId: 'o',
    assetId,
    revision: 1,
    embeddingModel: model,
    rows,
    vectors: Float32Array.from(laid.flatMap((vector) => [...vector])),
    vectorSizes: sizes,
  });
  done(connection, {
    kind: 'publish',
    organizationId: 'o',
    assetId,
    revision: 1,
    count,
    attributes: {
      assetId,
      attributesVersion: 1,
      aclMode: 'open',
      principals: [],
      kind: 'document',
      externalId: assetId,
      metadata: {},
      collections: [],
      createdAt: 1,
      present: true,
    },
  });
}

describe('dot products of vectors', () => {
  const { all, multiply } = openVectorMemory(1);
  const [resultsOffset, vectorsOffset] = [512, 1024];
  const random = numbers(7);
  const query = vectorOf(random);
  new Float32Array(all.buffer, 0, dimensions).set(query);

  /** The products of adjacent vectors. */
  function productsOf(vectors: readonly Float32Array[]): number[] {
    new Float32Array(all.buffer, vectorsOffset, vectors.length * dimensions).set(
      vectors.flatMap((vector) => [...vector]),
    );
    multiply(vectorsOffset, vectorsOffset + vectors.length * dimensions * 4, 0, dimensions * 4, resultsOffset);
    return [...new Float32Array(all.buffer, resultsOffset, vectors.length)];
  }

  it('equal those of a loop', () => {
    const vectors = Array.from({ length: 5 }, () => vectorOf(random));
    const expected = vectors.map((vector) =>
      vector.reduce((sum, value, index) => sum + value * (query[index] ?? 0), 0),
    );
    for (const [index, product] of productsOf(vectors).entries())
      expect(product).toBeCloseTo(expected[index] ?? Number.NaN, 5);
  });

  it('do not depend on the number of vectors, and are not written past the end', () => {
    const vectors = Array.from({ length: 13 }, () => vectorOf(random));
    const alone = vectors.flatMap((vector) => productsOf([vector]));
    for (let count = 0; count <= vectors.length; count += 1) {
      new Float32Array(all.buffer, resultsOffset, count + 1)[count] = 42;
      expect(productsOf(vectors.slice(0, count))).toEqual(alone.slice(0, count));
      expect(new Float32Array(all.buffer, resultsOffset, count + 1)[count]).toBe(42);
    }
  });
});

it('computes the Euclidean length of a vector, also as a part of an array', () => {
  for (let count = 0; count < 12; count += 1) {
    const values = Float32Array.from({ length: count }, (_, index) => index + 0.5);
    const within = Float32Array.of(9, 9, ...values, 9);
    expect([lengthOf(values), lengthOf(within, 2, 2 + count)]).toEqual(
      [Math.hypot(...values), Math.hypot(...values)].map((length): unknown => expect.closeTo(length, 12)),
    );
  }
});

describe('the scan of cached vectors', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ply-meaning-'));
  const writer = openConnection(join(folder, 'passages.db'), 'writer');
  const random = numbers(1);
  for (let file = 0; file < 12; file += 1) indexFile(writer, `asset-${file}`, 1 + file * 60, random);
  const reader = openConnection(join(folder, 'passages.db'), 'reader');
  afterAll(() => {
    reader.close();
    writer.close();
    rmSync(folder, { recursive: true });
  });

  const asked = (vector: Float32Array, limit = 200) => ({
    ...retrieval(),
    terms: [],
    vector,
    limit,
  });

  function byStatement(request: ReturnType<typeof asked>): { ids: number[]; cosines: number[] } {
    const leg = meaningLeg(1, request, { model, vector: request.vector });
    const rows = reader.all(leg.sql, ...leg.values);
    return { ids: rows.map((row) => numberOf(row['id'])), cosines: rows.map((row) => 1 - numberOf(row['distance'])) };
  }

  const cache = new PermittedCache(reader);

  function permittedTo(request: ReturnType<typeof asked>): Permitted | null {
    return cache.get(1, request, model, versionOf(reader));
  }

  function byScan(scan: VectorScan, request: ReturnType<typeof asked>): { ids: readonly number[]; cosines: number[] } {
    const prepared = permittedTo(request);
    const nearest = prepared === null ? null : scan.nearest(prepared, request.vector, request.limit);
    if (nearest === null) throw new Error('the scan returned null');
    return { ids: nearest.ids, cosines: nearest.ids.map((id) => nearest.cosineOf(id)) };
  }

  // All vectors are 381 KB: with a little less some are read each time.
  it.each([10_000_000, 360_000])('returns the same as the SQL statement, with a capacity of %i bytes', (capacity) => {
    const scan = new VectorScan(reader, capacity);
    for (let time = 0; time < 4; time += 1) {
      const request = asked(vectorOf(random), 20 + time * 60);
      const [own, expected] = [byScan(scan, request), byStatement(request)];
      expect(own.cosines).toHaveLength(expected.cosines.length);
      for (const [index, cosine] of own.cosines.entries())
        expect(cosine).toBeCloseTo(expected.cosines[index] ?? Number.NaN, 5);
      expect([...own.ids].sort()).toEqual(expected.ids.sort());
    }
  });

  // 4 KB are enough for the vectors of one or two short files.
  it.each([200_000, 4096, 0])('returns null if the vectors do not fit, with a capacity of %i bytes', (capacity) => {
    const scan = new VectorScan(reader, capacity);
    for (let time = 0; time < 3; time += 1) {
      const prepared = permittedTo(asked(vectorOf(random)));
      expect(prepared).not.toBeNull();
      if (prepared !== null) expect(scan.nearest(prepared, vectorOf(random), 20)).toBeNull();
    }
    // A filtered part that fits is scanned.
    const few = { ...asked(vectorOf(random)), filter: { assetIds: ['asset-0'] } };
    const prepared = permittedTo(few);
    expect(prepared === null ? null : scan.nearest(prepared, few.vector, 20) !== null).toBe(capacity > 96);
  });

  it('caches a large list part by part over several searches', () => {
    const scan = new VectorScan(reader, 10_000_000, 700);
    const request = asked(vectorOf(random));
    const scanned = Array.from({ length: 8 }, () => {
      const prepared = permittedTo(request);
      return prepared !== null && scan.nearest(prepared, request.vector, 20) !== null;
    });
    expect(scanned).toEqual([...scanned].sort());
    expect([scanned[0], scanned.at(-1)]).toEqual([false, true]);
  });

  it('evicts other vectors after repeated searches', () => {
    const scan = new VectorScan(reader, 100_000);
    const [before, now] = ['asset-11', 'asset-10'].map((assetId) => ({
      ...asked(vectorOf(random)),
      filter: { assetIds: [assetId] },
    }));
    if (before === undefined || now === undefined) throw new Error('missing request');
    byScan(scan, before);
    const scans = (): boolean => {
      const prepared = permittedTo(now);
      return prepared !== null && scan.nearest(prepared, now.vector, 20) !== null;
    };
    expect(scans()).toBe(false);
    for (let time = 0; time < 10_000; time += 1) scans();
    expect(scans()).toBe(true);
    expect([...byScan(scan, now).ids].sort()).toEqual(byStatement(now).ids.sort());
  });

  it('returns the cosine of every permitted passage, and of no other', () => {
    const scan = new VectorScan(reader, 10_000_000);
    const request = asked(vectorOf(random), 1);
    const prepared = permittedTo(request);
    const nearest = prepared === null ? null : scan.nearest(prepared, request.vector, 1);
    const all = byStatement({ ...request, limit: 10_000 });
    for (const [index, id] of all.ids.entries())
      expect(nearest?.cosineOf(id)).toBeCloseTo(all.cosines[index] ?? Number.NaN, 5);
    const first =
      numberOf(
        writer.get('select min(number) as number from revisions where revision = 1 and count = 61')?.['number'],
      ) * ordinalSpan;
    expect(nearest?.cosineOf(first + 4)).toBeNaN();
    expect(nearest?.cosineOf(first + 61)).toBeNaN();
    expect(nearest?.cosineOf(first + 5000 * ordinalSpan)).toBeNaN();
  });

  it('reflects replaced vectors, new files and removed files in the next search', () => {
    const scan = new VectorScan(reader, 10_000_000);
    const request = asked(vectorOf(random));
    byScan(scan, request);
    indexFile(writer, 'asset-3', 61 + 120, random);
    indexFile(writer, 'asset-new', 9, random);
    const [own, expected] = [byScan(scan, request), byStatement(request)];
    expect([...own.ids].sort()).toEqual(expected.ids.sort());
    done(writer, { kind: 'removeFile', organizationId: 'o', assetId: 'asset-11' });
    expect([...byScan(scan, request).ids].sort()).toEqual(byStatement(request).ids.sort());
  });

  it('returns null for filters on passages and for incomparable vectors', () => {
    const scan = new VectorScan(reader, 10_000_000);
    expect(permittedTo({ ...asked(vectorOf(random)), filter: { speaker: 'A' } })).toBeNull();
    expect(permittedTo({ ...asked(vectorOf(random)), filter: { language: 'en' } })).toBeNull();
    const prepared = permittedTo(asked(vectorOf(random)));
    expect(prepared).not.toBeNull();
    if (prepared === null) return;
    expect(scan.nearest(prepared, new Float32Array(dimensions), 10)).toBeNull();
    expect(scan.nearest(prepared, new Float32Array(7).fill(1), 10)).toBeNull();
    expect(scan.nearest(prepared, new Float32Array(8).fill(1), 10)?.ids).toEqual([]);
  });
});
