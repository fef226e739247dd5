import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { describeWithServers } from '../../test/support/servers.ts';
import { systemRuntime } from '../../models/runtime.ts';
import { countersConformance } from './conformance.ts';
import type { Allowance } from './port.ts';
import { openRedisCounters } from './redis.ts';

await describeWithServers('with a Redis server', ['redis'], ({ redis }) => {
  countersConformance('Redis', async () => ({
    counters: await openRedisCounters({ url: redis.url, runtime: systemRuntime }),
  }));

  it('shares a limit among processes', async () => {
    const nodes = await Promise.all([1, 2, 3].map(() => openRedisCounters({ url: redis.url, runtime: systemRuntime })));
    const answers = await Promise.all(Array.from({ length: 90 }, (_, i) => nodes[i % 3]!.take('shared', 40, 10_000)));
    expect(answers.filter((answer) => answer.allowed)).toHaveLength(40);
    await Promise.all(nodes.map((node) => node.close()));
  });

  it('stores a window in one key with few fields, which expires with the window', async () => {
    const counters = await openRedisCounters({ url: redis.url, runtime: systemRuntime });
    const direct = new Redis(redis.url);
    for (const end = performance.now() + 1200; performance.now() < end;) await counters.take('tidy', 1_000_000, 600);
    expect(await direct.keys('ply:window:tidy*')).toEqual(['ply:window:tidy']);
    expect(await direct.hlen('ply:window:tidy')).toBeLessThanOrEqual(61 + 3);
    expect(await direct.pttl('ply:window:tidy')).toBeGreaterThan(0);
    await sleep(700);
    expect(await direct.exists('ply:window:tidy')).toBe(0);
    direct.disconnect();
    await counters.close();
  });

  it('enforces its part of the limit while Redis is unavailable, and then returns to Redis', async () => {
    const commandMs = 500;
    const changes: boolean[] = [];
    const counters = await openRedisCounters({
      url: redis.url,
      runtime: systemRuntime,
      commandMs,
      onChange: ({ away }) => changes.push(away),
    });
    counters.shareAmong((key) => (key === 'doors' ? 8 : 4));
    expect(await counters.take('away', 40, 60_000)).toMatchObject({ allowed: true, limit: 40, remaining: 39 });
    await redis.kill();
    const from = performance.now();
    const answers: Allowance[] = [];
    for (let i = 0; i < 15; i += 1) answers.push(await counters.take('away', 40, 60_000));
    expect(answers.filter((answer) => answer.allowed)).toHaveLength(10);
    const ofDoors = await Promise.all(Array.from({ length: 8 }, () => counters.take('doors', 40, 60_000)));
    expect(ofDoors.filter((answer) => answer.allowed)).toHaveLength(5);
    expect((await counters.take('tiny', 2, 60_000)).allowed).toBe(true);
    expect((await counters.take('tiny', 2, 60_000)).allowed).toBe(false);
    expect((await counters.take('nothing', 0, 60_000)).allowed).toBe(false);
    // Waiting for each of them would take longer.
    expect(performance.now() - from).toBeLessThan(commandMs * 18);
    await expect(counters.ping()).rejects.toThrow('Redis does not answer');
    await redis.restart();
    for (let i = 0; i < 200 && changes.at(-1) !== false; i += 1) {
      await sleep(50);
      await counters.take('other', 40, 60_000);
    }
    expect(changes).toEqual([true, false]);
    await expect(counters.ping()).resolves.toBeUndefined();
    await counters.close();
  });

  it('does not let every request wait for an unresponsive Redis', async () => {
    const commandMs = 200;
    const counters = await openRedisCounters({ url: redis.url, runtime: systemRuntime, commandMs });
    const direct = new Redis(redis.url);
    await direct.client('PAUSE', 3_600_000, 'ALL');
    const from = performance.now();
    for (let i = 0; i < 50; i += 1) expect((await counters.take('hangs', 100, 60_000)).allowed).toBe(true);
    // Some wait, about one in a second.
    expect(performance.now() - from).toBeLessThan((50 * commandMs) / 2);
    direct.disconnect();
    await counters.close();
    // It stays unresponsive.
    await redis.kill();
    await redis.restart();
  });

  it('starts without Redis and enforces the limits', async () => {
    const counters = await openRedisCounters({ url: 'redis://127.0.0.1:9', runtime: systemRuntime });
    expect((await counters.take('key', 1, 60_000)).allowed).toBe(true);
    expect((await counters.take('key', 1, 60_000)).allowed).toBe(false);
    await expect(counters.ping()).rejects.toThrow('Redis does not answer');
    await counters.close();
  });
});
