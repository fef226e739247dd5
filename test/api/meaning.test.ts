import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { projectRoot } from '../../scripts/setup/paths.mjs';
import { until } from './support/client.ts';
import { modelIsInstalled, startTestProgram, type TestProgram } from './support/program.ts';

if (!modelIsInstalled) console.warn('SKIPPED: search by meaning, because the embedding model is not installed');

(modelIsInstalled ? describe : describe.skip)('search by meaning (needs the embedding model)', () => {
  let program: TestProgram;
  const texts = {
    'invoices.txt': 'Customers must pay their bill within thirty days of receiving it, or a late fee is added.',
    'dogs.txt': 'A puppy needs to be walked several times a day and taught to come when it is called.',
    'bread.txt': 'Knead the dough until it is smooth and let it rise in a warm place before it goes into the oven.',
    'german.txt': 'Der Vertrag kann mit einer Frist von drei Monaten zum Ende des Jahres gekündigt werden.',
  };
  beforeAll(async () => {
    program = await startTestProgram({ PLY_EMBEDDING_THREADS: '1', PLY_LOCAL_MODEL: 'all-MiniLM-L6-v2' });
    for (const [name, text] of Object.entries(texts))
      await program.standard.indexed({ filename: name, ...program.source.put(name, text) });
  });
  afterAll(() => program.end());

  it('finds passages without a common word, and highlights nothing', async () => {
    const { items, terms } = await program.standard.search({ query: 'how to train a young canine' });
    expect(items.map(({ filename }) => filename)).toEqual(['dogs.txt']);
    expect(items[0]).toMatchObject({ matchType: 'semantic', highlights: [] });
    expect(terms).toEqual([]);
  });

  it('has both match types if words and meaning match, and highlights the words', async () => {
    const { items, terms } = await program.standard.search({
      query: 'letting dough rise before baking bread in an oven',
    });
    expect(items[0]).toMatchObject({ filename: 'bread.txt', matchType: 'both' });
    expect(items[0]!.highlights.length).toBeGreaterThan(0);
    expect(terms).toEqual(expect.arrayContaining(['dough', 'oven']));
  });

  it('withholds unrelated passages', async () => {
    for (const query of ['the orbit of the moons of Jupiter', 'quantum field theory lecture notes']) {
      const { items, withheldAsWeak } = await program.standard.search({ query });
      expect([query, items]).toEqual([query, []]);
      expect(withheldAsWeak).toBeGreaterThan(0);
    }
  });

  it('searches common words by meaning, and highlights none of them', async () => {
    const { items, terms } = await program.standard.search({ query: 'to be or not to be' });
    expect(terms).toEqual([]);
    for (const { matchType, highlights } of items) expect([matchType, highlights]).toEqual(['semantic', []]);
  });

  it('uses words only in a language that the model does not support', async () => {
    const { items } = await program.standard.search({ query: 'Frist Vertrag' });
    expect(items[0]).toMatchObject({ filename: 'german.txt', matchType: 'keyword' });
  });

  it('does not reveal restricted files, not even their number', async () => {
    const { assetId } = await program.standard.indexed({
      filename: 'secret.txt',
      ...program.source.put('secret.txt', 'The kitten plays with a ball of wool.'),
      principals: ['vet'],
    });
    const query = 'a young cat playing with yarn';
    const hidden = await program.standard.search({ query });
    const shown = await program.standard.search({ query, principals: ['vet'] });
    expect(hidden.items).toEqual([]);
    expect(shown.items.map((item) => item.assetId)).toEqual([assetId]);
    expect(shown.items.length + shown.withheldAsWeak).toBe(hidden.withheldAsWeak + 1);
  });

  it('is ready when the model is loaded', async () => {
    // The program is ready before its model: until then it searches by words.
    const ask = async (): Promise<{ ready: boolean; parts: { embeddings: { state: string } } }> =>
      (await (await fetch(`${program.url}/health/ready`)).json()) as {
        ready: boolean;
        parts: { embeddings: { state: string } };
      };
    const report = await until(ask, ({ parts }) => parts.embeddings.state === 'up');
    expect(report.ready).toBe(true);
  });
});

const bothInstalled =
  modelIsInstalled && existsSync(join(projectRoot, '.cache/models/multilingual-e5-small/model.json'));
if (!bothInstalled) console.warn('SKIPPED: search in several languages, because an embedding model is not installed');

(bothInstalled ? describe : describe.skip)('search in several languages (needs both embedding models)', () => {
  let program: TestProgram;
  beforeAll(async () => {
    program = await startTestProgram({ PLY_EMBEDDING_THREADS: '1' });
    const texts = {
      'dogs.txt': 'A puppy needs to be walked several times a day and taught to come when it is called.',
      'german.txt': 'Der Vertrag kann mit einer Frist von drei Monaten zum Ende des Jahres gekündigt werden.',
    };
    for (const [name, text] of Object.entries(texts))
      await program.standard.indexed({ filename: name, ...program.source.put(name, text) });
  });
  afterAll(() => program.end());

  it('finds each language by the meaning that its model sees', async () => {
    const german = await program.standard.search({ query: 'Frist Vertrag' });
    expect(german.items[0]).toMatchObject({ filename: 'german.txt', matchType: 'both' });
    const english = await program.standard.search({ query: 'how to train a young canine' });
    expect(english.items[0]).toMatchObject({ filename: 'dogs.txt', matchType: 'semantic' });
  });
});
