import { setTimeout as pause } from 'node:timers/promises';
import type { CollectionView, CreatedCollectionView } from '../../models/library-collection.ts';
import { content, expectRefused, registration, type Answer, type ErrorBody, type Expected } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';

let program: TestProgram;
const ids: string[] = [];
beforeAll(async () => {
  program = await startTestProgram();
  for (const name of ['river', 'lake', 'pond', 'delta'])
    ids.push(
      (
        await program.standard.indexed({
          externalId: name,
          ...program.source.put(`${name}.txt`, `an otter at the ${name}`),
        })
      ).assetId,
    );
});
afterAll(() => program.end());

const path = `${content}/collections`;
const unknown = '00000000-0000-4000-8000-000000000000';

function write(externalId: string, body: unknown): Promise<Answer<CollectionView & ErrorBody>> {
  return program.standard.ask('PUT', `${path}/${externalId}`, { body });
}

function change(externalId: string, body: unknown): Promise<Answer<ErrorBody & { assetCount: number }>> {
  return program.standard.ask('PUT', `${path}/${externalId}/assets`, { body });
}

function create(body: unknown): Promise<Answer<CreatedCollectionView & ErrorBody>> {
  return program.standard.ask('POST', path, { body });
}

function remove(externalId: string): Promise<Answer<ErrorBody>> {
  return program.standard.ask('DELETE', `${path}/${externalId}`);
}

async function all(query = '?limit=200'): Promise<CollectionView[]> {
  return (await program.standard.get<{ items: CollectionView[] }>(200, 'GET', `${path}${query}`)).items;
}

async function countOf(externalId: string): Promise<number | undefined> {
  return (await all()).find((collection) => collection.externalId === externalId)?.assetCount;
}

async function found(...collections: string[]): Promise<string[]> {
  const { items } = await program.standard.search({ query: 'otter', filter: { collections } });
  return items.map(({ assetId }) => assetId).sort();
}

describe('a collection', () => {
  it('is created and changed by its externalId', async () => {
    const made = await write('waters', { name: 'Waters', metadata: { a: 1, b: ['x'] } });
    expect(made).toMatchObject({
      status: 200,
      body: { externalId: 'waters', name: 'Waters', metadata: { a: 1, b: ['x'] }, assetCount: 0 },
    });
    expect(Object.keys(made.body).sort()).toEqual([
      'assetCount',
      'createdAt',
      'externalId',
      'metadata',
      'name',
      'updatedAt',
    ]);
    const changed = await write('waters', { externalId: 'waters', name: 'All waters' });
    expect(changed.body).toMatchObject({
      name: 'All waters',
      metadata: { a: 1, b: ['x'] },
      createdAt: made.body.createdAt,
    });
    expect((await write('waters', { name: 'All waters', metadata: {} })).body.metadata).toEqual({});
    expect(await all()).toHaveLength(1);
  });

  it('is created once by concurrent requests', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, at) => write('crowd', { name: `Crowd ${at}` })));
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(20).fill(200));
    expect(new Set(answers.map(({ body }) => body.createdAt)).size).toBe(1);
    expect((await remove('crowd')).status).toBe(204);
  });

  it.each<[string, unknown, Expected]>([
    ['a%20b', { name: 'x' }, [422, 'validation_error', ['path', 'externalId']]],
    ['%C3%A9', { name: 'x' }, [422, 'validation_error', ['path', 'externalId']]],
    ['x'.repeat(513), { name: 'x' }, [422, 'validation_error', ['path', 'externalId']]],
    ['c', {}, [422, 'validation_error', ['body', 'name']]],
    ['c', { name: '' }, [422, 'validation_error', ['body', 'name']]],
    ['c', { name: 'x'.repeat(513) }, [422, 'validation_error', ['body', 'name']]],
    ['c', { name: 'x', metadata: { a: null } }, [422, 'validation_error', ['body', 'metadata', 'a']]],
    ['c', { name: 'x', assets: [] }, [422, 'validation_error', ['body', 'assets']]],
    ['c', { externalId: 'd', name: 'x' }, [400, 'name_mismatch']],
  ])('number %# is refused', async (externalId, body, expected) => {
    expectRefused(await write(externalId, body), expected);
  });

  it('accepts an externalId of 512 characters and every allowed character', async () => {
    for (const externalId of ['x'.repeat(512), 'aZ0_.~-']) {
      expect((await write(externalId, { name: 'x'.repeat(512) })).status).toBe(200);
      expect((await remove(externalId)).status).toBe(204);
    }
  });
});

