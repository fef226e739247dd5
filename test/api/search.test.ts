import { setTimeout as pause } from 'node:timers/promises';
import { content, expectRefused, type Expected } from './support/client.ts';
import { startTestProgram, type TestProgram } from './support/program.ts';

let program: TestProgram;
const ids: string[] = [];
/** Number of sections of the large file: enough for several passages. */
const sections = 30;

const filler =
  'The wind turned slowly over the quiet hills while the village slept and nobody noticed the change in the weather at all.';
const largeText = Array.from(
  { length: sections },
  (_, at) => `# Chapter ${at + 1}\n\nThe telescope of observatory number${at} was built long ago. ${filler.repeat(3)}`,
).join('\n\n');

const unique = 'narwhal';
const files: { name: string; text: string; more?: object }[] = [
  {
    name: 'whales.txt',
    text: 'The narwhal is a whale with one long tusk. Narwhals live in arctic waters.',
    more: { metadata: { topic: 'sea', year: 2001, tags: ['cold', 7, true] }, language: 'en' },
  },
  {
    name: 'ships.md',
    text: 'An expedition ship met a narwhal near the ice.',
    more: { metadata: { topic: 'ships', year: 2002, tags: ['cold'] } },
  },
  {
    name: 'zoo.html',
    text: '<html><body><h1>Zoo</h1><p>No zoo keeps a narwhal today.</p></body></html>',
    more: { metadata: { topic: 'zoo', year: 2001 } },
  },
  { name: 'telescopes.md', text: largeText },
  {
    name: 'weak.txt',
    text: `${filler} ${filler} A passing remark on a lighthouse keeper who had a garden of cabbages behind the tower.`,
  },
];

beforeAll(async () => {
  program = await startTestProgram();
  for (const { name, text, more } of files) {
    const { assetId } = await program.standard.indexed({
      externalId: `ext-${name}`,
      filename: name,
      ...program.source.put(name, text),
      ...more,
    });
    ids.push(assetId);
    await pause(3);
  }
});
afterAll(() => program.end());

async function found(request: object): Promise<string[]> {
  const { items } = await program.standard.search({ query: unique, ...request });
  return items.map((item) => item.filename).sort();
}

