import type { SearchItem } from '../../models/api.ts';
import type { BoostRule, PinRule, SynonymRule } from '../../models/tuning.ts';
import { content, expectRefused, type Answer, type ErrorBody, type Expected } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';

let program: TestProgram;
const ids = new Map<string, string>();
const files: { name: string; text: string; metadata?: object }[] = [
  {
    name: 'attack.txt',
    text: 'A heart attack needs help within minutes. Chew aspirin and call for help.',
    metadata: { shelf: 'care', year: 1 },
  },
  {
    name: 'infarction.txt',
    text: 'A myocardial infarction is treated in the catheter laboratory.',
    metadata: { shelf: 'hospital', year: 2 },
  },
  { name: 'half.txt', text: 'The infarction of a kidney is rare.' },
  { name: 'arrest.txt', text: 'Cardiac arrests need a defibrillator.' },
  { name: 'who.txt', text: 'The World Health Organization publishes a report each year.' },
  ...Array.from({ length: 12 }, (_, at) => ({
    name: `badger-${at}.txt`,
    text: `The badger number ${'very '.repeat(at)}calm digs.`,
    metadata: { shelf: at % 2 === 0 ? 'even' : 'odd', tags: ['animal', at] },
  })),
];

beforeAll(async () => {
  program = await startTestProgram();
  for (const { name, text, metadata } of files)
    ids.set(
      name,
      (
        await program.standard.indexed({
          externalId: name,
          filename: name,
          ...program.source.put(name, text),
          ...(metadata === undefined ? {} : { metadata }),
        })
      ).assetId,
    );
});
afterAll(() => program.end());

const path = `${content}/tuning`;
const unknown = '00000000-0000-4000-8000-000000000000';

function put<T>(what: string, body: unknown): Promise<Answer<T & ErrorBody>> {
  return program.standard.ask('PUT', `${path}/${what}`, { body });
}

async function read<T>(what: string): Promise<T[]> {
  return (await program.standard.get<{ items: T[] }>(200, 'GET', `${path}/${what}`)).items;
}

function search(query: string, more: object = {}) {
  return program.standard.search({ query, limit: 100, ...more });
}

function names(items: SearchItem[]): string[] {
  return items.map(({ filename }) => filename);
}

function grades(items: SearchItem[]): Map<string, number> {
  return new Map(items.map(({ filename, relevance }) => [filename, relevance]));
}

function marks({ snippet, highlights }: SearchItem): string[] {
  return highlights.map(({ start, end }) => snippet.slice(start, end));
}

const dictionary: SynonymRule[] = [
  { term: 'Heart Attack', expansions: ['myocardial infarction', 'cardiac arrest'] },
  { term: 'WHO', expansions: ['World Health Organization'] },
];