describe('files of a collection', () => {
  it('are added and removed with an exact count', async () => {
    const [river, lake, pond] = ids;
    expect((await change('waters', { add: [river, lake, lake] })).body).toEqual({
      externalId: 'waters',
      assetCount: 2,
    });
    expect((await change('waters', { add: [pond], remove: [lake] })).body).toEqual({
      externalId: 'waters',
      assetCount: 2,
    });
    expect((await change('waters', { add: [lake], remove: [lake, unknown] })).body).toEqual({
      externalId: 'waters',
      assetCount: 2,
    });
    expect((await change('waters', {})).body).toEqual({ externalId: 'waters', assetCount: 2 });
    expect(await countOf('waters')).toBe(2);
    expect((await program.standard.asset(river!)).collections).toEqual(['waters']);
    expect((await program.standard.asset(lake!)).collections).toEqual([]);
  });

  it('are found by the next search in this collection only', async () => {
    await write('other', { name: 'Other' });
    for (let round = 0; round < 10; round += 1) {
      await change('waters', { add: ids.slice(0, 2), remove: ids.slice(2) });
      await change('other', { add: [ids[3]], remove: [] });
      expect([
        await found('waters'),
        await found('other'),
        await found('waters', 'other'),
        await found('none'),
        await found(),
      ]).toEqual([ids.slice(0, 2).sort(), [ids[3]], [ids[0], ids[1], ids[3]].sort(), [], []]);
      await change('waters', { remove: ids });
      expect(await found('waters')).toEqual([]);
    }
  });

  it('that do not exist fail the whole request', async () => {
    expectRefused(await change('waters', { add: [ids[0], unknown], remove: [] }), [404, 'asset_not_found']);
    expect(await countOf('waters')).toBe(0);
    expectRefused(await change('nowhere', { add: [ids[0]] }), [404, 'collection_not_found']);
    expectRefused(await change('nowhere', { add: [unknown] }), [404, 'collection_not_found']);
    expect((await change('waters', { remove: [unknown] })).body).toEqual({ externalId: 'waters', assetCount: 0 });
  });

  it.each<[unknown, Expected]>([
    [{ add: ['x'] }, [422, 'validation_error', ['body', 'add', 0]]],
    [{ add: Array(1001).fill(unknown) }, [422, 'validation_error', ['body', 'add']]],
    [{ add: [], remove: Array(1001).fill(unknown) }, [422, 'validation_error', ['body', 'remove']]],
    [{ add: [], drop: [] }, [422, 'validation_error', ['body', 'drop']]],
    [[], [422, 'validation_error', ['body']]],
  ])('number %# is refused', async (body, expected) => {
    expectRefused(await change('waters', body), expected);
  });

  it('have an exact count after concurrent changes', async () => {
    await Promise.all(
      Array.from({ length: 40 }, (_, at) => change('waters', at % 3 === 0 ? { remove: ids } : { add: ids })),
    );
    const members = await Promise.all(ids.map((id) => program.standard.asset(id)));
    const counted = members.filter(({ collections }) => collections.includes('waters')).length;
    expect(await countOf('waters')).toBe(counted);
    expect((await found('waters')).length).toBe(counted);
    expect((await change('waters', { add: ids })).body.assetCount).toBe(4);
  });

  it('that are deleted are no longer counted', async () => {
    const { assetId } = await program.standard.indexed({
      externalId: 'brook',
      collections: ['waters'],
      ...program.source.put('brook.txt', 'an otter at the brook'),
    });
    expect(await countOf('waters')).toBe(5);
    expect((await program.standard.ask('DELETE', `${content}/assets/${assetId}`)).status).toBe(202);
    expect(await countOf('waters')).toBe(4);
    await pause(1500);
    expect(await countOf('waters')).toBe(4);
  });

  it('of another organization are unknown', async () => {
    const { id } = await program.admin.createOrganization('elsewhere');
    const there = program.standard.as(id);
    expect((await there.ask('PUT', `${path}/waters`, { body: { name: 'Theirs' } })).status).toBe(200);
    expectRefused(await there.ask('PUT', `${path}/waters/assets`, { body: { add: [ids[0]] } }), [
      404,
      'asset_not_found',
    ]);
    const unknownThere = await there.ask('DELETE', `${path}/other`);
    expectRefused(unknownThere, [404, 'collection_not_found']);
    expect(unknownThere.body.detail).toBe('There is no collection "other".');
    expect(await there.get(200, 'GET', path)).toMatchObject({ items: [{ name: 'Theirs', assetCount: 0 }] });
    expect(await countOf('waters')).toBe(4);
  });
});

