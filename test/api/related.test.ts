import type { FilePassages, RelatedResponse } from '../../models/api.ts';
import { content, expectRefused, type Client, type Expected } from './support/client.ts';
import { modelIsInstalled, startTestProgram, type TestProgram } from './support/program.ts';
import { readStores } from './support/stores.ts';

const related = (client: Client, assetId: string, query = ''): Promise<RelatedResponse> =>
  client.get(200, 'GET', `${content}/assets/${assetId}/related${query}`);

describe('related files, by words', () => {
  let program: TestProgram;
  const ids = new Map<string, string>();
  const texts: [name: string, text: string, more?: object][] = [
    ['whales.txt', 'The narwhal is a whale of the Arctic with a spiral tusk. Narwhals swim under the ice.'],
    ['tusks.txt', 'A spiral tusk is what makes the narwhal famous in the Arctic.', { metadata: { topic: 'teeth' } }],
    ['ice.txt', 'The Arctic ice melts in summer.'],
    ['bread.txt', 'Knead the dough until it is smooth and bake the bread.'],
    [
      'secret.txt',
      'The narwhal with the spiral tusk in the Arctic belongs to the board.',
      { principals: ['board', 'b & c'] },
    ],
  ];
  beforeAll(async () => {
    program = await startTestProgram();
    for (const [name, text, more] of texts)
      ids.set(
        name,
        (
          await program.standard.indexed({
            externalId: `ext-${name}`,
            filename: name,
            ...program.source.put(name, text),
            ...more,
          })
        ).assetId,
      );
  });
  afterAll(() => program.end());
  const names = async (name: string, query = ''): Promise<string[]> =>
    (await related(program.standard, ids.get(name)!, query)).items.map(({ filename }) => filename);

  it('and their passages are listed in order, as the organization or as a reader', async () => {
    const lines = Array.from({ length: 30 }, (_, index) => `Line ${index} of ${'many words '.repeat(12)}`);
    const { assetId } = await program.standard.indexed({
      externalId: 'long.txt',
      filename: 'long.txt',
      ...program.source.put('long.txt', lines.join('\n')),
    });
    const read = (query: string, id = assetId): Promise<FilePassages> =>
      program.standard.get(200, 'GET', `${content}/assets/${id}/passages${query}`);
    const whole = await read('');
    expect(whole).toEqual({ assetId, revision: 1, items: expect.any(Array), next: null });
    expect(whole.items.length).toBeGreaterThan(2);
    expect(whole.items.map(({ text }) => text).join(' ')).toContain('Line 29');
    expect(whole.items[0]).toEqual({
      passageId: `${assetId}.1.0`,
      text: expect.stringMatching(/^Line 0/),
      location: expect.objectContaining({ lineStart: 1 }),
      speaker: null,
      language: null,
    });
    const pages = [];
    for (let from: number | null = 0; from !== null;) {
      const { items, next }: FilePassages = await read(`?from=${from}&limit=1`);
      pages.push(...items);
      from = next;
    }
    expect(pages).toEqual(whole.items);
    expect(await read('?from=1000')).toMatchObject({ items: [], next: null });
    const secret = ids.get('secret.txt')!;
    expect((await read('', secret)).items).toHaveLength(1);
    expect((await read('?principals=board', secret)).items).toHaveLength(1);
    const refused = async (query: string, id: string, expected: Expected): Promise<void> =>
      expectRefused(await program.standard.ask('GET', `${content}/assets/${id}/passages${query}`), expected);
    await refused('?asReader=true', secret, [404, 'asset_not_found']);
    await refused('?principals=nobody', secret, [404, 'asset_not_found']);
    await refused('', crypto.randomUUID(), [404, 'asset_not_found']);
    await refused('?limit=101', assetId, [422, 'validation_error', ['query', 'limit']]);
    await program.standard.get(202, 'DELETE', `${content}/assets/${assetId}`);
    await refused('', assetId, [404, 'asset_not_found']);
  });

  it('have exactly the documented fields, one item per file, the most similar first', async () => {
    const answer = await related(program.standard, ids.get('whales.txt')!);
    expect(answer).toEqual({
      searchId: expect.stringMatching(/^[0-9a-f-]{36}$/),
      assetId: ids.get('whales.txt'),
      items: expect.any(Array),
    });
    expect(answer.items[0]).toEqual({
      assetId: ids.get('tusks.txt'),
      externalId: 'ext-tusks.txt',
      filename: 'tusks.txt',
      kind: 'document',
      metadata: { topic: 'teeth' },
      similarity: expect.any(Number),
    });
    expect(answer.items.map(({ filename }) => filename)).toEqual(['tusks.txt', 'ice.txt']);
    const grades = answer.items.map(({ similarity }) => similarity);
    expect(grades).toEqual([...grades].sort((a, b) => b - a));
    for (const grade of grades) expect(grade > 0 && grade <= 1).toBe(true);
  });

  it('are limited', async () => {
    expect(await names('whales.txt', '?limit=1')).toEqual(['tusks.txt']);
  });

  it('respect permissions', async () => {
    for (const query of ['', '?principals=other', '?principals=other&principals=another'])
      expect(await names('whales.txt', query)).not.toContain('secret.txt');
    for (const query of ['?principals=board', '?principals=x&principals=b%20%26%20c'])
      expect(await names('whales.txt', query)).toContain('secret.txt');
  });

  it('of a hidden file are not found', async () => {
    const path = `${content}/assets/${ids.get('secret.txt')!}/related`;
    expectRefused(await program.standard.ask('GET', `${path}?principals=other`), [404, 'asset_not_found']);
    expect(await names('secret.txt', '?principals=board')).toContain('tusks.txt');
    expect(await names('secret.txt')).toContain('tusks.txt');
  });

  it.each<[string, Expected]>([
    ['?limit=0', [422, 'validation_error', ['query', 'limit']]],
    ['?limit=51', [422, 'validation_error', ['query', 'limit']]],
    ['?limit=x', [422, 'validation_error', ['query', 'limit']]],
    ['?principals=', [422, 'validation_error', ['query', 'principals', 0]]],
  ])('with %s are refused', async (query, expected) => {
    expectRefused(
      await program.standard.ask('GET', `${content}/assets/${ids.get('ice.txt')!}/related${query}`),
      expected,
    );
  });

  it('of unknown files and files of other organizations are not found', async () => {
    expectRefused(await program.standard.ask('GET', `${content}/assets/6e3ad0c8-0000-4000-8000-0000000000dd/related`), [
      404,
      'asset_not_found',
    ]);
    expectRefused(await program.standard.ask('GET', `${content}/assets/none/related`), [
      422,
      'validation_error',
      ['path', 'assetId'],
    ]);
    const { id } = await program.admin.createOrganization('another');
    expectRefused(await program.standard.as(id).ask('GET', `${content}/assets/${ids.get('ice.txt')!}/related`), [
      404,
      'asset_not_found',
    ]);
  });

  it('are empty for a file that is not indexed yet', async () => {
    const held = program.source.hold('held.txt', 'The narwhal waits.');
    const { assetId, jobId } = await program.standard.register(held);
    expect((await related(program.standard, assetId)).items).toEqual([]);
    held.release();
    await program.standard.reaches(jobId, 'ready');
    expect((await related(program.standard, assetId)).items.length).toBeGreaterThan(0);
    await program.standard.get(202, 'DELETE', `${content}/assets/${assetId}`);
    expectRefused(await program.standard.ask('GET', `${content}/assets/${assetId}/related`), [404, 'asset_not_found']);
    expect(await names('whales.txt', '?limit=50')).not.toContain('held.txt');
  });

  it('contain each file once, and reflect permissions immediately', async () => {
    const bread = ids.get('bread.txt')!;
    const { assetId } = await program.standard.indexed({
      filename: 'baking.txt',
      ...program.source.put('baking.txt', 'Bake the bread. Knead the dough. '.repeat(200)),
    });
    expect(await names('bread.txt')).toEqual(['baking.txt']);
    await program.standard.get(200, 'PUT', `${content}/assets/${assetId}/permissions`, {
      body: { mode: 'restricted', principals: ['baker'] },
    });
    expect(await names('bread.txt')).toEqual([]);
    expect(await names('bread.txt', '?principals=baker')).toEqual(['baking.txt']);
    expect((await related(program.standard, bread)).items).toEqual([]);
  });

  it('are charged as one search', async () => {
    const { searchId } = await related(program.standard, ids.get('whales.txt')!);
    expect(await program.process.stop()).toBe(0);
    const { usage } = await readStores(program);
    expect(
      usage
        .filter(({ _id }) => _id.startsWith(searchId))
        .map(({ _id, metric, quantity }) => ({ _id, metric, quantity })),
    ).toEqual([{ _id: `${searchId}:search`, metric: 'searches', quantity: 1 }]);
    await program.start();
  });
});

