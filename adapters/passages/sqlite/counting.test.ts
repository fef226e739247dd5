import { stepsOf } from './changes.ts';
import { openConnection } from './connection.ts';
import type { Connection } from './connection.ts';
import type { Write } from './messages.ts';
import { portion } from './rows.ts';

const file = { organizationId: 'organization', assetId: 'asset' };
const total = 2 * portion + 100;

function written(revision: number, from: number, to: number, stem = 'row'): Write {
  const rows = Array.from({ length: to - from }, (_, index) => ({
    ordinal: from + index,
    text: 'text',
    stems: `common ${stem}${from + index}`,
    length: 2,
    location: {},
    language: null,
    speaker: null,
    analysedAs: 'en',
  }));
  return {
    kind: 'write',
    ...file,
    revision,
    embeddingModel: null,
    rows,
    vectorSizes: new Uint32Array(rows.length),
    vectors: new Float32Array(),
  };
}

function published(revision: number, count: number): Write {
  const attributes = {
    assetId: 'asset',
    attributesVersion: 1,
    aclMode: 'open' as const,
    principals: [],
    kind: 'document' as const,
    externalId: 'e',
    metadata: {},
    collections: [],
    createdAt: 1,
    present: true,
  };
  return { kind: 'publish', ...file, revision, count, attributes };
}

describe('the word statistics of a long file', () => {
  let connection: Connection;
  beforeEach(() => {
    connection = openConnection(':memory:', 'writer');
    done(written(1, 0, total));
  });
  afterEach(() => connection.close());

  /** Runs a change to its end. Returns the number of steps. */
  function done(write: Write): number {
    let steps = 1;
    for (const change = stepsOf(connection, write); change.next().done !== true; steps++);
    return steps;
  }

  /** The word statistics, and the number of retrievable rows. */
  function counted(): { passages: unknown; words: unknown; common: unknown; stems: unknown; found: unknown } {
    const organization = connection.get('select passages, words from organizations');
    return {
      passages: organization?.['passages'],
      words: organization?.['words'],
      common: connection.get("select passages from stem_counts where stem = 'common'")?.['passages'] ?? 0,
      stems: connection.get('select count(*) as stems from stem_counts')?.['stems'],
      found: connection.get('select count from live')?.['count'] ?? 0,
    };
  }

  const statistics = (count: number, found = count) => ({
    passages: count,
    words: 2 * count,
    common: count,
    stems: count === 0 ? 0 : count + 1,
    found,
  });

  it('include one portion of rows per step, and the file is retrievable after the last', () => {
    const change = stepsOf(connection, published(1, total));
    change.next();
    expect(counted()).toEqual(statistics(portion, 0));
    change.next();
    expect(counted()).toEqual(statistics(2 * portion, 0));
    expect(change.next().done).toBe(true);
    expect(counted()).toEqual(statistics(total));
  });

  it('are correct after an interrupted change is repeated or undone', () => {
    stepsOf(connection, published(1, total)).next();
    done(written(1, 0, 10, 'other'));
    expect(counted()).toEqual(statistics(portion, 0));
    done(published(1, total));
    expect(counted()).toEqual(statistics(total));
    stepsOf(connection, { kind: 'discard', ...file, revision: 1 }).next();
    expect(counted()).toEqual(statistics(total - portion, 0));
    done({ kind: 'discard', ...file, revision: 1 });
    expect(counted()).toEqual(statistics(0));
    expect(connection.get('select count(*) as left from passages')?.['left']).toBe(0);
  });

  it('exclude rows above a smaller count, which are hidden by the first step', () => {
    done(published(1, total));
    const change = stepsOf(connection, published(1, 7));
    change.next();
    expect(counted()).toEqual({ ...statistics(total - portion), found: 7 });
    while (change.next().done !== true);
    expect(counted()).toEqual(statistics(7));
    expect(connection.get('select count(*) as left from passages')?.['left']).toBe(7);
  });

  it('are removed by a repeated removal of an organization that ran during a publication', () => {
    const change = stepsOf(connection, published(1, total));
    change.next();
    done({ kind: 'removeOrganization', organizationId: 'organization', assetId: '' });
    while (change.next().done !== true);
    done({ kind: 'removeOrganization', organizationId: 'organization', assetId: '' });
    for (const table of [
      'files',
      'revisions',
      'live',
      'passages',
      'marks',
      'stem_counts',
      'stem_parts',
      'language_counts',
      'runs',
      'postings',
    ]) {
      expect([table, connection.get(`select count(*) as left from ${table}`)?.['left']]).toEqual([table, 0]);
    }
    expect(connection.all('select passages, words from organizations')).toEqual([{ passages: 0, words: 0 }]);
  });

  it('change in one step for a short file', () => {
    expect(done(written(2, 0, 20, 'second'))).toBe(1);
    expect(done(published(2, 20))).toBe(1);
    expect(done({ kind: 'discard', ...file, revision: 2 })).toBe(1);
  });
});