describe('a collection created with files', () => {
  it('gets a generated externalId and lists files that could not be added', async () => {
    const made = await create({ name: 'Made', documents: [ids[0], unknown, ids[1], ids[0]!.toUpperCase()] });
    expect(made).toMatchObject({
      status: 201,
      body: { name: 'Made', metadata: {}, assetCount: 2, unavailable: [{ assetId: unknown, code: 'asset_not_found' }] },
    });
    expect(await found(made.body.externalId)).toEqual(ids.slice(0, 2).sort());
    expect((await remove(made.body.externalId)).status).toBe(204);
  });

  it.each<[unknown, Expected]>([
    [{ documents: [unknown] }, [422, 'validation_error', ['body', 'name']]],
    [{ name: 'x' }, [422, 'validation_error', ['body', 'documents']]],
    [{ name: 'x', documents: [] }, [422, 'validation_error', ['body', 'documents']]],
    [{ name: 'x', documents: Array(1001).fill(unknown) }, [422, 'validation_error', ['body', 'documents']]],
    [{ name: 'x', documents: ['a'] }, [422, 'validation_error', ['body', 'documents', 0]]],
  ])('number %# is refused', async (body, expected) => {
    expectRefused(await create(body), expected);
  });
});

describe('collections of a registration', () => {
  it('are joined immediately, replaced if sent, and kept otherwise', async () => {
    await change('other', { remove: ids });
    const first = program.source.put('moor.txt', 'an otter in the moor');
    const { assetId } = await program.standard.indexed({
      externalId: 'moor',
      collections: ['waters', 'other', 'waters'],
      ...first,
    });
    expect((await program.standard.asset(assetId)).collections).toEqual(['waters', 'other']);
    expect([await countOf('waters'), await countOf('other')]).toEqual([5, 1]);
    expect(await found('other')).toEqual([assetId]);
    await program.standard.indexed({
      externalId: 'moor',
      ...program.source.put('moor2.txt', 'an otter in the moor again'),
    });
    expect((await program.standard.asset(assetId)).collections).toEqual(['waters', 'other']);
    await program.standard.indexed({
      externalId: 'moor',
      collections: ['other'],
      ...program.source.put('moor3.txt', 'an otter in the moor once more'),
    });
    expect([await countOf('waters'), await countOf('other'), (await found('waters')).includes(assetId)]).toEqual([
      4,
      1,
      false,
    ]);
    await program.standard.indexed({
      externalId: 'moor',
      collections: [],
      ...program.source.put('moor4.txt', 'the last otter in the moor'),
    });
    expect([await countOf('other'), await found('other')]).toEqual([0, []]);
  });

  it('must exist, which an import checks for each file', async () => {
    const fields = registration({
      externalId: 'fen',
      collections: ['waters', 'nowhere'],
      ...program.source.put('fen.txt', 'fen'),
    });
    expectRefused(await program.standard.ask('POST', `${content}/assets`, { body: fields }), [
      400,
      'collection_not_found',
    ]);
    const good = registration({ externalId: 'bog', collections: ['other'], ...program.source.put('bog.txt', 'bog') });
    const { results } = await program.standard.get<{ results: object[] }>(202, 'POST', `${content}/imports`, {
      body: { assets: [fields, good] },
    });
    expect(results).toMatchObject([
      { externalId: 'fen', code: 'collection_not_found' },
      { externalId: 'bog', revision: 1 },
    ]);
    expect(await countOf('other')).toBe(1);
  });
});

