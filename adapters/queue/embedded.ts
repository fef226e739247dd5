import type { WorkMessage } from '../../models/work.ts';
import type { Runtime } from '../../models/runtime.ts';
import type { Consumer, Delivery, StageQueue } from './port.ts';

/** Options of an embedded queue. */
export interface EmbeddedQueueOptions {
  runtime: Pick<Runtime, 'now'>;
  /** Milliseconds until redelivery of a message whose handler rejected. */
  redeliverAfterMs?: number;
}

/** Messages with the same id within this time are deduplicated. */
const dedupeMs = 120_000;

type Handle = (delivery: Delivery) => Promise<void>;

interface Worker {
  free: number;
  handle: Handle;
  running: Set<Promise<void>>;
}

interface Line {
  /** Waiting messages, oldest first; those before `head` are delivered already. */
  waiting: WorkMessage[];
  head: number;
  /** Messages in progress, or pausing before redelivery. */
  delivered: Set<WorkMessage>;
  workers: Worker[];
  /** When each id was published, oldest first. */
  published: Map<string, number>;
}

/** A queue in this process's memory, first in, first out for each stage. It is empty after a restart. */
export function openEmbeddedQueue(options: EmbeddedQueueOptions): StageQueue {
  const { runtime, redeliverAfterMs = 1000 } = options;
  const lines = new Map<string, Line>();
  const resting = new Set<NodeJS.Timeout>();
  let closed = false;

  function lineOf(stage: string): Line {
    let line = lines.get(stage);
    if (line === undefined) {
      line = { waiting: [], head: 0, delivered: new Set(), workers: [], published: new Map() };
      lines.set(stage, line);
    }
    return line;
  }

  /** Records an id; false if it was already published within the last two minutes. */
  function isNew(line: Line, dedupeId: string): boolean {
    const now = runtime.now();
    for (const [id, at] of line.published) {
      if (at + dedupeMs > now) break;
      line.published.delete(id);
    }
    if (line.published.has(dedupeId)) return false;
    line.published.set(dedupeId, now);
    return true;
  }

  function nextMessage(line: Line): WorkMessage | undefined {
    const message = line.waiting[line.head];
    if (message === undefined) return undefined;
    line.head += 1;
    // The array is cut occasionally, so that taking from its front stays cheap.
    if (line.head > 1024 && line.head * 2 > line.waiting.length) {
      line.waiting.splice(0, line.head);
      line.head = 0;
    }
    return message;
  }

  function handOver(line: Line): void {
    if (closed) return;
    for (;;) {
      // The worker with the most free slots, so that the workers of a stage share the messages.
      const worker = line.workers.reduce<Worker | null>(
        (best, each) => (each.free > (best?.free ?? 0) ? each : best),
        null,
      );
      if (worker === null) return;
      const message = nextMessage(line);
      if (message === undefined) return;
      worker.free -= 1;
      line.delivered.add(message);
      const running = run(line, worker, message).finally(() => {
        worker.running.delete(running);
        worker.free += 1;
        handOver(line);
      });
      worker.running.add(running);
    }
  }

  async function run(line: Line, worker: Worker, message: WorkMessage): Promise<void> {
    try {
      // A handler that throws before its first await counts as one that rejects.
      await Promise.resolve({ message, working: () => {} }).then(worker.handle);
      line.delivered.delete(message);
    } catch {
      // The handler reports its failure; the queue only redelivers the message.
      if (closed) return;
      const timer = setTimeout(() => {
        resting.delete(timer);
        line.delivered.delete(message);
        line.waiting.push(message);
        handOver(line);
      }, redeliverAfterMs);
      resting.add(timer);
    }
  }

  function stopWorker(line: Line, worker: Worker): Promise<unknown> {
    line.workers = line.workers.filter((each) => each !== worker);
    return Promise.allSettled(worker.running);
  }

  return {
    durable: false,
    async publish(stage, message, dedupeId) {
      if (closed) throw new Error('the stage queue is closed');
      const line = lineOf(stage);
      if (!isNew(line, dedupeId)) return;
      line.waiting.push({ ...message });
      handOver(line);
    },
    async consume(stage, slots, handle): Promise<Consumer> {
      const line = lineOf(stage);
      const worker: Worker = { free: slots, handle, running: new Set() };
      line.workers.push(worker);
      handOver(line);
      return {
        async stop() {
          await stopWorker(line, worker);
        },
      };
    },
    async depth(stage) {
      const line = lineOf(stage);
      return line.waiting.length - line.head + line.delivered.size;
    },
    outstanding(stage) {
      const line = lineOf(stage);
      return [...line.delivered, ...line.waiting.slice(line.head)];
    },
    async ping() {
      if (closed) throw new Error('the stage queue is closed');
    },
    async close() {
      closed = true;
      for (const timer of resting) clearTimeout(timer);
      resting.clear();
      await Promise.all([...lines.values()].flatMap((line) => line.workers.map((worker) => stopWorker(line, worker))));
    },
  };
}