describe('synonyms', () => {
  it('are replaced as a whole and returned as sent', async () => {
    expect(await read('synonyms')).toEqual([]);
    expect(await put('synonyms', dictionary)).toMatchObject({ status: 200, body: { items: dictionary } });
    expect(await read('synonyms')).toEqual(dictionary);
    expect((await put('synonyms', [])).body).toEqual({ items: [] });
    expect(await read('synonyms')).toEqual([]);
  });

  it('with several words match, are highlighted, and count as the original words', async () => {
    const before = await search('heart attacks');
    expect(names(before.items)).toEqual(['attack.txt']);
    await put('synonyms', dictionary);
    const after = await search('Heart Attacks');
    expect(names(after.items).sort()).toEqual(['arrest.txt', 'attack.txt', 'infarction.txt']);
    const marked = new Map(after.items.map((item) => [item.filename, marks(item)]));
    expect(marked.get('infarction.txt')).toEqual(['myocardial infarction']);
    expect(marked.get('arrest.txt')).toEqual(['Cardiac arrests']);
    expect(after.terms).toEqual(['heart', 'attacks']);
    for (const item of after.items) expect(item.matchType).toBe('keyword');
    const alone = await search('heart attacks', { filter: { externalIds: ['arrest.txt'] } });
    expect([names(alone.items), alone.terms]).toEqual([['arrest.txt'], ['heart', 'attacks']]);
  });

  it('do not change the relevance of direct matches', async () => {
    await put('synonyms', []);
    const queries = [
      'heart attack',
      'infarction',
      'aspirin heart attack help',
      'badger calm',
      'myocardial infarction laboratory',
    ];
    const before = await Promise.all(queries.map((query) => search(query)));
    await put('synonyms', [
      ...dictionary,
      { term: 'badger', expansions: ['calm', 'digs', 'number'] },
      { term: 'infarction', expansions: ['heart attack', 'rare kidney'] },
    ]);
    for (const [at, query] of queries.entries()) {
      const after = grades((await search(query)).items);
      for (const [name, relevance] of grades(before[at]!.items))
        expect([query, name, after.get(name)]).toEqual([query, name, relevance]);
    }
  });

  it('apply in one direction, to whole terms, ignoring case', async () => {
    await put('synonyms', dictionary);
    expect(names((await search('myocardial infarction')).items)).not.toContain('attack.txt');
    expect(names((await search('HEART ATTACK')).items)).toContain('infarction.txt');
    expect(names((await search('attack of the heart')).items)).toEqual(['attack.txt']);
    expect(names((await search('heart')).items)).toEqual(['attack.txt']);
  });

  it('may replace common words', async () => {
    await put('synonyms', []);
    expect(names((await search('who report')).items)).toEqual(['who.txt']);
    await put('synonyms', dictionary);
    const { items, terms } = await search('who');
    expect([names(items), terms, marks(items[0]!)]).toEqual([['who.txt'], ['who'], ['World Health Organization']]);
  });

  it('apply to every page and group', async () => {
    await put('synonyms', [{ term: 'meles', expansions: ['badger'] }]);
    const all = await search('meles');
    expect(all.items).toHaveLength(12);
    const pages = [];
    for (let offset = 0; offset < 12; offset += 5) pages.push(...(await search('meles', { limit: 5, offset })).items);
    expect(names(pages)).toEqual(names(all.items));
    expect(names((await search('meles', { group: 'file' })).items)).toEqual(names(all.items));
    expect(all.terms).toEqual(['meles']);
  });

  it.each<[unknown, Expected]>([
    [{}, [422, 'validation_error', ['body']]],
    [[{ term: 'a' }], [422, 'validation_error', ['body', 0, 'expansions']]],
    [[{ term: '', expansions: ['b'] }], [422, 'validation_error', ['body', 0, 'term']]],
    [[{ term: 'x'.repeat(101), expansions: ['b'] }], [422, 'validation_error', ['body', 0, 'term']]],
    [[{ term: 'a', expansions: [] }], [422, 'validation_error', ['body', 0, 'expansions']]],
    [[{ term: 'a', expansions: Array(21).fill('b') }], [422, 'validation_error', ['body', 0, 'expansions']]],
    [[{ term: 'a', expansions: ['x'.repeat(101)] }], [422, 'validation_error', ['body', 0, 'expansions', 0]]],
    [
      [
        { term: 'b', expansions: ['c'] },
        { term: 'Car', expansions: ['car', 'CAR'] },
      ],
      [422, 'validation_error', ['body', 1, 'expansions']],
    ],
    [
      [
        { term: 'car', expansions: ['auto'] },
        { term: 'Car', expansions: ['wagon'] },
      ],
      [422, 'validation_error', ['body', 1, 'term']],
    ],
    [
      Array.from({ length: 501 }, (_, at) => ({ term: `t${at}`, expansions: ['b'] })),
      [422, 'validation_error', ['body']],
    ],
    [[{ term: 'a', expansions: ['b'], weight: 1 }], [422, 'validation_error', ['body', 0, 'weight']]],
  ])('number %# is refused', async (body, expected) => {
    expectRefused(await put('synonyms', body), expected);
  });

  it('may have 500 terms with 20 expansions of 100 characters', async () => {
    const long = Array.from({ length: 500 }, (_, at) => ({
      term: `term${at}`.padEnd(100, 'é'),
      expansions: Array.from({ length: 20 }, (__, index) => `expansion ${at} ${index} `.padEnd(100, 'ü')),
    }));
    expect((await put('synonyms', long)).status).toBe(200);
    expect((await search('badger')).items).toHaveLength(12);
    expect((await put('synonyms', [])).status).toBe(200);
  });
});

function boost(name: string, match: object, factor: number): Promise<Answer<BoostRule & ErrorBody>> {
  return put(`boosts/${name}`, { name, match, factor });
}

function unboost(name: string): Promise<Answer<ErrorBody>> {
  return program.standard.ask('DELETE', `${path}/boosts/${name}`);
}

