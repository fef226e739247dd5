import type { GuardedAnswer, GuardedClient } from '../../mixins/guarded-client/client.ts';
import { SourcePace, pacedClient } from './pace.ts';

const limits = { bytesPerSecond: 1_000_000, atOnce: 10_000 };

async function millisecondsOf(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

describe('the pace of sources', () => {
  it('lets some through at once, and the rest no faster than it says', async () => {
    const pace = new SourcePace(limits, () => true);
    const milliseconds = await millisecondsOf(async () => {
      for (let taken = 0; taken < 110_000; taken += 10_000) await pace.take('a', 10_000);
    });
    // A tenth of a second for all but what was there at once; the last piece need not be made up for.
    expect(milliseconds).toBeGreaterThan(85);
  });

  it('holds nobody up where nobody needs the event loop', async () => {
    let isNeeded = false;
    const pace = new SourcePace({ bytesPerSecond: 1000, atOnce: 1 }, () => isNeeded);
    for (let each = 0; each < 100; each += 1) await pace.take('a', 1_000_000);
    isNeeded = true;
    await pace.take('a', 200);
    const later = pace.take('a', 1).then(() => 'went on');
    expect(await Promise.race([later, new Promise((resolve) => setTimeout(() => resolve('waits'), 20))])).toBe('waits');
    expect(await later).toBe('went on');
  });

  it('serves owners in turns', async () => {
    const pace = new SourcePace(limits, () => true);
    await pace.take('a', 20_000);
    const order: string[] = [];
    const many = Array.from({ length: 10 }, async (_, at) => {
      await pace.take('a', 2000);
      order.push(`a${at}`);
    });
    const one = pace.take('b', 2000).then(() => order.push('b'));
    await Promise.all([...many, one]);
    expect(order.indexOf('b')).toBeLessThan(2);
    expect(order.filter((name) => name !== 'b')).toEqual(Array.from({ length: 10 }, (_, at) => `a${at}`));
  });

  it('gives a source all its bytes in their order, and lets it go when its reader leaves', async () => {
    let isClosed = false;
    async function* pieces(): AsyncGenerator<Uint8Array, void, undefined> {
      try {
        for (let at = 0; at < 5; at += 1) yield Buffer.alloc(8000, at);
      } finally {
        isClosed = true;
      }
    }
    const answered = (): GuardedAnswer => ({
      status: 200,
      header: (name) => (name === 'etag' ? '"1"' : null),
      body: pieces(),
      discard: () => undefined,
    });
    const client: GuardedClient = { request: async () => answered(), close: async () => undefined };
    let waited = 0;
    const paced = pacedClient(
      client,
      new SourcePace(limits, () => true),
      'a',
      (milliseconds) => (waited += milliseconds),
    );
    const answer = await paced.request('https://files.example/a', { maxBytes: 100_000 });
    expect([answer.status, answer.header('etag')]).toEqual([200, '"1"']);
    const read: Uint8Array[] = [];
    for await (const piece of answer.body) read.push(piece);
    expect(Buffer.concat(read)).toEqual(Buffer.concat([0, 1, 2, 3, 4].map((at) => Buffer.alloc(8000, at))));
    // 40,000 bytes, less those that are there at once and the last piece.
    expect(waited).toBeGreaterThan(20);
    isClosed = false;
    for await (const _piece of (await paced.request('https://files.example/a', { maxBytes: 100_000 })).body) break;
    expect(isClosed).toBe(true);
  });
});
