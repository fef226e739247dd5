import { startSourceServer, type SourceServer } from './source-server.ts';

describe('the source of generated files', () => {
  let source: SourceServer;
  beforeAll(async () => {
    source = await startSourceServer();
  });
  afterAll(() => source.stop());

  it('serves the same text for a name at every request, with the version of registrations', async () => {
    const [first, again, other] = await Promise.all(
      ['a', 'a', 'b'].map((name) => fetch(`${source.url}/text/250/${name}.txt`)),
    );
    const text = await first!.text();
    expect(first!.headers.get('etag')).toBe('"250-a.txt"');
    expect(text.split(/\s+/)).toHaveLength(250);
    expect(await again!.text()).toBe(text);
    expect(await other!.text()).not.toBe(text);
  });

  it('serves queries of words that its files hold', async () => {
    const queries = (await (await fetch(`${source.url}/queries`)).json()) as string[];
    expect(queries.length).toBeGreaterThan(100);
    const texts = await Promise.all(
      Array.from({ length: 30 }, async (_, index) => (await fetch(`${source.url}/text/2000/${index}.txt`)).text()),
    );
    const words = new Set(texts.join(' ').replaceAll('.', '').split(/\s+/));
    const asked = queries.flatMap((query) => query.replaceAll('.', '').split(' '));
    expect(asked.filter((word) => words.has(word)).length / asked.length).toBeGreaterThan(0.9);
  });

  it('has nothing else', async () => {
    for (const path of ['/', '/text/0/a.txt', '/text/99999999/a.txt', '/text/x/a.txt'])
      expect((await fetch(source.url + path)).status).toBe(404);
  });
});
