import { content, expectRefused, type Expected } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';

let program: TestProgram;
let assetId: string;
beforeAll(async () => {
  program = await startTestProgram();
  ({ assetId } = await program.standard.indexed(program.source.put('otter.txt', 'otter in the river')));
});
afterAll(() => program.end());

const unknown = '00000000-0000-4000-8000-000000000000';

function put(what: 'metadata' | 'permissions', body: unknown, id = assetId) {
  return program.standard.ask('PUT', `${content}/assets/${id}/${what}`, { body });
}

async function finds(extra: object): Promise<number> {
  return (await program.standard.search({ query: 'otter', ...extra })).items.length;
}

describe('metadata', () => {
  it('is replaced as a whole, returned, and needs no reindexing', async () => {
    const before = await program.standard.asset(assetId);
    expect(await put('metadata', { metadata: { a: 1, b: ['x', true, 2.5] } })).toMatchObject({
      status: 200,
      body: { assetId, metadata: { a: 1, b: ['x', true, 2.5] } },
    });
    const second = await put('metadata', { metadata: { c: 'd' } });
    expect(second.body).toEqual({ assetId, metadata: { c: 'd' } });
    expect((await program.standard.ask('GET', `${content}/assets/${assetId}/metadata`)).body).toEqual({
      assetId,
      metadata: { c: 'd' },
    });
    const after = await program.standard.asset(assetId);
    expect(after).toMatchObject({ metadata: { c: 'd' }, latestRevision: 1, latestJob: before.latestJob });
    expect(Date.parse(after.updatedAt)).toBeGreaterThanOrEqual(Date.parse(before.updatedAt));
  });

  it('applies to the next search', async () => {
    for (let round = 0; round < 10; round += 1) {
      await put('metadata', { metadata: { round } });
      expect([
        await finds({ filter: { metadata: { round } } }),
        await finds({ filter: { metadata: { round: round - 1 } } }),
      ]).toEqual([1, 0]);
    }
    const { items } = await program.standard.search({ query: 'otter' });
    expect(items[0]!.metadata).toEqual({ round: 9 });
  });

  it.each<[unknown, Expected]>([
    [{}, [422, 'validation_error', ['body', 'metadata']]],
    [{ metadata: null }, [422, 'validation_error', ['body', 'metadata']]],
    [{ metadata: [] }, [422, 'validation_error', ['body', 'metadata']]],
    [{ metadata: { a: { b: 1 } } }, [422, 'validation_error', ['body', 'metadata', 'a']]],
    [{ metadata: { a: ['x', null] } }, [422, 'validation_error', ['body', 'metadata', 'a', 1]]],
    [{ metadata: {}, mode: 'open' }, [422, 'validation_error', ['body', 'mode']]],
  ])('%j is refused', async (body, expected) => {
    expectRefused(await put('metadata', body), expected);
  });

  it('of an unknown asset is refused after the body is validated', async () => {
    expectRefused(await put('metadata', { metadata: {} }, unknown), [404, 'asset_not_found']);
    expectRefused(await put('metadata', {}, unknown), [422, 'validation_error', ['body', 'metadata']]);
    expectRefused(await put('metadata', {}, 'x'), [422, 'validation_error', ['path', 'assetId']]);
  });

  it('may have the names of built-in object properties', async () => {
    const odd = JSON.parse('{"constructor":"c","toString":1,"a.b":"dot","$gt":"sign","run.state":"x"," ":true}');
    expect((await put('metadata', { metadata: odd })).body).toEqual({ assetId, metadata: odd });
    expect(await finds({ filter: { metadata: { 'a.b': 'dot', $gt: 'sign', constructor: 'c' } } })).toBe(1);
    expect(await finds({ filter: { metadata: { constructor: 'd' } } })).toBe(0);
  });

  it('is one of the values that were written concurrently', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, writer) => put('metadata', { metadata: { writer } })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array<number>(20).fill(200));
    const { metadata } = await program.standard.asset(assetId);
    expect(await finds({ filter: { metadata: { writer: Number(metadata['writer']) } } })).toBe(1);
  });
});