describe('boosts', () => {
  it('are created, replaced, listed by name and removed', async () => {
    expect(await boost('b', { kind: 'document' }, 2)).toMatchObject({
      status: 200,
      body: { name: 'b', match: { kind: 'document' }, factor: 2 },
    });
    await boost('a', { metadata: { shelf: ['x', 'y'] }, kind: 'video' }, 0.5);
    await boost('b', { metadata: { year: 1 } }, 10);
    expect(await read('boosts')).toEqual([
      { name: 'a', match: { metadata: { shelf: ['x', 'y'] }, kind: 'video' }, factor: 0.5 },
      { name: 'b', match: { metadata: { year: 1 } }, factor: 10 },
    ]);
    for (const name of ['a', 'b', 'b']) expect((await unboost(name)).status).toBe(204);
    expect(await read('boosts')).toEqual([]);
  });

  it('change order and score only, not relevance', async () => {
    const before = await search('badger');
    await boost('odd', { metadata: { shelf: 'odd' } }, 10);
    await boost('last', { metadata: { tags: [3] } }, 0.000001);
    const after = await search('badger');
    expect(grades(after.items)).toEqual(
      new Map(
        [...grades(before.items)].sort(
          (one, other) => names(after.items).indexOf(one[0]) - names(after.items).indexOf(other[0]),
        ),
      ),
    );
    expect(new Set(names(after.items))).toEqual(new Set(names(before.items)));
    const shelves = after.items.map(({ metadata }) => metadata['shelf']);
    expect(shelves.slice(0, 5)).toEqual(Array(5).fill('odd'));
    expect(names(after.items).at(-1)).toBe('badger-3.txt');
    expect({ ...after, items: 0, searchId: 0 }).toEqual({ ...before, items: 0, searchId: 0 });
    const scores = after.items.map(({ score }) => score);
    expect(scores).toEqual([...scores].sort((one, other) => other - one));
    expect(names((await search('badger', { group: 'file' })).items)).toEqual(names(after.items));
    for (const name of ['odd', 'last']) await unboost(name);
    expect(names((await search('badger')).items)).toEqual(names(before.items));
  });

  it.each<[string, unknown, Expected]>([
    ['a%20b', { name: 'a b', match: { kind: 'video' }, factor: 1 }, [422, 'validation_error', ['path', 'name']]],
    ['x'.repeat(101), { name: 'x', match: { kind: 'video' }, factor: 1 }, [422, 'validation_error', ['path', 'name']]],
    ['n', { match: { kind: 'video' }, factor: 1 }, [422, 'validation_error', ['body', 'name']]],
    ['n', { name: 'n', match: {}, factor: 1 }, [422, 'validation_error', ['body', 'match']]],
    ['n', { name: 'n', match: { metadata: {} }, factor: 1 }, [422, 'validation_error', ['body', 'match']]],
    ['n', { name: 'n', match: { kind: 'image' }, factor: 1 }, [422, 'validation_error', ['body', 'match', 'kind']]],
    ['n', { name: 'n', match: { shelf: 'x' }, factor: 1 }, [422, 'validation_error', ['body', 'match', 'shelf']]],
    ['n', { name: 'n', match: { kind: 'video' } }, [422, 'validation_error', ['body', 'factor']]],
    ['n', { name: 'n', match: { kind: 'video' }, factor: 0 }, [422, 'validation_error', ['body', 'factor']]],
    ['n', { name: 'n', match: { kind: 'video' }, factor: -1 }, [422, 'validation_error', ['body', 'factor']]],
    ['n', { name: 'n', match: { kind: 'video' }, factor: 10.1 }, [422, 'validation_error', ['body', 'factor']]],
    ['n', { name: 'n', match: { kind: 'video' }, factor: '2' }, [422, 'validation_error', ['body', 'factor']]],
    ['n', { name: 'm', match: { kind: 'video' }, factor: 2 }, [400, 'name_mismatch']],
  ])('number %# is refused', async (name, body, expected) => {
    expectRefused(await put(`boosts/${name}`, body), expected);
  });

  it('are all kept when written concurrently', async () => {
    await Promise.all(Array.from({ length: 30 }, (_, at) => boost(`many-${at}`, { kind: 'audio' }, 2)));
    expect(await read('boosts')).toHaveLength(30);
    for (let at = 0; at < 30; at += 1) await unboost(`many-${at}`);
  });
});

