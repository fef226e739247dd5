import { FairLine } from '../../../models/fair-line.ts';
import type { PendingRetrieval } from '../port.ts';
import { StoreUnavailable } from '../unavailable.ts';
import { Gathering, type GatheringLimits } from './gathering.ts';
import { mostTogether } from './meaning.ts';
import type { Begin, Read, ReadAnswer } from './messages.ts';
import type { Thread } from './thread.ts';

/** Questions that a thread has at a time, at most, as many as share one pass over its vectors; the others wait for their turn. */
const mostAsked = mostTogether;
/** Questions of an organization that asks little go before those of others where they are no more. */
const headStart = 4;
/**
 * Milliseconds that a question waits for its turn, at most. Whoever asked gives up after half a minute: were there for long
 * more questions than answers, all would be given to nobody.
 */
const longestWait = 10_000;
/**
 * Retrievals that share a pass cost less than as many passes, so where all processors are busy anyway, one whose vector is
 * there waits for others whose vectors are being computed: until half a pass is full (the other half is answered
 * meanwhile), and so many milliseconds at most. Measured: with five of them threads stood still for longer than was saved.
 */
const gathered: GatheringLimits = { most: mostTogether / 2, milliseconds: 2 };

/** A reading thread, and the retrievals that it began and was not yet asked for. */
interface Reader {
  thread: Thread<ReadAnswer>;
  begun: number;
  isStarting: boolean;
}

interface Question {
  read: Read;
  /** When it was asked. */
  at: number;
  resolve(answer: ReadAnswer): void;
  reject(error: Error): void;
}

/**
 * The reading threads of the index. A question goes to the freest one; where all have enough to do, organizations take
 * turns: one that asks much, or what takes long, holds the others up no longer than by what is under way. A thread that
 * ended is started again.
 */
export class Readers {
  readonly #start: () => Promise<Thread<ReadAnswer>>;
  readonly #longestWait: number;
  readonly #readers: Reader[];
  readonly #waiting = new FairLine<Question>(headStart);
  readonly #gathering: Gathering<Question>;
  /** Retrievals that were not answered yet, those whose vector is still being computed among them. */
  #underWay = 0;
  #isClosed = false;
  #lastBegun = 0;

  private constructor(start: () => Promise<Thread<ReadAnswer>>, threads: readonly Thread<ReadAnswer>[], wait: number, limits: GatheringLimits) {
    this.#start = start;
    this.#longestWait = wait;
    this.#gathering = new Gathering(limits, (organizationId, questions) => this.#askTogether(organizationId, questions));
    this.#readers = threads.map((thread) => ({ thread, begun: 0, isStarting: false }));
  }

  /** Starts so many threads. @throws StoreUnavailable */
  static async open(count: number, start: () => Promise<Thread<ReadAnswer>>, wait = longestWait, limits = gathered): Promise<Readers> {
    return new Readers(start, await Promise.all(Array.from({ length: count }, start)), wait, limits);
  }

  /** What a thread answers, when it was the organization's turn. @throws StoreUnavailable when the store or all threads fail, or have too much to do */
  ask(organizationId: string, read: Read): Promise<ReadAnswer> {
    return new Promise((resolve, reject) => {
      if (this.#isClosed) {
        reject(closed());
        return;
      }
      this.#waiting.push(organizationId, { read, at: performance.now(), resolve, reject });
      this.#serve();
    });
  }

  /** Asks past all who wait for their turn: what tells whether the index answers at all. */
  askFirst(read: Read): Promise<ReadAnswer> {
    const reader = this.#freest(Infinity);
    return reader === null ? this.ask('', read) : this.#askOf(reader.thread, read);
  }

