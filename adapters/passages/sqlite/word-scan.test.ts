import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemRuntime } from '../../../models/runtime.ts';
import { attributes, index, newScope, passage, retrieval } from '../conformance-data.ts';
import type { Passages, Retrieval } from '../port.ts';
import { numberOf, openConnection, type Connection } from './connection.ts';
import { PermittedCache } from './permitted.ts';
import { openSqlitePassages } from './sqlite.ts';
import { wordLeg } from './statements.ts';
import { Versions } from './versions.ts';
import { WordScan } from './word-scan.ts';

const scope = newScope();
/** A seeded pseudorandom generator. */
let state = 11;
const random = (below: number): number => {
  state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
};
/** Stems from common to rare. */
const stems = Array.from({ length: 40 }, (_, i) => `stem${i}`);
const text = (words: number): string =>
  Array.from({ length: words }, () => stems[Math.min(random(40), random(40))] ?? '').join(' ');

async function indexFile(passages: Passages, assetId: string): Promise<void> {
  const rows = Array.from({ length: 1 + random(9) }, (_, ordinal) => passage(ordinal, text(3 + random(30))));
  const principals = [['few'], ['few', 'many'], ['many']][random(3)] ?? [];
  await index(passages, scope, rows, attributes(assetId, random(4) === 0 ? {} : { aclMode: 'restricted', principals }));
}

