import { setTimeout as sleep } from 'node:timers/promises';
import type { StageMessage } from '../../models/job.ts';
import type { StageQueue } from './port.ts';

/** How a suite gets its subject: queues with a redelivery pause of 300 ms. */
export interface QueueUnderTest {
  queue: StageQueue;
  stop?(): Promise<void>;
}

const pauseMs = 300;

/** A message about a job of this name. */
export function stageMessage(jobId: string): StageMessage {
  return { organizationId: 'organization', assetId: `asset of ${jobId}`, jobId, stageSeq: 1, attempt: 1 };
}

/** Waits until something holds, for a minute at most. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let i = 0; i < 3000; i += 1) {
    if (await holds()) return;
    await sleep(20);
  }
  throw new Error('it did not come to hold within a minute');
}

/** What every adapter of the stage queue must do, as jest tests. */
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

    it('hands each message over once, in order, whole', async () => {
      const seen: StageMessage[] = [];
      for (let i = 0; i < 20; i += 1) await queue.publish('extracting', stageMessage(`job ${i}`), `order.${i}`);
      expect(await queue.depth('extracting')).toBe(20);
      const consumer = await queue.consume('extracting', 1, async ({ message }) => {
        seen.push(message);
      });
      await until(async () => seen.length === 20 && (await queue.depth('extracting')) === 0);
      await consumer.stop();
      expect(seen).toEqual(Array.from({ length: 20 }, (_, i) => stageMessage(`job ${i}`)));
    });

    it('takes equal ids for one message, also after it was dealt with', async () => {
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

    it('keeps stages apart', async () => {
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

    it('hands over no more than the slots at a time, and uses them all', async () => {
      let [now, most, done] = [0, 0, 0];
      for (let i = 0; i < 30; i += 1) await queue.publish('extracting', stageMessage(`slot ${i}`), `slots.${i}`);
      const consumer = await queue.consume('extracting', 3, async () => {
        now += 1;
        most = Math.max(most, now);
        await sleep(20);
        now -= 1;
        done += 1;
      });
      await until(() => done === 30);
      await consumer.stop();
      expect(most).toBe(3);
    });

    it('brings a message again after a pause when its handler rejects, and others meanwhile', async () => {
      const seen: { jobId: string; at: number }[] = [];
      await queue.publish('extracting', stageMessage('fails'), 'fails.1');
      await queue.publish('extracting', stageMessage('works'), 'works.1');
      const consumer = await queue.consume('extracting', 1, async ({ message, working }) => {
        working();
        seen.push({ jobId: message.jobId, at: performance.now() });
        if (message.jobId === 'fails' && seen.filter((each) => each.jobId === 'fails').length < 3) throw new Error('not this time');
      });
      await until(async () => (await queue.depth('extracting')) === 0);
      await consumer.stop();
      expect(seen.map((each) => each.jobId)).toEqual(['fails', 'works', 'fails', 'fails']);
      const times = seen.filter((each) => each.jobId === 'fails').map((each) => each.at);
      for (const [i, at] of times.entries()) {
        if (i > 0) expect(at - (times[i - 1] ?? 0)).toBeGreaterThanOrEqual(pauseMs - 20);
      }
    });

    it('stops after what is in hand, and leaves the rest for others at once', async () => {
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
      // Half of the time after which what a dead worker had in hand comes again.
      expect(performance.now() - stopped).toBeLessThan(30_000);
      await second.stop();
      expect(done.sort()).toEqual(['stop 0', 'stop 1', 'stop 2', 'stop 3']);
    });

    it('shares a stage between consumers without handing anything over twice', async () => {
      const seen: string[] = [];
      const workers = new Set<number>();
      // The first one keeps what it has until the other one has some too: only then is it known to get some.
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
