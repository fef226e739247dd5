import type { Setup } from './messages.ts';
import { ThreadPool } from './thread-pool.ts';

const setup: Setup = { folder: '', tokeniser: 'wordpiece', dimensions: 2, maxTokens: 256 };
const body = new URL('./test-worker.ts', import.meta.url);

describe('the embedding thread pool', () => {
  let pool: ThreadPool;
  let warnings: string[];
  const open = (threads: number): void => {
    warnings = [];
    pool = new ThreadPool(setup, threads, (message) => warnings.push(message), body);
  };
  afterEach(async () => {
    await pool.close();
  });

  it('returns vectors in order, and uses all threads', async () => {
    open(2);
    const texts = Array.from({ length: 40 }, (_, index) => `slow ${'x'.repeat(index % 5)}`);
    const vectors = await pool.embed(texts, 'passage');
    expect(vectors.map(([length]) => length)).toEqual(texts.map((text) => text.length));
    expect(new Set(vectors.map(([, thread]) => thread)).size).toBe(2);
    expect(pool.readyThreads).toBe(2);
  });

  it('embeds one text at a time in each thread', async () => {
    open(1);
    const vectors = await pool.embed(['slow 1', 'slow 2', 'slow 3'], 'passage');
    expect(vectors.map(([, , max]) => max)).toEqual([1, 1, 1]);
  });

  it('embeds queries before queued passages', async () => {
    open(1);
    const done: string[] = [];
    const passages = Promise.all(
      [1, 2, 3, 4].map(async (number) => {
        await pool.embed([`slow passage ${number}`], 'passage');
        done.push(`passage ${number}`);
      }),
    );
    await pool.embed(['query'], 'query');
    done.push('query');
    await passages;
    expect(done.indexOf('query')).toBeLessThanOrEqual(1);
    expect(done.filter((name) => name.startsWith('passage'))).toEqual([
      'passage 1',
      'passage 2',
      'passage 3',
      'passage 4',
    ]);
  });

  it('starts a dedicated thread for queries once a query has waited for a passage', async () => {
    open(1);
    const forAll = (await pool.embed(['passage'], 'passage'))[0]?.[1];
    let forQueries = forAll;
    while (forQueries === forAll) {
      const passage = pool.embed(['slow passage'], 'passage');
      forQueries = (await pool.embed(['query'], 'query'))[0]?.[1];
      await passage;
    }
    const passages = await pool.embed(
      Array.from({ length: 10 }, (_, index) => `slow ${index}`),
      'passage',
    );
    expect(new Set(passages.map(([, thread]) => thread))).toEqual(new Set([forAll]));
    expect(pool.readyThreads).toBe(2);
  });

  it('starts no dedicated thread while there are only queries', async () => {
    open(1);
    await Promise.all(Array.from({ length: 10 }, async (_, index) => pool.embed([`slow ${index}`], 'query')));
    expect(pool.readyThreads).toBe(1);
  });

  it('replaces a thread that exits, and embeds its text again', async () => {
    open(1);
    const thread = (await pool.embed(['first'], 'query'))[0]?.[1] ?? -1;
    const [vector] = await pool.embed([`die in thread ${thread}`], 'passage');
    expect(vector?.[1]).not.toBe(thread);
    expect(warnings).toHaveLength(1);
  });

  it('rejects a text that ends threads repeatedly, and embeds all others', async () => {
    open(2);
    const killing = pool.embed(['die always'], 'passage');
    const others = pool.embed(
      Array.from({ length: 20 }, (_, index) => `slow ${index}`),
      'passage',
    );
    await expect(killing).rejects.toMatchObject({ name: 'ModelUnavailable' });
    expect(await others).toHaveLength(20);
    expect(await pool.embed(['after'], 'query')).toHaveLength(1);
  });

  it('rejects texts beyond the queue limit', async () => {
    open(1);
    await expect(
      pool.embed(
        Array.from({ length: 20_001 }, () => 'text'),
        'passage',
      ),
    ).rejects.toMatchObject({ name: 'ModelUnavailable' });
  });

  it('rejects queued texts when it is closed', async () => {
    open(1);
    await pool.embed(['warm'], 'query');
    const waiting = expect(
      pool.embed(
        Array.from({ length: 600 }, (_, index) => `slow ${index}`),
        'passage',
      ),
    ).rejects.toMatchObject({ name: 'ModelUnavailable' });
    const before = performance.now();
    await pool.close();
    await waiting;
    // Half of the time that one thread needs for these texts.
    expect(performance.now() - before).toBeLessThan(30_000);
  });

  it('rejects texts if no thread can be started', async () => {
    warnings = [];
    pool = new ThreadPool({ ...setup, folder: '/nowhere' }, 1, (message) => warnings.push(message));
    await expect(pool.embed(['text'], 'query')).rejects.toMatchObject({ name: 'ModelUnavailable' });
    expect(warnings.length).toBeGreaterThan(3);
  });
});
