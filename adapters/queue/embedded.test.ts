import { systemAmbient } from '../../models/ambient.ts';
import { queueConformance, stageMessage, until } from './conformance.ts';
import { openEmbeddedQueue } from './embedded.ts';

queueConformance('embedded', async () => ({ queue: openEmbeddedQueue({ ambient: systemAmbient, redeliverAfterMs: 300 }) }));

describe('the embedded queue', () => {
  it('takes an id again after two minutes', async () => {
    let now = 0;
    const queue = openEmbeddedQueue({ ambient: { now: () => now } });
    await queue.publish('extracting', stageMessage('one'), 'id');
    now = 119_999;
    await queue.publish('extracting', stageMessage('one'), 'id');
    expect(await queue.depth('extracting')).toBe(1);
    now = 120_000;
    await queue.publish('extracting', stageMessage('one'), 'id');
    expect(await queue.depth('extracting')).toBe(2);
    await queue.close();
  });

  it('keeps its order over thousands of messages and survives a handler that throws at once', async () => {
    const queue = openEmbeddedQueue({ ambient: systemAmbient, redeliverAfterMs: 10 });
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