  /**
   * Lets a thread do ahead what needs no vector, and asks it for the whole when the vector is there. Where as many retrievals
   * as there are threads are under way no processor is free for that: then it is asked together with others.
   */
  async retrieveAhead(organizationId: string, pending: PendingRetrieval): Promise<ReadAnswer> {
    const reader = this.#underWay < this.#readers.length ? this.#freest(1) : null;
    this.#underWay += 1;
    try {
      return await (reader === null ? this.#retrieveTogether(organizationId, pending) : this.#retrieveBegun(reader, organizationId, pending));
    } finally {
      this.#underWay -= 1;
    }
  }

  async #retrieveBegun(reader: Reader, organizationId: string, { vector: promised, ...rest }: PendingRetrieval): Promise<ReadAnswer> {
    const begun = ++this.#lastBegun;
    const { thread } = reader;
    reader.begun += 1;
    thread.tell({ begin: begun, organizationId, retrieval: { ...rest, vector: null } } satisfies Begin);
    const vector = await promised;
    reader.begun -= 1;
    const question: Read = { kind: 'retrieve', organizationId, retrieval: { ...rest, vector }, begun };
    return thread.ended() ? this.ask(organizationId, question) : this.#askOf(thread, question);
  }

  async #retrieveTogether(organizationId: string, { vector: promised, ...rest }: PendingRetrieval): Promise<ReadAnswer> {
    this.#gathering.expect(organizationId);
    const vector = await promised;
    const read: Read = { kind: 'retrieve', organizationId, retrieval: { ...rest, vector }, begun: null };
    return new Promise((resolve, reject) => this.#gathering.add(organizationId, { read, at: performance.now(), resolve, reject }));
  }

  /** Asks one thread for all, where it is their turn; else they wait in the line. */
  #askTogether(organizationId: string, questions: readonly Question[]): void {
    const reader = this.#isClosed || this.#waiting.length > 0 ? null : this.#freest(mostAsked - questions.length + 1);
    for (const question of questions) {
      if (this.#isClosed) question.reject(closed());
      else if (reader === null) this.#waiting.push(organizationId, question);
      else this.#askOf(reader.thread, question.read).then(question.resolve, question.reject);
    }
    this.#serve();
  }

  /** Ends all threads when they have answered what they were asked. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#refuse(closed());
    await Promise.all(this.#readers.filter(({ thread }) => !thread.ended()).map(({ thread }) => thread.ask((id) => ({ id, read: 'close' }))));
  }

  #askOf(thread: Thread<ReadAnswer>, read: Read): Promise<ReadAnswer> {
    return thread.ask((id) => ({ id, read })).finally(() => this.#serve());
  }

  /** Asks what waits, as far as threads have room. Nothing is awaited between choosing a thread and asking it: many come in one moment. */
  #serve(): void {
    while (this.#waiting.length > 0) {
      const reader = this.#freest(mostAsked);
      const question = reader === null ? undefined : this.#waiting.shift();
      if (reader === null || question === undefined) return;
      if (performance.now() - question.at > this.#longestWait) question.reject(new StoreUnavailable('the passage index has too much to do'));
      else this.#askOf(reader.thread, question.read).then(question.resolve, question.reject);
    }
  }

  /** The thread with the fewest questions, fewer than so many; null for none. */
  #freest(below: number): Reader | null {
    let [freest, least]: [Reader | null, number] = [null, below];
    for (const reader of this.#readers) {
      if (reader.thread.ended()) {
        this.#restart(reader);
        continue;
      }
      const load = reader.thread.busy() + reader.begun;
      if (load < least) [freest, least] = [reader, load];
    }
    return freest;
  }

  #restart(reader: Reader): void {
    if (reader.isStarting || this.#isClosed) return;
    reader.isStarting = true;
    this.#start().then(async (thread) => {
      if (this.#isClosed) await thread.ask((id) => ({ id, read: 'close' }));
      reader.thread = thread;
      reader.isStarting = false;
      this.#serve();
    }).catch((error: unknown) => {
      reader.isStarting = false;
      // Those that are left go on alone, and the next question tries again.
      if (this.#readers.every(({ thread }) => thread.ended())) this.#refuse(error instanceof Error ? error : new StoreUnavailable('no thread of the passage index can be started', { cause: error }));
    });
  }

  #refuse(error: Error): void {
    for (let question = this.#waiting.shift(); question !== undefined; question = this.#waiting.shift()) question.reject(error);
  }
}

function closed(): StoreUnavailable {
  return new StoreUnavailable('the passage index is closed');
}
