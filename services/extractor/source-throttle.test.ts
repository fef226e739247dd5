import type { GuardedAnswer, GuardedClient } from '../../mixins/guarded-client/client.ts';
import { SourceThrottle, throttledClient } from './source-throttle.ts';

const limits = { bytesPerSecond: 1_000_000, burstBytes: 10_000 };

async function millisecondsOf(work: () => Promise<void>): Promise<number> {
  const began = performance.now();
  await work();
  return performance.now() - began;
}

describe('the throttle of sources', () => {
  it('passes a burst at once, and the rest at its rate', async () => {
    const throttle = new SourceThrottle(limits, () => true);
    const milliseconds = await millisecondsOf(async () => {
      for (let taken = 0; taken < 110_000; taken += 10_000) await throttle.take('a', 10_000);
    });
    // A tenth of a second for all but what was there at once; the last piece need not be made up for.
    expect(milliseconds).toBeGreaterThan(85);
  });

  it('delays nothing while it is inactive', async () => {
    let isActive = false;
    const throttle = new SourceThrottle({ bytesPerSecond: 1000, burstBytes: 1 }, () => isActive);
    for (let each = 0; each < 100; each += 1) await throttle.take('a', 1_000_000);
    isActive = true;
    await throttle.take('a', 200);
    const later = throttle.take('a', 1).then(() => 'went on');
    expect(await Promise.race([later, new Promise((resolve) => setTimeout(() => resolve('waits'), 20))])).toBe('waits');
    expect(await later).toBe('went on');
  });

  it('serves organizations in turns', async () => {
    const throttle = new SourceThrottle(limits, () => true);
    await throttle.take('a', 20_000);
    const order: string[] = [];
    const many = Array.from({ length: 10 }, async (_, at) => {
      await throttle.take('a', 2000);
      order.push(`a${at}`);
    });
    const one = throttle.take('b', 2000).then(() => order.push('b'));
    await Promise.all([...many, one]);
    expect(order.indexOf('b')).toBeLessThan(2);
    expect(order.filter((name) => name !== 'b')).toEqual(Array.from({ length: 10 }, (_, at) => `a${at}`));
  });

  it('keeps the order of bytes, and closes a body that is not read to its end', async () => {
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
    const throttled = throttledClient(
      client,
      new SourceThrottle(limits, () => true),
      'a',
      (milliseconds) => (waited += milliseconds),
    );
    const answer = await throttled.request('https://files.example/a', { maxBytes: 100_000 });
    expect([answer.status, answer.header('etag')]).toEqual([200, '"1"']);
    const read: Uint8Array[] = [];
    for await (const piece of answer.body) read.push(piece);
    expect(Buffer.concat(read)).toEqual(Buffer.concat([0, 1, 2, 3, 4].map((at) => Buffer.alloc(8000, at))));
    // 40,000 bytes, less those that are there at once, the last piece, and what time allows while the others are read.
    expect(waited).toBeGreaterThan(10);
    isClosed = false;
    for await (const _piece of (await throttled.request('https://files.example/a', { maxBytes: 100_000 })).body) break;
    expect(isClosed).toBe(true);
  });
});
