import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { attributes, model, retrieval, vector, vectorSize } from '../conformance-data.ts';
import type { Retrieval } from '../port.ts';
import { stepsOf } from './changes.ts';
import { openConnection, type Connection } from './connection.ts';
import { executeRead } from './reads.ts';
import {
  packedWidth,
  type FoundWords,
  type Nearest,
  type PackedRetrieval,
  type PackedRows,
  type Write,
} from './messages.ts';
import { Retrievals } from './retrieval.ts';
import type { Steps } from './rows.ts';
import { Versions } from './versions.ts';
import { passageRow } from './testing/passage-row.ts';

const organizationId = 'organization';
const stems = ['one', 'two', 'three', 'four', 'five'];

/** Rows of this many passages of a few words, with vectors. */
function rowsOf(count: number, random: (below: number) => number): PackedRows {
  const rows = Array.from({ length: count }, (_, ordinal) => {
    const words = Array.from({ length: 1 + random(6) }, () => stems[random(stems.length)] ?? '');
    return passageRow(ordinal, words.join(' '), words.length);
  });
  const vectors = new Float32Array(count * vectorSize);
  for (let row = 0; row < count; row += 1) vectors.set(vector(1, random(9), random(9)), row * vectorSize);
  return { embeddingModel: model, rows, vectors, vectorSizes: new Uint32Array(count).fill(vectorSize) };
}

/** The candidates, with the numbers that grading uses. */
function foundBy(reader: Connection, retrievals: Retrievals, principals: string[]): string[] {
  const asked = retrieval({
    terms: stems.slice(0, 3).map((stem) => [stem]),
    principals,
    limit: 10_000,
  });
  return retrieved(reader, retrievals, { ...asked, vectors: [{ model, vector: vector(1, 4, 2) }] }).sort();
}

function retrieved(reader: Connection, retrievals: Retrievals, asked: Retrieval): string[] {
  const near = asked.vectors.map(
    (query) =>
      executeRead(reader, retrievals, { kind: 'nearest', organizationId, retrieval: asked, query }) as Nearest | null,
  );
  const byWords = executeRead(reader, retrievals, { kind: 'words', organizationId, retrieval: asked }) as FoundWords;
  const [together, apart] = [null, byWords].map((words) => linesWith(reader, retrievals, asked, near, words));
  expect(apart).toEqual(together);
  return together ?? [];
}

function linesWith(
  reader: Connection,
  retrievals: Retrievals,
  asked: Retrieval,
  near: readonly (Nearest | null)[],
  byWords: FoundWords | null,
): string[] {
  const read = { kind: 'retrieve', organizationId, retrieval: asked, near, byWords } as const;
  return linesOf(executeRead(reader, retrievals, read) as PackedRetrieval);
}

function linesOf({ assetIds, numbers }: PackedRetrieval): string[] {
  const lines: string[] = [];
  for (let at = 0; at < numbers.length; at += packedWidth) {
    const [revision, ordinal, attributesVersion, length, cosine, asset, , positions] = numbers.subarray(
      at,
      at + packedWidth,
    );
    lines.push(
      [assetIds[asset ?? -1], revision, ordinal, attributesVersion, length, cosine?.toFixed(6), positions].join(' '),
    );
  }
  return lines;
}

