import { parentPort, workerData } from 'node:worker_threads';
import { openConnection } from './connection.ts';
import { failureOf } from './failure.ts';
import type { Answers, ReadAnswer, ReaderMessage, ReaderSetup } from './messages.ts';
import { executeRead } from './reads.ts';
import { Retrievals } from './retrieval.ts';

/* A reader thread, with a connection of its own: SQLite's binding is synchronous. */

const port = parentPort;
if (port === null) throw new Error('a passages reader is a worker thread');
const { path, vectorBytes, codesFolder } = workerData as ReaderSetup;
const connection = openConnection(path, 'reader');
const retrievals = new Retrievals(connection, { capacity: vectorBytes, folder: codesFolder });
/** Milliseconds of reading ahead between two reads. */
const maxReadMs = 50;
let next: NodeJS.Immediate | null = null;

port.on('message', ({ id, read }: ReaderMessage) => {
  if (read === 'close') {
    if (next !== null) clearImmediate(next);
    retrievals.close();
    connection.close();
    answer([{ id, value: null, failure: null }]);
    port.close();
    return;
  }
  try {
    answer([{ id, value: executeRead(connection, retrievals, read), failure: null }]);
    if ((read.kind === 'nearest' || read.kind === 'whole') && next === null) readOn();
  } catch (error) {
    answer([{ id, value: null, failure: failureOf(error) }]);
  }
});

/** Reads the vectors that a search waits for, and codes of the last start, between other reads. */
function readOn(): void {
  next = retrievals.readOn(maxReadMs) ? setImmediate(readOn) : null;
}

function answer(answers: Answers<ReadAnswer>): void {
  const value = answers[0]?.value;
  const transfer =
    typeof value === 'object' && value !== null && 'numbers' in value
      ? [value.numbers.buffer, value.positions.buffer, value.formsOfTerms.buffer]
      : [];
  port?.postMessage(answers, transfer);
}

answer([{ id: 0, value: null, failure: null }]);
if (vectorBytes > 0) readOn();