if (!modelIsInstalled) console.warn('SKIPPED: related files by meaning, because the embedding model is not installed');

(modelIsInstalled ? describe : describe.skip)('related files, by meaning (needs the embedding model)', () => {
  let program: TestProgram;
  beforeAll(async () => {
    program = await startTestProgram({ PLY_EMBEDDING_THREADS: '1' });
  });
  afterAll(() => program.end());

  it('can have no word in common', async () => {
    const index = (name: string, text: string, more = {}) =>
      program.standard.indexed({ filename: name, ...program.source.put(name, text), ...more });
    const { assetId } = await index(
      'dogs.txt',
      'A puppy needs to be walked several times a day and taught to come when it is called.',
    );
    await index('canine.txt', 'Training young canines takes patience; reward them for obeying commands.');
    await index('twin.txt', 'A puppy needs to be walked several times a day and taught to come when it is called.');
    await index('tax.txt', 'Customers must pay their invoice within thirty days or a late fee is added.');
    await index('hidden.txt', 'A puppy learns quickly to walk on a leash.', { principals: ['vet'] });
    const { items } = await related(program.standard, assetId);
    expect(items.slice(0, 2).map(({ filename }) => filename)).toEqual(['twin.txt', 'canine.txt']);
    expect(items[0]!.similarity).toBeGreaterThan(0.99);
    expect(items.map(({ filename }) => filename)).not.toContain('hidden.txt');
    expect(
      (await related(program.standard, assetId, '?principals=vet')).items.map(({ filename }) => filename),
    ).toContain('hidden.txt');
    const grades = items.map(({ similarity }) => similarity);
    expect(grades.every((grade, index) => grade > 0 && grade <= 1 && grade <= (grades[index - 1] ?? 1))).toBe(true);
  });
});