describe('pins', () => {
  const pin = (query: string, assetIds: (string | undefined)[]): Promise<Answer<PinRule & ErrorBody>> =>
    put('pins', { query, assetIds });

  it('have normalized unique queries, and are removed by an empty list', async () => {
    const [attack, half] = [ids.get('attack.txt')!, ids.get('half.txt')!];
    expect(await pin('  The BADGER  ', [attack.toUpperCase(), half, attack])).toMatchObject({
      status: 200,
      body: { query: 'the badger', assetIds: [attack, half] },
    });
    await pin('another', [half]);
    await pin('THE badger', [half]);
    expect(await read('pins')).toEqual([
      { query: 'another', assetIds: [half] },
      { query: 'the badger', assetIds: [half] },
    ]);
    for (const query of ['another', 'The badger', 'never was'])
      expect((await pin(query, [])).body).toMatchObject({ assetIds: [] });
    expect(await read('pins')).toEqual([]);
  });

  it('move found files to the top in their order, and add none', async () => {
    const before = await search('badger');
    const wanted = [names(before.items)[7]!, names(before.items)[2]!];
    await pin('badger', [ids.get(wanted[0]!), ids.get('attack.txt'), ids.get(wanted[1]!)]);
    const after = await search(' Badger ');
    expect(names(after.items)).toEqual([...wanted, ...names(before.items).filter((name) => !wanted.includes(name))]);
    expect(after.items.map(({ pinned }) => pinned)).toEqual([true, true, ...Array<boolean>(10).fill(false)]);
    expect(grades(after.items).get(wanted[0]!)).toBe(grades(before.items).get(wanted[0]!));
    expect({ ...after, items: 0, searchId: 0 }).toEqual({ ...before, items: 0, searchId: 0 });
    const scores = after.items.map(({ score }) => score);
    expect(scores).toEqual([...scores].sort((one, other) => other - one));
    const pages = [];
    for (let offset = 0; offset < 12; offset += 1) pages.push(...(await search('badger', { limit: 1, offset })).items);
    expect(pages).toEqual(after.items);
    expect(names((await search('badger', { group: 'file' })).items)).toEqual(names(after.items));
    expect((await search('badgers')).items.some(({ pinned }) => pinned)).toBe(false);
    expect(names((await search('badger', { filter: { externalIds: [wanted[1]!, 'badger-0.txt'] } })).items)[0]).toBe(
      wanted[1],
    );
    await pin('badger', []);
    expect(names((await search('badger')).items)).toEqual(names(before.items));
  });

  it('do not show hidden or deleted files', async () => {
    const { assetId } = await program.standard.indexed({
      externalId: 'sett',
      filename: 'sett.txt',
      principals: ['keeper'],
      ...program.source.put('sett.txt', 'A badger in its sett.'),
    });
    await pin('badger', [assetId]);
    expect(names((await search('badger')).items)).not.toContain('sett.txt');
    expect((await search('badger', { principals: ['keeper'] })).items[0]).toMatchObject({
      filename: 'sett.txt',
      pinned: true,
    });
    await program.standard.ask('DELETE', `${content}/assets/${assetId}`);
    expect(names((await search('badger', { principals: ['keeper'] })).items)).not.toContain('sett.txt');
    await pin('badger', []);
  });

  it.each<[unknown, Expected]>([
    [{ assetIds: [] }, [422, 'validation_error', ['body', 'query']]],
    [{ query: '  ', assetIds: [] }, [422, 'validation_error', ['body', 'query']]],
    [{ query: 'x'.repeat(401), assetIds: [] }, [422, 'validation_error', ['body', 'query']]],
    [{ query: 'x' }, [422, 'validation_error', ['body', 'assetIds']]],
    [{ query: 'x', assetIds: Array(11).fill(unknown) }, [422, 'validation_error', ['body', 'assetIds']]],
    [{ query: 'x', assetIds: ['x'] }, [422, 'validation_error', ['body', 'assetIds', 0]]],
    [{ query: 'x', assetIds: [unknown] }, [404, 'asset_not_found']],
  ])('number %# is refused', async (body, expected) => {
    expectRefused(await put('pins', body), expected);
  });
});

describe('tuning', () => {
  it('is scoped to its organization', async () => {
    await put('synonyms', dictionary);
    const { id } = await program.admin.createOrganization('untuned');
    for (const what of ['synonyms', 'boosts', 'pins'])
      expect((await program.standard.as(id).get<{ items: unknown[] }>(200, 'GET', `${path}/${what}`)).items).toEqual(
        [],
      );
    expectRefused(
      await program.standard
        .as(id)
        .ask('PUT', `${path}/pins`, { body: { query: 'x', assetIds: [ids.get('who.txt')] } }),
      [404, 'asset_not_found'],
    );
  });

  it('survives kill -9', async () => {
    await boost('kept', { kind: 'document' }, 3);
    await program.process.kill();
    await program.start();
    expect([await read('synonyms'), await read('boosts')]).toMatchObject([dictionary, [{ name: 'kept' }]]);
    expect(names((await search('heart attack')).items)).toContain('infarction.txt');
  });
});
