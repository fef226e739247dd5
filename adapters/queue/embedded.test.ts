import { systemRuntime } from '../../models/runtime.ts';
import { queueConformance, stageMessage, until } from './conformance.ts';
import { openEmbeddedQueue } from './embedded.ts';

queueConformance('embedded', async () => ({
  queue: openEmbeddedQueue({ runtime: systemRuntime, redeliverAfterMs: 300 }),
}));

describe('the embedded queue', () => {
  it('accepts an id again after two minutes', async () => {
    let now = 0;
    const queue = openEmbeddedQueue({ runtime: { now: () => now } });
    await queue.publish('extracting', stageMessage('one'), 'id');
    now = 119_999;
    await queue.publish('extracting', stageMessage('one'), 'id');
    expect(await queue.depth('extracting')).toBe(1);
    now = 120_000;
    await queue.publish('extracting', stageMessage('one'), 'id');
    expect(await queue.depth('extracting')).toBe(2);
    await queue.close();
  });

  it('keeps the order of thousands of messages and survives a handler that throws synchronously', async () => {
    const queue = openEmbeddedQueue({ runtime: systemRuntime, redeliverAfterMs: 10 });
    const seen: string[] = [];
    for (let i = 0; i < 5000; i += 1) await queue.publish('extracting', stageMessage(String(i)), String(i));
    let thrown = false;
    await queue.consume('extracting', 1, ({ message }) => {
      if (message.jobId === '4999' && !thrown) {
        thrown = true;
        throw new Error('before its first await');
      }
      seen.push(message.jobId);
      return Promise.resolve();
    });
    await until(() => seen.length === 5000);
    expect(seen).toEqual(Array.from({ length: 5000 }, (_, i) => String(i)));
    expect(await queue.depth('extracting')).toBe(0);
    await queue.close();
  });
});
