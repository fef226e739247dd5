import { retrieval } from '../conformance-data.ts';
import { StoreUnavailable } from '../unavailable.ts';
import type { Read, ReadAnswer, ReaderMessage } from './messages.ts';
import { Readers } from './readers.ts';
import type { Thread } from './thread.ts';

/** A thread that answers when it is told to, with its own name, in the order in which it was asked. */
class FakeThread implements Thread<ReadAnswer> {
  readonly asked: Exclude<Read, { kind: 'begin' }>[] = [];
  readonly told: object[] = [];
  #open: { resolve(value: ReadAnswer): void; reject(error: Error): void }[] = [];
  #hasEnded = false;
  #lastId = 0;

  readonly busy = (): number => this.#open.length;
  readonly ended = (): boolean => this.#hasEnded;
  tell(message: object): void {
    this.told.push(message);
  }
  ask(message: (id: number) => object): Promise<ReadAnswer> {
    const { read } = message((this.#lastId += 1)) as Extract<ReaderMessage, { id: number }>;
    if (read !== 'close') this.asked.push(read);
    return read === 'close' ? Promise.resolve(null) : new Promise((resolve, reject) => this.#open.push({ resolve, reject }));
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
const organizationsOf = ({ asked }: FakeThread): string[] => asked.map((read) => ('organizationId' in read ? read.organizationId : read.kind));
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

async function openReaders(count: number, failing: { starts: boolean } = { starts: false }, wait?: number) {
  const threads: FakeThread[] = [];
  const readers = await Readers.open(count, () => {
    if (failing.starts) return Promise.reject(new StoreUnavailable('no thread'));
    const thread = new FakeThread();
    threads.push(thread);
    return Promise.resolve(thread);
  }, wait, { most: 2, milliseconds: 60_000 });
  const threadAt = (place: number): FakeThread => {
    const thread = threads[place];
    if (thread === undefined) throw new Error('there is no such thread');
    return thread;
  };
  return { readers, threads, threadAt };
}

describe('reading threads', () => {
  it('share what is asked in one moment', async () => {
    const { readers, threads } = await openReaders(3);
    for (let each = 0; each < 7; each += 1) void readers.ask('a', languages('a'));
    expect(threads.map((thread) => thread.busy())).toEqual([3, 2, 2]);
  });

  it('are asked a few questions at a time, of organizations in turns', async () => {
    const { readers, threadAt } = await openReaders(1);
    for (let each = 0; each < 100; each += 1) void readers.ask('many', languages('many'));
    const thread = threadAt(0);
    expect(thread.busy()).toBe(8);
    void readers.ask('few', languages('few'));
    for (let each = 0; each < 3; each += 1) {
      thread.answer();
      await settled();
    }
    expect(organizationsOf(thread).slice(8)).toEqual(['few', 'many', 'many']);
    expect(thread.busy()).toBe(8);
    // Whether the index answers is not to be told by how much it has to do.
    void readers.askFirst({ kind: 'ping' });
    expect(organizationsOf(thread).at(-1)).toBe('ping');
  });

  it('begin what a free one can do ahead, and no more', async () => {
    const { readers, threadAt } = await openReaders(2);
    const [one, other] = [threadAt(0), threadAt(1)];
    let give: (vector: Float32Array | null) => void = () => undefined;
    const vector = new Promise<Float32Array | null>((resolve) => (give = resolve));
    const pending = { ...retrieval(), vector };
    for (let each = 0; each < 3; each += 1) void readers.retrieveAhead('a', pending);
    expect([one.told.length, other.told.length, one.busy(), other.busy()]).toEqual([1, 1, 0, 0]);
    give(new Float32Array(8));
    await settled();
    expect([one.busy() + other.busy(), one.asked[0], other.asked[0]]).toEqual([3, expect.objectContaining({ begun: 1 }), expect.objectContaining({ begun: 2 })]);
  });

  it('are asked together for retrievals whose vectors come about the same time, where all have enough to do', async () => {
    const { readers, threadAt } = await openReaders(2);
    const [one, other] = [threadAt(0), threadAt(1)];
    const give: ((vector: Float32Array | null) => void)[] = [];
    const answers = Array.from({ length: 7 }, () => readers.retrieveAhead('a', { ...retrieval(), vector: new Promise((resolve) => give.push(resolve)) }));
    expect([one.told.length, other.told.length]).toEqual([1, 1]);
    give[2]?.(null);
    await settled();
    expect([one.busy(), other.busy()]).toEqual([0, 0]);
    give[3]?.(null);
    await settled();
    expect([one.busy(), other.busy()].toSorted()).toEqual([0, 2]);
    for (const each of [4, 5]) give[each]?.(null);
    await settled();
    expect([one.busy(), other.busy()]).toEqual([2, 2]);
    give[6]?.(null);
    await settled();
    expect(one.busy() + other.busy()).toBe(5);
    for (const each of [0, 1]) give[each]?.(null);
    await settled();
    expect(one.busy() + other.busy()).toBe(7);
    for (const thread of [one, other]) while (thread.busy() > 0) thread.answer();
    expect(await Promise.all(answers)).toHaveLength(7);
    // Nothing is under way any more: what comes now is begun at once.
    void readers.retrieveAhead('a', { ...retrieval(), vector: new Promise(() => undefined) });
    expect(one.told.length + other.told.length).toBe(3);
  });

  it('refuse retrievals whose vector comes when they are closed, and let those wait for their turn that find no thread free', async () => {
    const { readers, threadAt } = await openReaders(1);
    const thread = threadAt(0);
    for (let each = 0; each < 7; each += 1) void readers.ask('b', languages('b'));
    const give: ((vector: Float32Array | null) => void)[] = [];
    const answers = Array.from({ length: 3 }, () => readers.retrieveAhead('a', { ...retrieval(), vector: new Promise((resolve) => give.push(resolve)) }));
    for (const each of give) each(null);
    await settled();
    expect(thread.busy()).toBe(8);
    const late = readers.retrieveAhead('a', { ...retrieval(), vector: new Promise((resolve) => give.push(resolve)) });
    const refused = Promise.allSettled([late, ...answers.slice(1)]);
    await readers.close();
    give[3]?.(null);
    expect((await refused).map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  });

  it('are started again, once, where they ended, and the others go on meanwhile', async () => {
    const { readers, threads, threadAt } = await openReaders(2);
    const [lost] = await Promise.allSettled([readers.ask('a', languages('a')), settled().then(() => threadAt(0).end())]);
    expect(lost).toMatchObject({ status: 'rejected', reason: { name: 'StoreUnavailable' } });
    const asked = Array.from({ length: 20 }, () => readers.ask('a', languages('a')));
    expect(threadAt(1).busy()).toBe(8);
    await settled();
    expect([threads.length, threadAt(2).busy()]).toEqual([3, 8]);
    while (threadAt(1).busy() + threadAt(2).busy() > 0) {
      threadAt(1).answer();
      threadAt(2).answer();
      await settled();
    }
    expect(await Promise.all(asked)).toHaveLength(20);
  });

  it('refuse what waits where none can be started, and try again with the next question', async () => {
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

  it('are not asked what has waited too long, and go on with what comes then', async () => {
    const { readers, threadAt } = await openReaders(1, undefined, 30);
    const thread = threadAt(0);
    const asked = Array.from({ length: 12 }, () => readers.ask('a', languages('a')));
    const late = Promise.allSettled(asked.slice(8));
    await new Promise((resolve) => setTimeout(resolve, 60));
    const fresh = readers.ask('a', languages('a'));
    thread.answer();
    expect(await late).toEqual(Array(4).fill({ status: 'rejected', reason: expect.objectContaining({ name: 'StoreUnavailable', message: 'the passage index has too much to do' }) }));
    expect([thread.asked.length, thread.busy()]).toEqual([9, 8]);
    while (thread.busy() > 0) thread.answer();
    await Promise.all([...asked.slice(0, 8), fresh]);
  });

  it('refuse what waits, and what comes later, once they are closed', async () => {
    const { readers, threadAt } = await openReaders(1);
    const asked = Array.from({ length: 10 }, () => readers.ask('a', languages('a')));
    const refused = Promise.allSettled(asked.slice(8));
    await readers.close();
    expect((await refused).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    for (let each = 0; each < 8; each += 1) threadAt(0).answer();
    expect(await Promise.all(asked.slice(0, 8))).toHaveLength(8);
    await expect(readers.ask('a', languages('a'))).rejects.toMatchObject({ name: 'StoreUnavailable' });
  });
});
