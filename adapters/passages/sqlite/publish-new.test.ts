import { stepsOf } from './changes.ts';
import { openConnection } from './connection.ts';
import type { Connection } from './connection.ts';
import type { Write } from './messages.ts';
import { PendingWords } from './pending-words.ts';
import { postingsOf } from './testing/postings-of.ts';

type Publish = Extract<Write, { kind: 'publish' }>;

const texts = ['one apple one pear', 'apple tree', 'pear tree house', 'house'];

function published(asset: number, revision = 1, count = 2): Publish {
  const rows = Array.from({ length: count }, (_, ordinal) => {
    const stems = texts[(asset + ordinal + revision) % texts.length] ?? '';
    return {
      ordinal,
      text: stems,
      stems,
      length: stems.split(' ').length,
      location: { charStart: ordinal },
      language: null,
      speaker: null,
      analysedAs: asset % 2 === 0 ? 'en' : 'de',
    };
  });
  // The second passage has no vector.
  const vectors = new Float32Array([asset, 1, 2, 3]);
  return {
    kind: 'publish',
    organizationId: asset < 3 ? 'organization' : 'other',
    assetId: `asset-${asset}`,
    revision,
    count,
    attributes: {
      assetId: `asset-${asset}`,
      attributesVersion: 1,
      aclMode: asset === 1 ? 'restricted' : 'open',
      principals: asset === 1 ? ['p', 'q'] : [],
      kind: 'document',
      externalId: `e-${asset}`,
      metadata: { k: ['a', asset] },
      collections: ['c'],
      createdAt: 7,
      present: asset !== 2,
    },
    last: {
      embeddingModel: 'model',
      rows,
      vectors,
      vectorSizes: Uint32Array.from(rows, (_, ordinal) => (ordinal === 0 ? 4 : 0)),
    },
  };
}

function carriedOut(connection: Connection, write: Write, words?: PendingWords): void {
  for (const steps = stepsOf(connection, write, words); steps.next().done !== true;);
}

/** Stores the file's attributes, so that the file is not new to the index. */
function announced({ organizationId, assetId, attributes }: Publish): Write {
  return { kind: 'setAttributes', organizationId, assetId, attributes: { ...attributes, attributesVersion: 0 } };
}

/** The content of all tables, and the passages of each word. */
function contents(connection: Connection): object {
  const tables = [
    'organizations',
    'files',
    'marks',
    'revisions',
    'live',
    'passages',
    'vectors',
    'stem_counts',
    'stem_parts',
    'language_counts',
  ];
  const stems = new Set(texts.flatMap((text) => text.split(' ')));
  return {
    ...Object.fromEntries(tables.map((table) => [table, connection.all(`select * from ${table} order by 1, 2`)])),
    found: [1, 2].flatMap((organization) =>
      [...stems].map((stem) => [organization, stem, postingsOf(connection, organization, stem)]),
    ),
  };
}

describe('publishing a small new file', () => {
  let connection: Connection;
  let other: Connection;
  beforeEach(() => {
    connection = openConnection(':memory:', 'writer');
    other = openConnection(':memory:', 'writer');
  });
  afterEach(() => {
    connection.close();
    other.close();
  });

  it('stores the same rows as the general path, and counts its words with those of other files', () => {
    const words = new PendingWords();
    for (const asset of [0, 1, 2, 3]) {
      carriedOut(connection, published(asset), words);
      carriedOut(other, announced(published(asset)));
      carriedOut(other, published(asset));
    }
    expect(connection.all('select * from stem_counts')).toEqual([]);
    words.flush(connection);
    expect(contents(connection)).toEqual(contents(other));
    expect(
      connection.get("select passages from stem_counts where organization = 1 and stem = 'tree'")?.['passages'],
    ).toBe(3);
    // A second flush counts nothing twice.
    words.flush(connection);
    expect(contents(connection)).toEqual(contents(other));
  });

  it('counts its words before it is removed or replaced in the same transaction', () => {
    const words = new PendingWords();
    for (const asset of [0, 1, 2]) carriedOut(connection, published(asset), words);
    carriedOut(connection, { kind: 'discard', organizationId: 'organization', assetId: 'asset-0', revision: 1 }, words);
    carriedOut(connection, published(1, 2, 1), words);
    carriedOut(connection, published(2, 1, 1), words);
    carriedOut(connection, { kind: 'removeFile', organizationId: 'organization', assetId: 'asset-2' }, words);
    words.flush(connection);
    expect(connection.all('select stem, passages from stem_counts order by stem')).toEqual([
      { stem: 'house', passages: 3 },
      { stem: 'pear', passages: 1 },
      { stem: 'tree', passages: 1 },
    ]);
    expect(connection.get('select passages from organizations')).toEqual({ passages: 3 });
  });

  it('leaves no words after a rollback to a savepoint', () => {
    const words = new PendingWords();
    carriedOut(connection, published(0), words);
    const before = words.state;
    connection.database.exec('savepoint step');
    carriedOut(connection, published(1), words);
    connection.database.exec('rollback to step');
    words.restore(before);
    words.flush(connection);
    carriedOut(other, published(0));
    expect(contents(connection)).toEqual(contents(other));
  });
});