describe('the scan of cached postings', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ply-words-'));
  let passages: Passages;
  let reader: Connection;
  let permittedCache: PermittedCache;
  let versions: Versions;
  beforeAll(async () => {
    passages = await openSqlitePassages({ folder, runtime: systemRuntime, readerThreads: 1 });
    for (let file = 0; file < 40; file += 1) await indexFile(passages, `asset-${file}`);
    reader = openConnection(join(folder, 'passages.db'), 'reader');
    permittedCache = new PermittedCache(reader);
    versions = new Versions(reader);
  });
  afterAll(async () => {
    reader.close();
    await passages.close();
    rmSync(folder, { recursive: true });
  });

  const asked = (words: readonly string[], more: Partial<Retrieval> = {}): Retrieval =>
    retrieval({ terms: words.map((stem) => [stem]), limit: 25, ...more });

  function byStatement(request: Retrieval): number[] {
    const leg = wordLeg(1, request);
    return leg === null ? [] : reader.lists(leg.sql, ...leg.values).map((row) => numberOf(row[0]));
  }

  function byScan(scan: WordScan, request: Retrieval): number[] | null {
    const version = versions.now();
    const permitted = permittedCache.get(1, request, null, version.retrievable);
    const counted = [...new Set(request.terms.flat())].map((stem) => ({
      stem,
      passages: numberOf(
        reader.get('select passages from stem_counts where organization = 1 and stem = ?', stem)?.['passages'],
      ),
    }));
    return permitted === null ? null : (scan.best(1, permitted, counted, version, request.limit)?.ids ?? null);
  }

  /** Searches twice, with a cold and a warm cache, and expects the same result. */
  function found(scan: WordScan, request: Retrieval): number[] | null {
    const first = byScan(scan, request);
    expect(byScan(scan, request)).toEqual(first);
    return first;
  }

  it('returns the same passages in the same order as the SQL statement, for any principals', () => {
    const scan = new WordScan(reader, 10_000_000);
    for (const principals of [null, ['few'], ['many'], ['few', 'many', 'nobody']]) {
      for (const words of [['stem0'], ['stem25'], ['stem3', 'stem0', 'stem20'], stems]) {
        for (const limit of [1, 25, 1000]) {
          const request = asked(words, { principals, limit });
          const expected = byStatement(request);
          expect(found(scan, request)).toEqual(expected);
          if (words === stems) expect(expected.length).toBeGreaterThan(limit > 25 ? 25 : 0);
        }
      }
    }
  });

  it('reflects later publications, grants and removals', async () => {
    const scan = new WordScan(reader, 10_000_000);
    const request = asked(['stem1', 'stem2'], { principals: ['few'], limit: 1000 });
    const before = found(scan, request);
    expect(before).toEqual(byStatement(request));
    await passages.setAttributes(
      scope,
      attributes('asset-7', { attributesVersion: 2, aclMode: 'restricted', principals: ['few'] }),
    );
    await passages.setAttributes(
      scope,
      attributes('asset-8', { attributesVersion: 2, aclMode: 'restricted', principals: ['nobody'] }),
    );
    // Permissions are not cached with the postings: no postings are read again.
    expect(byScan(scan, request)).toEqual(byStatement(request));
    await indexFile(passages, 'asset-new');
    await passages.removeFile(scope, 'asset-3');
    // The words changed, and with them their weights.
    const after = found(scan, request);
    expect(after).toEqual(byStatement(request));
    expect(after).not.toEqual(before);
    await passages.write(scope, { assetId: 'asset-9', revision: 1, embeddingModel: null }, [
      passage(0, 'stem1 stem1 stem2'),
    ]);
    expect(found(scan, request)).toEqual(byStatement(request));
  });

  it('returns null if the postings do not fit', () => {
    const small = new WordScan(reader, 100);
    expect(found(small, asked(['stem1']))).toBeNull();
    // 100 bytes are enough for at most the twelve postings of a rare word.
    for (let time = 0; time < 500; time += 1) byScan(small, asked(['stem0']));
    expect(found(small, asked(['stem0']))).toBeNull();
  });

  it('caches the requested word if only one word fits', () => {
    const words = stems.slice(10);
    const maxPassages = Number(
      reader.get(
        'select max(passages) as count from stem_counts where stem in (select value from json_each(?))',
        JSON.stringify(words),
      )?.['count'],
    );
    const scan = new WordScan(reader, maxPassages * 8 + 50);
    for (const word of [...words, ...words])
      expect([word, found(scan, asked([word]))]).toEqual([word, byStatement(asked([word]))]);
    expect(found(scan, asked(words))).toBeNull();
    expect(found(scan, asked(words.slice(0, 1)))).toEqual(byStatement(asked(words.slice(0, 1))));
  });

  it('returns null for words that a long unpublished file repeats', async () => {
    const own = newScope();
    await index(passages, own, [passage(0, 'stem1 stem2')], attributes('found'));
    const long = Array.from({ length: 2600 }, (_, ordinal) => passage(ordinal, 'stem1 stem1 stem3'));
    await passages.write(own, { assetId: 'long', revision: 1, embeddingModel: null }, long);
    const organization = numberOf(
      reader.get('select number from organizations where id = ?', own.organizationId)?.['number'],
    );
    const scan = new WordScan(reader, 10_000_000);
    const scanned = (stem: string): number | undefined => {
      const version = versions.now();
      const permitted = permittedCache.get(organization, asked([stem]), null, version.retrievable);
      return permitted === null
        ? undefined
        : scan.best(organization, permitted, [{ stem, passages: 1 }], version, 25)?.ids.length;
    };
    expect([scanned('stem1'), scanned('stem2'), scanned('stem1')]).toEqual([undefined, 1, undefined]);
    const leg = wordLeg(organization, asked(['stem1']));
    expect(leg === null ? [] : reader.lists(leg.sql, ...leg.values)).toHaveLength(1);
    await passages.removeFile(own, 'long');
    expect(scanned('stem1')).toBe(1);
  });

  it('weighs words by frequency, length and rarity exactly as the statement', async () => {
    const own = newScope();
    // Ties and nearly equal sums: their order shows whether the numbers are identical.
    for (let file = 0; file < 25; file += 1)
      await index(
        passages,
        own,
        Array.from({ length: 1 + random(4) }, (_, ordinal) => passage(ordinal, text(1 + random(file < 20 ? 40 : 400)))),
        attributes(`own-${file}`),
      );
    const organization = numberOf(
      reader.get('select number from organizations where id = ?', own.organizationId)?.['number'],
    );
    const scan = new WordScan(reader, 10_000_000);
    for (const words of [['stem0'], ['stem39', 'stem0', 'stem5'], stems]) {
      const request = asked(words, { limit: 1000 });
      const version = versions.now();
      const permitted = permittedCache.get(organization, request, null, version.retrievable);
      const leg = wordLeg(organization, request);
      if (permitted === null || leg === null) throw new Error('there is something to look for');
      const expected = reader.lists(leg.sql, ...leg.values).map((row) => numberOf(row[0]));
      expect(expected.length).toBeGreaterThan(10);
      expect(
        scan.best(
          organization,
          permitted,
          words.map((stem) => ({ stem, passages: 1 })),
          version,
          1000,
        )?.ids,
      ).toEqual(expected);
    }
  });
});
