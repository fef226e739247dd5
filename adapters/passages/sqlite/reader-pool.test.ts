import { StoreUnavailable } from '../unavailable.ts';
import type { Read, ReadAnswer, ReaderMessage } from './messages.ts';
import { ReaderPool } from './reader-pool.ts';
import type { Thread } from './thread.ts';

/** A thread that responds on command, in the order of the reads. */
class FakeThread implements Thread<ReadAnswer> {
  readonly asked: Read[] = [];
  #open: { resolve(value: ReadAnswer): void; reject(error: Error): void }[] = [];
  #hasEnded = false;
  #lastId = 0;

  readonly busy = (): number => this.#open.length;
  readonly ended = (): boolean => this.#hasEnded;
  ask(message: (id: number) => object): Promise<ReadAnswer> {
    const { read } = message((this.#lastId += 1)) as Extract<ReaderMessage, { id: number }>;
    if (read !== 'close') this.asked.push(read);
    return read === 'close'
      ? Promise.resolve(null)
      : new Promise((resolve, reject) => this.#open.push({ resolve, reject }));
  }
  answer(): void {
    this.#open.shift()?.resolve(null);
  }
  end(): void {
    this.#hasEnded = true;
    for (const { reject } of this.#open.splice(0)) reject(new StoreUnavailable('ended'));
  }
}

const languages = (organizationId: string): Read => ({ kind: 'languages', organizationId });
const organizationsOf = ({ asked }: FakeThread): string[] =>
  asked.map((read) => ('organizationId' in read ? read.organizationId : read.kind));
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function openReaders(count: number, failing: { starts: boolean } = { starts: false }, wait?: number) {
  const threads: FakeThread[] = [];
  const readers = await ReaderPool.open(
    count,
    () => {
      if (failing.starts) return Promise.reject(new StoreUnavailable('no thread'));
      const thread = new FakeThread();
      threads.push(thread);
      return Promise.resolve(thread);
    },
    wait,
  );
  const threadAt = (at: number): FakeThread => {
    const thread = threads[at];
    if (thread === undefined) throw new Error('there is no such thread');
    return thread;
  };
  return { readers, threads, threadAt };
}

describe('the reader pool', () => {
  it('sends a read to the least busy thread', async () => {
    const { readers, threads } = await openReaders(3);
    for (let each = 0; each < 4; each += 1) void readers.ask('a', languages('a'));
    expect(threads.map((thread) => thread.busy())).toEqual([2, 1, 1]);
  });

  it('sends a thread two reads at a time, of organizations in turns, and health checks ahead of the queue', async () => {
    const { readers, threadAt } = await openReaders(1);
    for (let each = 0; each < 100; each += 1) void readers.ask('many', languages('many'));
    const thread = threadAt(0);
    expect(thread.busy()).toBe(2);
    void readers.ask('few', languages('few'));
    for (let each = 0; each < 3; each += 1) {
      thread.answer();
      await settled();
    }
    expect(organizationsOf(thread).slice(2)).toEqual(['few', 'many', 'many']);
    expect(thread.busy()).toBe(2);
    void readers.askFirst({ kind: 'ping' });
    expect(organizationsOf(thread).at(-1)).toBe('ping');
  });

  it('restarts an exited thread once, while the others continue', async () => {
    const { readers, threads, threadAt } = await openReaders(2);
    const [lost] = await Promise.allSettled([
      readers.ask('a', languages('a')),
      settled().then(() => threadAt(0).end()),
    ]);
    expect(lost).toMatchObject({ status: 'rejected', reason: { name: 'StoreUnavailable' } });
    const asked = Array.from({ length: 20 }, () => readers.ask('a', languages('a')));
    expect(threadAt(1).busy()).toBe(2);
    await settled();
    expect([threads.length, threadAt(2).busy()]).toEqual([3, 2]);
    while (threadAt(1).busy() + threadAt(2).busy() > 0) {
      threadAt(1).answer();
      threadAt(2).answer();
      await settled();
    }
    expect(await Promise.all(asked)).toHaveLength(20);
  });

  it('rejects queued reads when no thread can be started, and tries again with the next read', async () => {
    const failing = { starts: false };
    const { readers, threads, threadAt } = await openReaders(1, failing);
    failing.starts = true;
    threadAt(0).end();
    await expect(readers.ask('a', languages('a'))).rejects.toThrow('no thread');
    await expect(readers.askFirst({ kind: 'ping' })).rejects.toThrow('no thread');
    failing.starts = false;
    const answered = readers.ask('a', languages('a'));
    await settled();
    threadAt(1).answer();
    await answered;
    expect(threads).toHaveLength(2);
  });

  it('rejects reads that waited too long, and serves later ones', async () => {
    const { readers, threadAt } = await openReaders(1, undefined, 30);
    const thread = threadAt(0);
    const asked = Array.from({ length: 6 }, () => readers.ask('a', languages('a')));
    const late = Promise.allSettled(asked.slice(2));
    await new Promise((resolve) => setTimeout(resolve, 60));
    const fresh = readers.ask('a', languages('a'));
    thread.answer();
    expect(await late).toEqual(
      Array(4).fill({
        status: 'rejected',
        reason: expect.objectContaining({ name: 'StoreUnavailable', message: 'the passage index is overloaded' }),
      }),
    );
    expect([thread.asked.length, thread.busy()]).toEqual([3, 2]);
    while (thread.busy() > 0) thread.answer();
    await Promise.all([...asked.slice(0, 2), fresh]);
  });

  it('rejects queued and later reads once it is closed', async () => {
    const { readers, threadAt } = await openReaders(1);
    const asked = Array.from({ length: 4 }, () => readers.ask('a', languages('a')));
    const refused = Promise.allSettled(asked.slice(2));
    await readers.close();
    expect((await refused).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    for (let each = 0; each < 2; each += 1) threadAt(0).answer();
    expect(await Promise.all(asked.slice(0, 2))).toHaveLength(2);
    await expect(readers.ask('a', languages('a'))).rejects.toMatchObject({ name: 'StoreUnavailable' });
  });
});
