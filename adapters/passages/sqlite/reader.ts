import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { openConnection } from './connection.ts';
import { failureOf } from './failure.ts';
import { mostTogether } from './meaning.ts';
import type { Answers, Read, ReadAnswer, ReaderMessage, ReaderSetup } from './messages.ts';
import { answerOf, begin, retrieveTogether } from './questions.ts';
import { Retrievals } from './retrieval.ts';

/*
 * A thread that searches, with a connection of its own: SQLite's binding is synchronous. Retrievals that wait for it share
 * one pass over the vectors. The words of each are looked up before that: what comes meanwhile shares the pass as well.
 */

const port = parentPort;
if (port === null) throw new Error('a passages reader is a worker thread');
const { path, vectorBytes } = workerData as ReaderSetup;
const connection = openConnection(path, 'reader');
const retrievals = new Retrievals(connection, vectorBytes);

type Retrieve = Extract<Read, { kind: 'retrieve' }> & { id: number };

/**
 * So long retrievals that wait for their pass let questions of other kinds go first, in milliseconds: these may never cease.
 * Files near to a vector take as long as a retrieval, and have their turn.
 */
const longestGathering = 5;

port.on('message', (first: ReaderMessage) => {
  let together: Retrieve[] = [];
  let until = Infinity;
  const retrieveAll = (): void => {
    retrieve(together);
    [together, until] = [[], Infinity];
  };
  for (let message: ReaderMessage | undefined = first; message !== undefined; message = next()) {
    const isRetrieve = 'read' in message && message.read !== 'close' && message.read.kind === 'retrieve';
    if (!isRetrieve && performance.now() > until) retrieveAll();
    if ('begin' in message) {
      prepare(message);
      continue;
    }
    const { id, read } = message;
    if (read === 'close') {
      retrieveAll();
      connection.close();
      answer([{ id, value: null, failure: null }]);
      port.close();
      return;
    }
    if (read.kind === 'retrieve') {
      if (together.length === 0) until = performance.now() + longestGathering;
      if (together.push({ id, ...read, begun: read.begun ?? beginHere(id, read) }) === mostTogether) retrieveAll();
    } else {
      if (read.kind === 'nearestFiles') retrieveAll();
      attempt(id, () => answerOf(connection, read));
    }
  }
  retrieveAll();
});

/** What else waits. */
function next(): ReaderMessage | undefined {
  return port === null ? undefined : (receiveMessageOnPort(port) as { message: ReaderMessage } | undefined)?.message;
}

function prepare(message: Extract<ReaderMessage, { begin: number }>): void {
  try {
    begin(connection, retrievals, message);
  } catch {
    // Nothing was begun: the retrieval itself does all of it, and tells what is wrong.
  }
}

/** Does the words of a retrieval that nobody told to begin. Answers the number under which they are kept: no other has it. */
function beginHere(id: number, { organizationId, retrieval }: Extract<Read, { kind: 'retrieve' }>): number {
  prepare({ begin: -id, organizationId, retrieval });
  return -id;
}

function retrieve(together: readonly Retrieve[]): void {
  if (together.length === 0) return;
  const waiting = new Set(together.map(({ id }) => id));
  try {
    retrieveTogether(connection, retrievals, together, (place, result) => {
      const id = together[place]?.id ?? 0;
      waiting.delete(id);
      attempt(id, result);
    });
  } catch (error) {
    for (const id of waiting) answer([{ id, value: null, failure: failureOf(error) }]);
  }
}

function attempt(id: number, work: () => ReadAnswer): void {
  try {
    answer([{ id, value: work(), failure: null }]);
  } catch (error) {
    answer([{ id, value: null, failure: failureOf(error) }]);
  }
}

function answer(answers: Answers<ReadAnswer>): void {
  const value = answers[0]?.value;
  const transfer = typeof value === 'object' && value !== null && 'numbers' in value ? [value.numbers.buffer, value.places.buffer] : [];
  port?.postMessage(answers, transfer);
}

answer([{ id: 0, value: null, failure: null }]);