describe('the answer of a search', () => {
  it('has exactly the documented fields', async () => {
    const sourceFields = {
      sourceUrl: `${program.source.url}/whales.txt`,
      sourceVersion: expect.stringMatching(/^".*"$/),
    };
    const answer = await program.standard.search({
      query: 'Narwhals tusk',
      filter: { externalIds: ['ext-whales.txt'] },
    });
    expect(answer).toEqual({
      items: [expect.anything()],
      withheldAsWeak: expect.any(Number),
      hasMore: false,
      terms: ['narwhals', 'tusk'],
      searchId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    expect(answer.items[0]).toEqual({
      assetId: ids[0],
      filename: 'whales.txt',
      kind: 'document',
      revision: 1,
      snippet: files[0]!.text,
      highlights: expect.any(Array),
      score: expect.any(Number),
      relevance: expect.any(Number),
      confidence: expect.stringMatching(/^(high|moderate|low)$/),
      matchType: 'keyword',
      speaker: null,
      language: null,
      metadata: { topic: 'sea', year: 2001, tags: ['cold', 7, true] },
      location: { lineStart: 1, lineEnd: 1, charStart: 0, charEnd: files[0]!.text.length },
      sourceReference: { externalId: 'ext-whales.txt', ...sourceFields },
      pinned: false,
    });
  });

  it('highlights inflected forms in UTF-16 offsets, and no common words', async () => {
    const {
      items: [item],
    } = await program.standard.search({ query: 'the narwhals', filter: { assetIds: [ids[0]] } });
    expect(item!.highlights.map(({ start, end }) => item!.snippet.slice(start, end))).toEqual(['narwhal', 'Narwhals']);
  });

  it('is the same each time except for its id', async () => {
    const answers = await Promise.all([1, 2, 3].map(() => program.standard.search({ query: 'narwhal ice' })));
    expect(new Set(answers.map(({ searchId }) => searchId)).size).toBe(3);
    expect(new Set(answers.map(({ searchId: _, ...rest }) => JSON.stringify(rest))).size).toBe(1);
  });

  it('is empty for unknown words', async () => {
    expect(await program.standard.search({ query: 'xylophone' })).toEqual({
      items: [],
      withheldAsWeak: 0,
      hasMore: false,
      terms: [],
      searchId: expect.any(String),
    });
  });

  it('counts and withholds weak passages', async () => {
    const { items, withheldAsWeak } = await program.standard.search({
      query: 'cabbages xylophone zeppelin quasar trombone',
      filter: { externalIds: ['ext-weak.txt'] },
    });
    expect({ items, withheldAsWeak }).toEqual({ items: [], withheldAsWeak: 1 });
  });

  it('is sorted by relevance, which is between the floor and 1', async () => {
    const { items } = await program.standard.search({ query: 'telescope observatory', limit: 100 });
    const grades = items.map(({ relevance }) => relevance);
    expect(grades).toEqual([...grades].sort((a, b) => b - a));
    for (const grade of grades) expect(grade >= 0.6 && grade <= 1).toBe(true);
    const scores = items.map(({ score }) => score);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
  });

  it('has the same relevance of a passage, whatever else is found', async () => {
    const gradeOf = async (filter: object) =>
      (await program.standard.search({ query: 'narwhal expedition', filter })).items.find(
        (item) => item.assetId === ids[1],
      )?.relevance;
    expect(await gradeOf({})).toBeGreaterThan(0);
    expect(await gradeOf({})).toBe(await gradeOf({ assetIds: [ids[1]] }));
  });
});

describe('filters', () => {
  it.each<[object, string[]]>([
    [{}, ['ships.md', 'whales.txt', 'zoo.html']],
    [{ kind: 'document' }, ['ships.md', 'whales.txt', 'zoo.html']],
    [{ kind: 'video' }, []],
    [{ filter: { externalIds: ['ext-zoo.html', 'ext-none'] } }, ['zoo.html']],
    [{ filter: { externalIds: [] } }, []],
    [{ filter: { assetIds: [] } }, []],
    [{ filter: { collections: ['none'] } }, []],
    [{ filter: { metadata: {} } }, ['ships.md', 'whales.txt', 'zoo.html']],
    [{ filter: { metadata: { topic: 'sea' } } }, ['whales.txt']],
    [{ filter: { metadata: { topic: ['sea', 'zoo'] } } }, ['whales.txt', 'zoo.html']],
    [{ filter: { metadata: { year: 2001 } } }, ['whales.txt', 'zoo.html']],
    [{ filter: { metadata: { year: '2001' } } }, []],
    [{ filter: { metadata: { year: [2001, 2002], topic: 'ships' } } }, ['ships.md']],
    [{ filter: { metadata: { topic: [] } } }, []],
    [{ filter: { metadata: { nothing: 'x' } } }, []],
    [{ filter: { speaker: 'Ann' } }, []],
    [{ filter: { language: 'en' } }, []],
    [{ filter: { createdAfter: '2001-01-01T00:00:00Z' } }, ['ships.md', 'whales.txt', 'zoo.html']],
    [{ filter: { createdBefore: '2001-01-01T00:00:00Z' } }, []],
  ])('%j', async (request, expected) => {
    expect(await found(request)).toEqual(expected);
  });

  it('by assetIds ignore case', async () => {
    expect(await found({ filter: { assetIds: [ids[2]!.toUpperCase()] } })).toEqual(['zoo.html']);
  });

  it('by time include createdAfter and exclude createdBefore', async () => {
    const { createdAt } = await program.standard.asset(ids[1]!);
    expect(await found({ filter: { createdAfter: createdAt } })).toEqual(['ships.md', 'zoo.html']);
    expect(await found({ filter: { createdBefore: createdAt } })).toEqual(['whales.txt']);
    expect(await found({ filter: { createdAfter: createdAt, metadata: { year: 2001 } } })).toEqual(['zoo.html']);
  });
});

describe('pages', () => {
  it('have no gaps and no repetitions', async () => {
    const all = await program.standard.search({ query: 'telescope', limit: 100 });
    expect(all.items.length).toBe(sections);
    const pages = [];
    for (let offset = 0; offset < sections; offset += 7)
      pages.push(await program.standard.search({ query: 'telescope', limit: 7, offset }));
    expect(pages.flatMap(({ items }) => items.map(({ location }) => location))).toEqual(
      all.items.map(({ location }) => location),
    );
    expect(pages.map(({ hasMore }) => hasMore)).toEqual([true, true, true, true, false]);
    expect(new Set(pages.map(({ withheldAsWeak }) => withheldAsWeak)).size).toBe(1);
  });

  it('have twenty items by default', async () => {
    const answer = await program.standard.search({ query: 'telescope' });
    expect([answer.items.length, answer.hasMore]).toEqual([20, true]);
  });

  it('end after 200 items', async () => {
    expect((await program.standard.search({ query: 'telescope', offset: 200 })).items).toEqual([]);
    expect((await program.standard.search({ query: 'telescope', offset: 150, limit: 100 })).hasMore).toBe(false);
  });
});

describe('group file', () => {
  it('returns the best passage of each file, with moments in document order', async () => {
    const flat = await program.standard.search({ query: 'telescope', limit: 100 });
    const { items, hasMore, ...rest } = await program.standard.search({ query: 'telescope', group: 'file' });
    expect([items.length, hasMore]).toEqual([1, false]);
    expect(rest).toMatchObject({ terms: ['telescope'], withheldAsWeak: flat.withheldAsWeak });
    const { momentCount, moments, ...best } = items[0]!;
    expect(best).toEqual(flat.items[0]);
    expect(momentCount).toBe(sections);
    expect(moments).toHaveLength(20);
    for (const moment of moments ?? [])
      expect(Object.keys(moment).sort()).toEqual([
        'confidence',
        'highlights',
        'language',
        'location',
        'matchType',
        'relevance',
        'snippet',
        'speaker',
      ]);
    const lines = moments!.map(({ location }) => Number(location.lineStart));
    expect(lines).toEqual([...lines].sort((a, b) => a - b));
  });

  it('counts files in limit, offset and hasMore', async () => {
    const first = await program.standard.search({ query: unique, group: 'file', limit: 2 });
    const second = await program.standard.search({ query: unique, group: 'file', limit: 2, offset: 2 });
    expect([first.items.length, first.hasMore, second.items.length, second.hasMore]).toEqual([2, true, 1, false]);
    expect(new Set([...first.items, ...second.items].map(({ assetId }) => assetId)).size).toBe(3);
    for (const item of first.items) expect(item.momentCount).toBe(1);
  });
});

describe('the request', () => {
  const body = (...path: (string | number)[]): Expected => [422, 'validation_error', ['body', ...path]];
  it.each<[string, unknown, Expected]>([
    ['no query', {}, body('query')],
    ['an empty query', { query: '' }, body('query')],
    ['a query of 2001 characters', { query: 'x'.repeat(2001) }, body('query')],
    ['a number as query', { query: 1 }, body('query')],
    ['NUL in the query', { query: 'a\0' }, body('query')],
    ['an unknown kind', { query: 'x', kind: 'any' }, body('kind')],
    ['limit 0', { query: 'x', limit: 0 }, body('limit')],
    ['limit 101', { query: 'x', limit: 101 }, body('limit')],
    ['limit as text', { query: 'x', limit: '10' }, body('limit')],
    ['offset -1', { query: 'x', offset: -1 }, body('offset')],
    ['offset 201', { query: 'x', offset: 201 }, body('offset')],
    ['another group', { query: 'x', group: 'asset' }, body('group')],
    ['a filter that is no object', { query: 'x', filter: [] }, body('filter')],
    ['an unknown filter', { query: 'x', filter: { principals: ['a'] } }, body('filter', 'principals')],
    [
      '101 externalIds',
      { query: 'x', filter: { externalIds: Array.from({ length: 101 }, String) } },
      body('filter', 'externalIds'),
    ],
    [
      '101 assetIds',
      { query: 'x', filter: { assetIds: Array.from({ length: 101 }, () => '00000000-0000-4000-8000-000000000000') } },
      body('filter', 'assetIds'),
    ],
    ['an assetId that is none', { query: 'x', filter: { assetIds: ['a'] } }, body('filter', 'assetIds', 0)],
    [
      '101 collections',
      { query: 'x', filter: { collections: Array.from({ length: 101 }, String) } },
      body('filter', 'collections'),
    ],
    [
      '51 metadata keys',
      { query: 'x', filter: { metadata: Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`k${at}`, 1])) } },
      body('filter', 'metadata'),
    ],
    [
      '101 metadata values',
      { query: 'x', filter: { metadata: { a: Array.from({ length: 101 }, String) } } },
      body('filter', 'metadata'),
    ],
    ['64 KiB of metadata', { query: 'x', filter: { metadata: { a: 'x'.repeat(65_536) } } }, body('filter', 'metadata')],
    ['null in metadata', { query: 'x', filter: { metadata: { a: null } } }, body('filter', 'metadata')],
    ['an object in metadata', { query: 'x', filter: { metadata: { a: {} } } }, body('filter', 'metadata')],
    ['a time that is none', { query: 'x', filter: { createdAfter: '2024-01-01' } }, body('filter', 'createdAfter')],
    ['1001 principals', { query: 'x', principals: Array.from({ length: 1001 }, String) }, body('principals')],
    ['an empty principal', { query: 'x', principals: [''] }, body('principals', 0)],
    ['an unknown field', { query: 'x', filters: {} }, body('filters')],
    ['the first of several faults', { query: 'x', principals: 'a', offset: 500 }, body('offset')],
  ])('with %s is refused', async (_, request, expected) => {
    expectRefused(await program.standard.ask('POST', `${content}/search`, { body: request }), expected);
  });

  it.each<[string, object]>([
    ['2,000 code points', { query: '\u{1f600}'.repeat(2000) }],
    ['2,000 characters of words', { query: 'narwhal '.repeat(250) }],
    [
      '1,000 principals',
      { query: 'x', principals: Array.from({ length: 1000 }, (_, at) => `${at}${'p'.repeat(500)}`) },
    ],
    [
      'signs of a query language',
      { query: '"narwhal" AND (tusk OR NOT * ^2 -ice) NEAR/3 {col:x} \'; DROP TABLE x; --' },
    ],
    ['signs alone', { query: '?!*"\'()' }],
    ['blanks alone', { query: '   ' }],
    ['common words alone', { query: 'the of and' }],
    ['words of other scripts', { query: '海 одна كلمة ไทย' }],
    ['offset 200 and limit 100', { query: 'narwhal', offset: 200, limit: 100 }],
  ])('with %s is answered', async (_, request) => {
    expect((await program.standard.ask('POST', `${content}/search`, { body: request })).status).toBe(200);
  });
});

it('the first file of a language is found as soon as it is ready', async () => {
  const { id } = await program.admin.createOrganization('languages');
  const client = program.standard.as(id);
  await client.indexed(program.source.put('english.txt', 'A library of maps.'));
  let isOver = false;
  const searching = (async () => {
    for (; !isOver; await pause(20)) await client.search({ query: 'maps' });
  })();
  try {
    for (const [language, text, query] of [
      ['ar', 'المكتبة مفتوحة للقراء كل يوم.', 'المكتبات'],
      ['ru', 'Насосы работают всю ночь.', 'насос'],
      ['de', 'Die Häuser stehen am See.', 'Haus'],
    ] as const) {
      const { assetId } = await client.indexed({ ...program.source.put(`${language}.txt`, text), language });
      const { items } = await client.search({ query });
      expect([language, items.map((item) => [item.assetId, item.matchType])]).toEqual([
        language,
        [[assetId, expect.stringMatching(/lexical|keyword|hybrid|both|exact/)]],
      ]);
    }
  } finally {
    isOver = true;
    await searching;
  }
});
