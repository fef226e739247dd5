import { setTimeout as sleep } from 'node:timers/promises';
import type { WorkMessage } from '../../models/work.ts';
import type { StageQueue } from './port.ts';

/** Creates the subject of a suite: queues with a redelivery pause of 300 ms. */
export interface QueueUnderTest {
  queue: StageQueue;
  stop?(): Promise<void>;
}

const pauseMs = 300;

/** A message with a job of this name. */
export function stageMessage(jobId: string): WorkMessage {
  return { organizationId: 'organization', documentId: `asset of ${jobId}`, jobId, stageSeq: 1, attempt: 1 };
}

/** Waits until a condition holds, for at most a minute. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let i = 0; i < 3000; i += 1) {
    if (await holds()) return;
    await sleep(20);
  }
  throw new Error('the condition did not hold within a minute');
}

/** The tests that every adapter of the stage queue must pass. */
export function queueConformance(name: string, open: () => Promise<QueueUnderTest>): void {
  describe(`stage queue: ${name}`, () => {
    let subject: QueueUnderTest;
    let queue: StageQueue;
    beforeAll(async () => {
      subject = await open();
      queue = subject.queue;
    });
    afterAll(async () => {
      await queue.close();
      await subject.stop?.();
    });

    it('delivers each message once, in order and complete', async () => {
      const seen: WorkMessage[] = [];
      for (let i = 0; i < 20; i += 1) await queue.publish('extracting', stageMessage(`job ${i}`), `order.${i}`);
      expect(await queue.depth('extracting')).toBe(20);
      const consumer = await queue.consume('extracting', 1, async ({ message }) => {
        seen.push(message);
      });
      await until(async () => seen.length === 20 && (await queue.depth('extracting')) === 0);
      await consumer.stop();
      expect(seen).toEqual(Array.from({ length: 20 }, (_, i) => stageMessage(`job ${i}`)));
    });

    it('deduplicates messages by id, also after they were handled', async () => {
      const seen: string[] = [];
      await queue.publish('extracting', stageMessage('twin'), 'twin.1');
      await queue.publish('extracting', stageMessage('twin'), 'twin.1');
      expect(await queue.depth('extracting')).toBe(1);
      const consumer = await queue.consume('extracting', 2, async ({ message }) => {
        seen.push(message.jobId);
      });
      await until(async () => seen.length === 1 && (await queue.depth('extracting')) === 0);
      await queue.publish('extracting', stageMessage('twin'), 'twin.1');
      await queue.publish('extracting', stageMessage('other'), 'other.1');
      await until(() => seen.includes('other'));
      await consumer.stop();
      expect(seen).toEqual(['twin', 'other']);
    });

    it('separates stages', async () => {
      const seen: string[] = [];
      const consumer = await queue.consume('embedding', 2, async ({ message }) => {
        seen.push(message.jobId);
      });
      await queue.publish('deleting', stageMessage('not yours'), 'apart.1');
      await queue.publish('embedding', stageMessage('yours'), 'apart.2');
      await until(() => seen.length > 0);
      await sleep(100);
      await consumer.stop();
      expect(seen).toEqual(['yours']);
      expect(await queue.depth('deleting')).toBe(1);
      const rest = await queue.consume('deleting', 1, async () => {});
      await until(async () => (await queue.depth('deleting')) === 0);
      await rest.stop();
    });

    it('delivers at most one message per slot at a time, and uses all slots', async () => {
      let [now, max, done] = [0, 0, 0];
      for (let i = 0; i < 30; i += 1) await queue.publish('extracting', stageMessage(`slot ${i}`), `slots.${i}`);
      const consumer = await queue.consume('extracting', 3, async () => {
        now += 1;
        max = Math.max(max, now);
        await sleep(20);
        now -= 1;
        done += 1;
      });
      await until(() => done === 30);
      await consumer.stop();
      expect(max).toBe(3);
    });

    it('redelivers a message after a pause if its handler rejects, and others meanwhile', async () => {
      const seen: { jobId: string; at: number }[] = [];
      await queue.publish('extracting', stageMessage('fails'), 'fails.1');
      await queue.publish('extracting', stageMessage('works'), 'works.1');
      const consumer = await queue.consume('extracting', 1, async ({ message, working }) => {
        working();
        seen.push({ jobId: message.jobId, at: performance.now() });
        if (message.jobId === 'fails' && seen.filter((each) => each.jobId === 'fails').length < 3)
          throw new Error('not this time');
      });
      await until(async () => (await queue.depth('extracting')) === 0);
      await consumer.stop();
      expect(seen.map((each) => each.jobId)).toEqual(['fails', 'works', 'fails', 'fails']);
      const times = seen.filter((each) => each.jobId === 'fails').map((each) => each.at);
      for (const [i, at] of times.entries()) {
        if (i > 0) expect(at - (times[i - 1] ?? 0)).toBeGreaterThanOrEqual(pauseMs - 20);
      }
    });

    it('stops after the messages in progress, and leaves the rest for others immediately', async () => {
      const begun: string[] = [];
      const done: string[] = [];
      const { promise: allowed, resolve: allow } = Promise.withResolvers<void>();
      for (let i = 0; i < 4; i += 1) await queue.publish('extracting', stageMessage(`stop ${i}`), `stop.${i}`);
      const first = await queue.consume('extracting', 2, async ({ message }) => {
        begun.push(message.jobId);
        await allowed;
        done.push(message.jobId);
      });
      await until(() => begun.length === 2);
      let hasStopped = false;
      const stopping = first.stop().then(() => (hasStopped = true));
      await sleep(100);
      expect([hasStopped, done]).toEqual([false, []]);
      allow();
      await stopping;
      expect(done.sort()).toEqual(['stop 0', 'stop 1']);
      const stopped = performance.now();
      const second = await queue.consume('extracting', 2, async ({ message }) => {
        done.push(message.jobId);
      });
      await until(async () => done.length === 4 && (await queue.depth('extracting')) === 0);
      // Half of the time after which the messages of a dead worker are redelivered.
      expect(performance.now() - stopped).toBeLessThan(30_000);
      await second.stop();
      expect(done.sort()).toEqual(['stop 0', 'stop 1', 'stop 2', 'stop 3']);
    });

    it('shares a stage between consumers without delivering a message twice', async () => {
      const seen: string[] = [];
      const workers = new Set<number>();
      // The first consumer keeps its messages until the second one has some too, which shows that both get messages.
      const { promise: both, resolve: areBoth } = Promise.withResolvers<void>();
      const consumers = await Promise.all(
        [1, 2].map((worker) =>
          queue.consume('extracting', 2, async ({ message }) => {
            workers.add(worker);
            if (workers.size === 2) areBoth();
            await both;
            seen.push(message.jobId);
          }),
        ),
      );
      for (let i = 0; i < 40; i += 1) await queue.publish('extracting', stageMessage(`shared ${i}`), `shared.${i}`);
      await until(() => seen.length >= 40);
      await Promise.all(consumers.map((consumer) => consumer.stop()));
      expect(new Set(seen).size).toBe(40);
      expect(seen).toHaveLength(40);
      expect(workers.size).toBe(2);
    });

    it('answers a ping', async () => {
      await expect(queue.ping()).resolves.toBeUndefined();
    });
  });
}
