import { randomUUID } from 'node:crypto';
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { retrieval } from '../conformance-data.ts';
import { stepsOf } from './changes.ts';
import { numberOf, openConnection, type Connection } from './connection.ts';
import { recordOpening } from './openings.ts';
import { PermittedCache, type Permitted } from './permitted.ts';
import { meaningLeg } from './statements.ts';
import { encode } from './vector-codes.ts';
import { VectorScan, type VectorScanOptions } from './vector-scan.ts';
import { passageRow } from './testing/passage-row.ts';

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
  const rows = vectors.map((_, ordinal) => passageRow(ordinal, '', 0));
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
  recordOpening(writer, randomUUID());
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

  function permittedTo(request: ReturnType<typeof asked>): Permitted {
    return cache.get(1, request, model, versionOf(reader));
  }

  function nearestBy(scan: VectorScan, request: ReturnType<typeof asked>): ReturnType<VectorScan['nearest']> {
    const permitted = permittedTo(request);
    return scan.nearest(permitted, {
      organization: 1,
      query: { model, vector: request.vector },
      limit: request.limit,
    });
  }

  /** Files of codes of their own for each scan that shares none. */
  let folders = 0;
  const newFolder = (): string => join(folder, `codes-${(folders += 1)}`);
  const sizes = { segmentBytes: dimensions * 256, leastSaved: 100, maxRemoved: 2 ** 16 };
  const scanOf = (options: Partial<VectorScanOptions> = {}): VectorScan =>
    new VectorScan(reader, { capacity: 10_000_000, folder: newFolder(), maxReadMs: 60_000, sizes, ...options });

  function expectSame(scan: VectorScan, request = asked(vectorOf(random))): void {
    const [own, expected] = [nearestBy(scan, request), byStatement(request)];
    expect(own?.cosines).toEqual(expected.cosines.map((cosine): unknown => expect.closeTo(cosine, 6)));
    expect(own?.ids.toSorted()).toEqual(expected.ids.toSorted());
  }

  /** Whether a scan that may not read vectors knows the codes of all files. */
  function knowsAll(codes: string): boolean {
    const scan = scanOf({ folder: codes, maxReadMs: 0 });
    const found = nearestBy(scan, asked(vectorOf(random)));
    if (found !== null) expectSame(scan);
    return found !== null;
  }

  const most = Array.from({ length: 11 }, (_, file) => `asset-${file + 1}`);

  it.each([
    ['in memory', 10_000_000],
    ['partly in the file', 40_000],
  ])('returns the same as the SQL statement, of all files, of few and of most: codes %s', (_, capacity) => {
    const scan = scanOf({ capacity });
    for (const assetIds of [undefined, ['asset-2'], ['asset-0', 'asset-9'], most]) {
      for (let time = 0; time < 4; time += 1) {
        const filter = assetIds === undefined ? {} : { assetIds };
        expectSame(scan, { ...asked(vectorOf(random), 20 + time * 60), filter });
      }
    }
  });

  it('leaves to the statement what cannot be kept', () => {
    expect(nearestBy(scanOf({ capacity: 0 }), asked(vectorOf(random)))).toBeNull();
  });

  it('reads a large library on between searches', () => {
    const scan = scanOf({ maxReadMs: 0 });
    const request = asked(vectorOf(random));
    expect(nearestBy(scan, request)).toBeNull();
    while (scan.readOn(1));
    expectSame(scan, request);
  });

  it('finds vectors although reading them failed at first', () => {
    let isFailing = true;
    const connection: Connection = {
      ...reader,
      lists(sql, ...values) {
        if (isFailing && sql.includes('from vectors where')) throw new Error('the disk failed');
        return reader.lists(sql, ...values);
      },
    };
    const scan = new VectorScan(connection, { capacity: 10_000_000, folder: newFolder(), maxReadMs: 60_000, sizes });
    const request = asked(vectorOf(random));
    expect(() => nearestBy(scan, request)).toThrow('the disk failed');
    isFailing = false;
    expectSame(scan, request);
  });

  it('reflects replaced vectors, new files and removed files in the next search', () => {
    const codes = newFolder();
    const scan = scanOf({ folder: codes });
    const request = asked(vectorOf(random));
    nearestBy(scan, request);
    indexFile(writer, 'asset-3', 61 + 120, random);
    indexFile(writer, 'asset-new', 9, random);
    expectSame(scan, request);
    done(writer, { kind: 'removeFile', organizationId: 'o', assetId: 'asset-11' });
    expectSame(scan, request);
    // What was replaced after it was written into the file is read again.
    scan.close();
    indexFile(writer, 'asset-3', 61 + 120, random);
    expect(knowsAll(codes)).toBe(false);
    const next = scanOf({ folder: codes });
    expectSame(next, request);
    next.close();
  });

  it.each([10_000_000, 40_000])('takes the codes of the next start from the file, with %i bytes', (capacity) => {
    const codes = newFolder();
    const scan = scanOf({ folder: codes, capacity });
    expectSame(scan);
    scan.close();
    expect(knowsAll(codes)).toBe(true);
    expectSame(scanOf({ folder: codes, capacity }));
  });

  /** Writes a file of two blocks, in whose first are those of one file. */
  function writtenInTwo(codes: string): void {
    const scan = scanOf({ folder: codes });
    expectSame(scan, { ...asked(vectorOf(random)), filter: { assetIds: ['asset-5'] } });
    expectSame(scan);
    scan.close();
  }

  it('loads the file of the last start a part at a time before a search needs it', () => {
    const codes = newFolder();
    writtenInTwo(codes);
    const path = join(codes, readdirSync(codes)[0] ?? '');
    const next = scanOf({ folder: codes, maxReadMs: 0 });
    let parts = 0;
    while (next.readOn(0)) parts += 1;
    expect(parts).toBeGreaterThan(2);
    rmSync(path);
    expectSame(next);
  });

  it('loads what an interrupted compaction left as little as what is gone', () => {
    const codes = newFolder();
    writtenInTwo(codes);
    const path = join(codes, readdirSync(codes)[0] ?? '');
    copyFileSync(path, `${path}.new`);
    symlinkSync(join(codes, 'absent'), join(codes, `1-${'0'.repeat(32)}`));
    const next = scanOf({ folder: codes, maxReadMs: 0, capacity: statSync(path).size * 1.5 });
    while (next.readOn(0));
    rmSync(path);
    expectSame(next);
  });

  it.each([
    ['the file does not fit into memory', 40_000, 0],
    ['its header is damaged', 10_000_000, 1],
  ])('leaves a file to the first search if %s', (_, capacity, damage) => {
    const codes = newFolder();
    const scan = scanOf({ folder: codes });
    expectSame(scan);
    scan.close();
    const path = join(codes, readdirSync(codes)[0] ?? '');
    writeFileSync(
      path,
      readFileSync(path).map((byte, at) => (at === 0 ? byte ^ damage : byte)),
    );
    const next = scanOf({ folder: codes, capacity });
    expect(next.readOn(60_000)).toBe(false);
    expectSame(next);
  });

  it('keeps what was loaded and then replaced out of the first search', () => {
    const codes = newFolder();
    writtenInTwo(codes);
    const next = scanOf({ folder: codes });
    expect(next.readOn(0)).toBe(true);
    indexFile(writer, 'asset-5', 301, random);
    while (next.readOn(0));
    expectSame(next);
  });

  it('reads the vectors again behind what is damaged, or cut off, of the file', () => {
    const codes = newFolder();
    const scan = scanOf({ folder: codes });
    expectSame(scan);
    scan.close();
    const path = join(codes, readdirSync(codes)[0] ?? '');
    const whole = readFileSync(path);
    for (const broken of [whole.subarray(0, -3), whole.map((byte, at) => (at === 40_000 ? byte ^ 1 : byte))]) {
      writeFileSync(path, broken);
      expect(knowsAll(codes)).toBe(false);
      const repaired = scanOf({ folder: codes });
      expectSame(repaired);
      repaired.close();
      expect(knowsAll(codes)).toBe(true);
    }
  });

  it('does not take codes of a later state for those of an earlier copy that went on', () => {
    const codes = newFolder();
    recordOpening(writer, randomUUID());
    writer.run('pragma wal_checkpoint(truncate)');
    const copy = join(folder, 'copy.db');
    copyFileSync(join(folder, 'passages.db'), copy);
    indexFile(writer, 'asset-late', 200, random);
    const scan = scanOf({ folder: codes });
    expectSame(scan);
    scan.close();
    expect(knowsAll(codes)).toBe(true);
    const restored = openConnection(copy, 'writer');
    recordOpening(restored, randomUUID());
    indexFile(restored, 'asset-other', 300, random);
    const permitted = new PermittedCache(restored).get(1, asked(vectorOf(random)), model, 0);
    const query = { model, vector: vectorOf(random) };
    const other = new VectorScan(restored, { capacity: 10_000_000, folder: codes, maxReadMs: 0, sizes });
    expect(other.nearest(permitted, { organization: 1, query, limit: 10 })).toBeNull();
    restored.close();
    done(writer, { kind: 'removeFile', organizationId: 'o', assetId: 'asset-late' });
  });

  it('returns null for a vector without direction, and nothing for another size', () => {
    const scan = scanOf();
    expect(nearestBy(scan, asked(new Float32Array(dimensions)))).toBeNull();
    expect(nearestBy(scan, asked(new Float32Array(7).fill(1)))?.ids).toEqual([]);
  });

  it('writes the file again without removed codes, and removes it with its organization', () => {
    const codes = newFolder();
    const scan = scanOf({ folder: codes, sizes: { ...sizes, maxRemoved: 100 } });
    for (let time = 0; time < 3; time += 1) {
      indexFile(writer, 'asset-large', 3000, random);
      expectSame(scan);
      done(writer, { kind: 'removeFile', organizationId: 'o', assetId: 'asset-large' });
      expectSame(scan);
    }
    scan.close();
    const path = join(codes, readdirSync(codes)[0] ?? '');
    expect(statSync(path).size).toBeLessThan(2 * 7000 * (dimensions + 8));
    scan.forget();
    expect(readdirSync(codes)).toHaveLength(1);
    done(writer, { kind: 'removeOrganization', organizationId: 'o', assetId: '' });
    scan.forget();
    expect(readdirSync(codes)).toEqual([]);
  });
});
