import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { retrieval } from '../conformance-data.ts';
import { stepsOf } from './changes.ts';
import { numberOf, openConnection, type Connection } from './connection.ts';
import { PermittedCache, type Permitted } from './permitted.ts';
import { meaningLeg } from './statements.ts';
import { encode } from './vector-codes.ts';
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

it('encodes a vector by its direction, the largest number as 127', () => {
  const codes = new Int8Array(5);
  encode(Float32Array.of(0.5, -1, 0.25), codes, 1);
  expect([...codes]).toEqual([0, 64, -127, 32, 0]);
  encode(new Float32Array(3), codes, 1);
  expect([...codes]).toEqual([0, 0, 0, 0, 0]);
});

describe('the scan of codes', () => {
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

  function nearestBy(scan: VectorScan, request: ReturnType<typeof asked>): ReturnType<VectorScan['nearest']> {
    const permitted = permittedTo(request);
    if (permitted === null) throw new Error('the filter restricts passages');
    return scan.nearest(permitted, {
      organization: 1,
      query: { model, vector: request.vector },
      limit: request.limit,
    });
  }

  it('returns the same as the SQL statement, of all files, of few and of most', () => {
    const scan = new VectorScan(reader, 10_000_000);
    const most = Array.from({ length: 11 }, (_, file) => `asset-${file + 1}`);
    for (const assetIds of [undefined, ['asset-2'], ['asset-0', 'asset-9'], most]) {
      for (let time = 0; time < 4; time += 1) {
        const filter = assetIds === undefined ? {} : { assetIds };
        const request = { ...asked(vectorOf(random), 20 + time * 60), filter };
        const [own, expected] = [nearestBy(scan, request), byStatement(request)];
        expect(own?.cosines).toHaveLength(expected.cosines.length);
        expect(own?.cosines).toEqual(expected.cosines.map((cosine): unknown => expect.closeTo(cosine, 6)));
        expect(own?.ids.toSorted()).toEqual(expected.ids.toSorted());
      }
    }
  });

  it('leaves to the statement what does not fit, and searches the parts that do', () => {
    const scan = new VectorScan(reader, 50_000);
    const few = { ...asked(vectorOf(random)), filter: { assetIds: ['asset-0', 'asset-1'] } };
    expect(nearestBy(scan, few)?.ids.toSorted()).toEqual(byStatement(few).ids.toSorted());
    expect(nearestBy(scan, asked(vectorOf(random)))).toBeNull();
    expect(nearestBy(scan, few)).not.toBeNull();
    expect(nearestBy(new VectorScan(reader, 0), few)).toBeNull();
  });

  it('reads a large library on between searches', () => {
    const scan = new VectorScan(reader, 10_000_000, 0);
    const request = asked(vectorOf(random));
    expect(nearestBy(scan, request)).toBeNull();
    while (scan.readOn(1));
    expect(nearestBy(scan, request)?.ids.toSorted()).toEqual(byStatement(request).ids.toSorted());
  });

  it('reflects replaced vectors, new files and removed files in the next search', () => {
    const scan = new VectorScan(reader, 10_000_000);
    const request = asked(vectorOf(random));
    nearestBy(scan, request);
    indexFile(writer, 'asset-3', 61 + 120, random);
    indexFile(writer, 'asset-new', 9, random);
    expect(nearestBy(scan, request)?.ids.toSorted()).toEqual(byStatement(request).ids.toSorted());
    done(writer, { kind: 'removeFile', organizationId: 'o', assetId: 'asset-11' });
    expect(nearestBy(scan, request)?.ids.toSorted()).toEqual(byStatement(request).ids.toSorted());
  });

  it('returns null for filters on passages and for a vector without direction, and nothing for another size', () => {
    const scan = new VectorScan(reader, 10_000_000);
    expect(permittedTo({ ...asked(vectorOf(random)), filter: { speaker: 'A' } })).toBeNull();
    expect(permittedTo({ ...asked(vectorOf(random)), filter: { language: 'en' } })).toBeNull();
    expect(nearestBy(scan, asked(new Float32Array(dimensions)))).toBeNull();
    expect(nearestBy(scan, asked(new Float32Array(7).fill(1)))?.ids).toEqual([]);
  });
});
