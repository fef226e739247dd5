import { parentPort, workerData } from 'node:worker_threads';
import { Pace } from '../../../models/pace.ts';
import { openConnection } from './connection.ts';
import { stepsOf } from './changes.ts';
import type { Steps } from './changes.ts';
import { failureOf } from './failure.ts';
import type { Answers, Write, WriterSetup } from './messages.ts';
import { PendingWords } from './pending-words.ts';

/*
 * The one thread that writes. All writes that wait share a transaction, and so one flush to the disk; a long change
 * goes on in the next one, behind the others. Small files wait a moment for others where one follows the other: each
 * transaction makes the readers forget what they know, and costs far more than the few rows that are in it.
 */

/** Work on one transaction before it is committed, in milliseconds. */
const longestTransaction = 25;

/** Rows from which on a change is worth a transaction of its own, and small changes that are so together. */
const enough = { rows: 8, changes: 8 };
/** In which pace fewer small changes are committed: the first ones at once. */
const pace = new Pace({ burst: 16, perSecond: 12 });

interface Job {
  id: number;
  file: string;
  steps: Steps;
  /** Whether what it removes must not stay in the log either. */
  isForgetting: boolean;
  /** Whether it may wait for others. */
  isPatient: boolean;
}

/** What lays down or publishes few rows, as most files have: nobody waits for it but its job. */
function isSmall(write: Write): boolean {
  if (write.kind !== 'write' && write.kind !== 'publish') return false;
  const packed = write.kind === 'write' ? write : write.last;
  return (packed?.rows.length ?? 0) < enough.rows;
}

const port = parentPort;
if (port === null) throw new Error('the passages writer is a worker thread');
const { path, identity } = workerData as WriterSetup;
const connection = openConnection(path, 'writer');
connection.run('insert into identity select ? where not exists (select 1 from identity)', identity);
const words = new PendingWords();
const waiting: Job[] = [];
/** Changes of a file wait here while one of them is under way. */
const behind = new Map<string, Job[]>();
let scheduled = false;
let pause: NodeJS.Timeout | null = null;
let closing: number | null = null;

port.on('message', (message: { id: number; write: Write | 'close' }) => {
  if (message.write === 'close') {
    closing = message.id;
  } else {
    const { write } = message;
    const file = JSON.stringify([write.organizationId, write.assetId]);
    const job = { id: message.id, file, steps: stepsOf(connection, write, words), isForgetting: write.kind === 'removeOrganization', isPatient: isSmall(write) };
    const queue = behind.get(file);
    if (queue !== undefined) {
      queue.push(job);
      // What is in haste must not stand behind what waits for others.
      if (!job.isPatient) for (const ahead of waiting) if (ahead.file === file) ahead.isPatient = false;
    } else {
      behind.set(file, []);
      waiting.push(job);
    }
  }
  schedule();
});

function schedule(): void {
  if (scheduled) return;
  const canWait = closing === null && waiting.length < enough.changes && waiting.every(({ isPatient }) => isPatient);
  const wait = canWait ? pace.wait(performance.now()) : 0;
  if (wait > 0) {
    pause ??= setTimeout(runTransaction, wait);
    return;
  }
  if (pause !== null) clearTimeout(pause);
  scheduled = true;
  setImmediate(runTransaction);
}

function answer(answers: Answers<null>): void {
  port?.postMessage(answers);
}

/** Lets the file's next change start. */
function release(job: Job): void {
  const queue = behind.get(job.file) ?? [];
  const next = queue.shift();
  if (next === undefined) behind.delete(job.file);
  else waiting.push(next);
}

function runTransaction(): void {
  scheduled = false;
  if (pause !== null) clearTimeout(pause);
  pause = null;
  pace.done(performance.now());
  const answers: Answers<null> = [];
  const touched: Job[] = [];
  const unfinished: Job[] = [];
  let isForgotten = false;
  /** Took part and still stand before their files' next changes. */
  const holding = new Set<Job>();
  function letGo(job: Job): void {
    if (holding.delete(job)) release(job);
  }
  try {
    if (waiting.length > 0) {
      connection.database.exec('begin immediate');
      const until = performance.now() + longestTransaction;
      for (let job = waiting.shift(); job !== undefined; job = performance.now() < until ? waiting.shift() : undefined) {
        touched.push(job);
        holding.add(job);
        const pending = words.state;
        connection.database.exec('savepoint step');
        try {
          if (job.steps.next().done === true) {
            isForgotten ||= job.isForgetting;
            answers.push({ id: job.id, value: null, failure: null });
            letGo(job);
          } else {
            job.isPatient = false;
            unfinished.push(job);
          }
        } catch (error) {
          // A full disk may have ended the transaction, and the savepoint with it: then the error is told to all below.
          if (!connection.database.isTransaction) throw error;
          connection.database.exec('rollback to step');
          words.restore(pending);
          answers.push({ id: job.id, value: null, failure: failureOf(error) });
          letGo(job);
        }
        connection.database.exec('release step');
      }
      words.flush(connection);
      connection.database.exec('commit');
      if (isForgotten) connection.database.exec('pragma wal_checkpoint(truncate)');
    }
    waiting.push(...unfinished);
    answer(answers);
  } catch (error) {
    // Nothing of this transaction holds: all that took part in it hear so.
    if (connection.database.isTransaction) connection.database.exec('rollback');
    words.restore([]);
    for (const job of touched) letGo(job);
    answer(touched.map((job) => ({ id: job.id, value: null, failure: failureOf(error) })));
  }
  if (waiting.length > 0) {
    schedule();
  } else if (closing !== null) {
    connection.close();
    answer([{ id: closing, value: null, failure: null }]);
    port?.close();
  }
}

answer([{ id: 0, value: null, failure: null }]);