describe('the version of the retrievable rows', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ply-versions-'));
  const path = join(folder, 'passages.db');
  const writer = openConnection(path, 'writer');
  const reader = openConnection(path, 'reader');
  const versions = new Versions(reader);
  const vectors = { capacity: 2 ** 24, folder: join(folder, 'codes') };
  afterAll(() => {
    reader.close();
    writer.close();
    rmSync(folder, { recursive: true });
  });

  function step(steps: Steps): boolean {
    writer.database.exec('begin immediate');
    const { done } = steps.next();
    writer.database.exec('commit');
    return done === true;
  }

  function carryOut(write: Write): void {
    const steps = stepsOf(writer, write);
    while (!step(steps));
  }

  const few = (): number => 1;
  const write = (assetId: string, revision: number): Write => ({
    kind: 'write',
    organizationId,
    assetId,
    revision,
    ...rowsOf(3, few),
  });
  const publish = (assetId: string, revision: number, count = 3): Write => ({
    kind: 'publish',
    organizationId,
    assetId,
    revision,
    count,
    attributes: attributes(assetId),
  });

  it('does not change while an unpublished file is written, and changes with each retrievable change', () => {
    const unchanged = versions.now();
    for (let time = 0; time < 3; time += 1) carryOut(write('file', 1));
    expect(versions.now()).toEqual({ file: expect.any(Number), retrievable: unchanged.retrievable });
    expect(versions.now().file).not.toBe(unchanged.file);
    for (const change of [
      publish('file', 1),
      write('file', 1),
      publish('file', 1, 2),
      {
        kind: 'setAttributes',
        organizationId,
        assetId: 'file',
        attributes: attributes('file', { attributesVersion: 2 }),
      },
      { kind: 'removeFile', organizationId, assetId: 'file' },
    ] satisfies Write[]) {
      const { retrievable } = versions.now();
      carryOut(change);
      expect(versions.now().retrievable).not.toBe(retrievable);
    }
  });

  it('keeps a retrieval from using what its word leg found before such a change', () => {
    const retrievals = new Retrievals(reader, vectors);
    carryOut(write('early', 1));
    carryOut(publish('early', 1));
    const asked = retrieval({ terms: [['two']], principals: null });
    const before = executeRead(reader, retrievals, { kind: 'words', organizationId, retrieval: asked }) as FoundWords;
    expect(before.ids).toHaveLength(3);
    carryOut({ kind: 'removeFile', organizationId, assetId: 'early' });
    expect(linesWith(reader, retrievals, asked, [], before)).toEqual([]);
  });

  it.each<[string, (revision: number) => Write]>([
    ['a revision is discarded', (revision) => ({ kind: 'discard', organizationId, assetId: 'large', revision })],
    ['a file is removed', () => ({ kind: 'removeFile', organizationId, assetId: 'large' })],
    ['a file becomes shorter', (revision) => publish('large', revision, 1)],
  ])('invalidates cached word weights after a change, also if searches ran during it: %s', (_, change) => {
    const indexed = (assetId: string, count: number, stemsOf: (ordinal: number) => string): void => {
      const rows = Array.from({ length: count }, (__, ordinal) => passageRow(ordinal, stemsOf(ordinal), 1));
      carryOut({
        kind: 'write',
        organizationId,
        assetId,
        revision: 1,
        embeddingModel: null,
        rows,
        vectors: new Float32Array(),
        vectorSizes: new Uint32Array(count),
      });
      carryOut(publish(assetId, 1, count));
    };
    // The change swaps which of the two words is rarer.
    indexed('small', 400, (ordinal) => (ordinal < 150 ? 'rare' : 'common'));
    indexed('large', 1600, (ordinal) => (ordinal % 2 === 0 ? 'rare' : 'other'));
    const asked = retrieval({ terms: [['rare'], ['common']], limit: 20 });
    const best = (retrievals: Retrievals): string[] => retrieved(reader, retrievals, asked);
    const lasting = new Retrievals(reader, vectors);
    const before = best(lasting);
    const steps = stepsOf(writer, change(1));
    let searches = 0;
    while (!step(steps)) searches += best(lasting).length;
    expect(searches).toBeGreaterThan(0);
    expect(best(lasting)).toEqual(best(new Retrievals(reader, vectors)));
    expect(best(lasting)).not.toEqual(before);
    for (const assetId of ['small', 'large']) carryOut({ kind: 'removeFile', organizationId, assetId });
  });

  it.each([1, 2, 3])(
    'gives cached readers the same results as new ones after each step of concurrent changes, seed %i',
    (seed) => {
      let state = seed;
      const random = (below: number): number => {
        state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
        return Math.floor((state / 2 ** 32) * below);
      };
      const open = new Map<string, { steps: Steps; then: Write[] }>();
      const revisions = new Map<string, number>();
      function begin(assetId: string): Write[] {
        const revision = revisions.get(assetId) ?? 0;
        const version = (seed + 1) * 1000 + random(1000);
        const principals = [['few'], ['many'], ['few', 'many']][random(3)] ?? [];
        const given = attributes(assetId, {
          attributesVersion: version,
          aclMode: random(2) === 0 ? 'open' : 'restricted',
          principals,
          present: random(8) > 0,
        });
        switch (random(6)) {
          case 0:
            revisions.set(assetId, 0);
            return [{ kind: 'removeFile', organizationId, assetId }];
          case 1:
            return revision === 0 ? [] : [{ kind: 'setAttributes', organizationId, assetId, attributes: given }];
          case 2:
            return revision === 0
              ? []
              : [{ kind: 'write', organizationId, assetId, revision, ...rowsOf(1 + random(4), random) }];
          default: {
            const count = 1 + random(700);
            revisions.set(assetId, revision + 1);
            const publication: Write = {
              kind: 'publish',
              organizationId,
              assetId,
              revision: revision + 1,
              count,
              attributes: given,
            };
            const before: Write[] = revision === 0 ? [] : [{ kind: 'discard', organizationId, assetId, revision }];
            return [
              { kind: 'write', organizationId, assetId, revision: revision + 1, ...rowsOf(count, random) },
              publication,
              ...before,
            ];
          }
        }
      }
      const lasting = new Retrievals(reader, vectors);
      let seen = 0;
      for (let turn = 0; turn < 45; turn += 1) {
        const assetId = `asset ${random(6)}`;
        const [first, ...then] = open.has(assetId) ? [] : begin(assetId);
        if (first !== undefined) open.set(assetId, { steps: stepsOf(writer, first), then });
        const change = open.get(assetId);
        if (change === undefined) continue;
        if (step(change.steps)) {
          const next = change.then.shift();
          if (next === undefined) open.delete(assetId);
          else change.steps = stepsOf(writer, next);
        }
        for (const principals of [[], ['few'], ['many']]) {
          const found = foundBy(reader, lasting, principals);
          expect(found).toEqual(foundBy(reader, new Retrievals(reader, vectors), principals));
          seen += found.length;
        }
      }
      expect(seen).toBeGreaterThan(1000);
      for (const [assetId] of revisions) carryOut({ kind: 'removeFile', organizationId, assetId });
    },
  );
});