describe('the list of collections', () => {
  it('is sorted by name and paged', async () => {
    for (const name of ['b', 'a', 'c', 'a'])
      await write(`listed-${Math.random().toString(36).slice(2)}`, { name: `zz ${name}` });
    const names = (await all()).map(({ name }) => name);
    expect(names).toEqual([...names].sort());
    expect(names.slice(-4)).toEqual(['zz a', 'zz a', 'zz b', 'zz c']);
    const pages = [];
    for (let offset = 0; offset < names.length; offset += 2) pages.push(...(await all(`?limit=2&offset=${offset}`)));
    expect(pages.map(({ externalId }) => externalId)).toEqual((await all()).map(({ externalId }) => externalId));
    expect(await all(`?offset=${names.length}`)).toEqual([]);
  });

  it.each(['limit=0', 'limit=201', 'offset=-1', 'limit=x'])('refuses %s', async (query) => {
    expectRefused(await program.standard.ask('GET', `${path}?${query}`), [
      422,
      'validation_error',
      ['query', query.split('=')[0]!],
    ]);
  });
});

describe('a deleted collection', () => {
  it('is unknown immediately; its files stay, and a new one with its name is empty', async () => {
    await change('waters', { add: ids });
    const before = await program.standard.asset(ids[0]!);
    const answer = await remove('waters');
    expect([answer.status, answer.body]).toEqual([204, {}]);
    expectRefused(await remove('waters'), [404, 'collection_not_found']);
    expectRefused(await change('waters', { add: [] }), [404, 'collection_not_found']);
    expect(await found('waters')).toEqual([]);
    const after = await program.standard.asset(ids[0]!);
    expect([after.collections, after.latestJob]).toEqual([[], before.latestJob]);
    expect((await write('waters', { name: 'Waters again' })).body).toMatchObject({ assetCount: 0, metadata: {} });
    expect([await found('waters'), await countOf('waters')]).toEqual([[], 0]);
    expect((await program.standard.search({ query: 'otter' })).items.length).toBeGreaterThanOrEqual(4);
  });
});

describe('a thousand files', () => {
  it('join completely when the request is repeated after a crash', async () => {
    const text = program.source.put('same.txt', 'a heron');
    const assets: string[] = [];
    for (let at = 0; at < 1000; at += 100) {
      const { results } = await program.standard.get<{ results: { assetId: string }[] }>(
        202,
        'POST',
        `${content}/imports`,
        {
          body: {
            assets: Array.from({ length: 100 }, (_, index) =>
              registration({ externalId: `heron-${at + index}`, ...text }),
            ),
          },
        },
      );
      assets.push(...results.map(({ assetId }) => assetId));
    }
    await write('herons', { name: 'Herons' });
    const cut = change('herons', { add: assets }).then(
      () => 'answered',
      () => 'cut off',
    );
    await pause(150);
    await program.process.kill();
    await cut;
    await program.start();
    const { body } = await change('herons', { add: assets });
    expect(body).toEqual({ externalId: 'herons', assetCount: 1000 });
    expect((await change('herons', { remove: assets.slice(0, 999) })).body).toEqual({
      externalId: 'herons',
      assetCount: 1,
    });
    expect(await countOf('herons')).toBe(1);
  });
});