describe('permissions', () => {
  it('are replaced as a whole, and returned without duplicates in the order sent', async () => {
    expect(await put('permissions', { mode: 'restricted', principals: ['b', 'a', 'b'] })).toMatchObject({
      status: 200,
      body: { assetId, mode: 'restricted', principals: ['b', 'a'] },
    });
    expect((await put('permissions', { mode: 'restricted', principals: ['c'] })).body).toEqual({
      assetId,
      mode: 'restricted',
      principals: ['c'],
    });
    expect((await program.standard.ask('GET', `${content}/assets/${assetId}/permissions`)).body).toEqual({
      assetId,
      mode: 'restricted',
      principals: ['c'],
    });
    expect(await program.standard.asset(assetId)).toMatchObject({ aclMode: 'restricted' });
    expect(await program.standard.asset(assetId)).not.toHaveProperty('principals');
    expect((await put('permissions', { mode: 'open' })).body).toEqual({ assetId, mode: 'open', principals: [] });
    expect((await put('permissions', { mode: 'open', principals: [] })).body).toEqual({
      assetId,
      mode: 'open',
      principals: [],
    });
  });

  it('apply to the next search, both grants and revocations', async () => {
    for (let round = 0; round < 10; round += 1) {
      await put('permissions', { mode: 'restricted', principals: ['reader'] });
      expect([
        await finds({}),
        await finds({ principals: [] }),
        await finds({ principals: ['other'] }),
        await finds({ principals: ['other', 'reader'] }),
      ]).toEqual([0, 0, 0, 1]);
      await put('permissions', { mode: 'restricted', principals: [] });
      expect(await finds({ principals: ['reader'] })).toBe(0);
      await put('permissions', { mode: 'open' });
      expect([await finds({}), await finds({ principals: ['other'] })]).toEqual([1, 1]);
    }
  });

  it('match principals exactly', async () => {
    await put('permissions', { mode: 'restricted', principals: ['Ünit:1 ', "o'neil%_", '"quoted"\\'] });
    const seen = [];
    for (const principal of [
      'Ünit:1 ',
      'Ünit:1',
      'ünit:1 ',
      'U\u0308nit:1 ',
      "o'neil%_",
      "o'neilab",
      '"quoted"\\',
      'quoted',
    ])
      seen.push(await finds({ principals: [principal] }));
    expect(seen).toEqual([1, 0, 0, 0, 1, 0, 1, 0]);
  });

  it('accept 5,000 principals, any of which gives access', async () => {
    const many = Array.from({ length: 5000 }, (_, index) => `${index}${'é'.repeat(100)}`);
    expect((await put('permissions', { mode: 'restricted', principals: many })).status).toBe(200);
    expect([
      await finds({ principals: [many[4999]] }),
      await finds({ principals: [many[0]] }),
      await finds({ principals: ['5000'] }),
    ]).toEqual([1, 1, 0]);
  });

  it.each<[unknown, Expected]>([
    [{}, [422, 'validation_error', ['body', 'mode']]],
    [{ mode: 'closed' }, [422, 'validation_error', ['body', 'mode']]],
    [{ mode: 'restricted' }, [422, 'validation_error', ['body', 'principals']]],
    [{ mode: 'open', principals: ['a'] }, [422, 'validation_error', ['body', 'principals']]],
    [{ mode: 'restricted', principals: 'a' }, [422, 'validation_error', ['body', 'principals']]],
    [{ mode: 'restricted', principals: ['a', 1] }, [422, 'validation_error', ['body', 'principals', 1]]],
    [{ mode: 'restricted', principals: ['a', ''] }, [422, 'validation_error', ['body', 'principals', 1]]],
    [{ mode: 'restricted', principals: ['x'.repeat(513)] }, [422, 'validation_error', ['body', 'principals', 0]]],
    [
      { mode: 'restricted', principals: Array.from({ length: 5001 }, String) },
      [422, 'validation_error', ['body', 'principals']],
    ],
    [{ mode: 'open', groups: [] }, [422, 'validation_error', ['body', 'groups']]],
  ])('%# is refused', async (body, expected) => {
    expectRefused(await put('permissions', body), expected);
  });

  it('of an unknown asset are refused', async () => {
    expectRefused(await put('permissions', { mode: 'open' }, unknown), [404, 'asset_not_found']);
    expectRefused(await program.standard.ask('GET', `${content}/assets/${unknown}/permissions`), [
      404,
      'asset_not_found',
    ]);
  });
});
