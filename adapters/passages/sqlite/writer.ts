import { parentPort, workerData } from 'node:worker_threads';
import { TokenBucket } from '../../../models/token-bucket.ts';
import { openConnection } from './connection.ts';
import { stepsOf } from './changes.ts';
import { failureOf } from './failure.ts';
import type { Answers, Told, Write, WriterSetup } from './messages.ts';
import { recordOpening } from './openings.ts';
import { RunKeeper } from './merge-runs.ts';
import { PendingWords } from './pending-words.ts';
import { rebuildWords } from './rebuild-words.ts';
import type { Steps } from './rows.ts';

/*
 * The only thread that writes. All queued writes share a transaction, and so one flush to the disk; a long change
 * continues in the next transaction, after the others. Under load, small files are delayed briefly to share a
 * transaction: each transaction invalidates the readers' caches, which costs far more than a few rows.
 */

/** Maximum milliseconds of work on one transaction before it is committed: what it indexes shares a run of words. */
const maxTransactionMs = 100;

/** A change of so many rows, or so many small changes together, are committed without delay. */
const immediateFrom = { rows: 8, changes: 8 };
/** Rate at which smaller groups of small changes are committed; a burst is committed without delay. */
const transactionRate = new TokenBucket({ burst: 16, perSecond: 12 });

interface Job {
  id: number;
  organizationId: string;
  file: string;
  steps: Steps;
  /** Whether removed content must also disappear from the write-ahead log. */
  truncatesLog: boolean;
  /** Whether the job may be delayed to share a transaction with others. */
  isDeferrable: boolean;
}

/** Whether a write stores or publishes few rows, as for most files; only its indexing job awaits it. */
function isSmall(write: Write): boolean {
  if (write.kind !== 'write' && write.kind !== 'publish') return false;
  const packed = write.kind === 'write' ? write : write.last;
  return (packed?.rows.length ?? 0) < immediateFrom.rows;
}

const port = parentPort;
if (port === null) throw new Error('the passages writer is a worker thread');
const { path, identity, opening } = workerData as WriterSetup;
const connection = openConnection(path, 'writer');
rebuildWords(connection, (progress) => port.postMessage(progress));
connection.run('insert into identity select ? where not exists (select 1 from identity)', identity);
recordOpening(connection, opening);
const words = new PendingWords();
const runs = new RunKeeper(connection);
/** Whether runs of the word index may have to be merged. */
let isMergeDue = true;
/** Milliseconds without merging after a transaction failed: on a full disk a merge would make changes fail that fit. */
const mergePause = 60_000;
let mergeFrom = 0;
/** Whether the last attempt failed: it is told once, and not each minute. */
let isMergeFailing = false;
const queued: Job[] = [];
/** Queues of changes by file, for files with a change in progress. */
const queuesByFile = new Map<string, Job[]>();
let scheduled = false;
let delayTimer: NodeJS.Timeout | null = null;
let closing: number | null = null;

port.on('message', (message: { id: number; write: Write | 'close' }) => {
  if (message.write === 'close') {
    closing = message.id;
  } else {
    const { write } = message;
    const file = JSON.stringify([write.organizationId, write.assetId]);
    const job = {
      id: message.id,
      organizationId: write.organizationId,
      file,
      steps: stepsOf(connection, write, words),
      truncatesLog: write.kind === 'removeOrganization',
      isDeferrable: isSmall(write),
    };
    const queue = queuesByFile.get(file);
    if (queue !== undefined) {
      queue.push(job);
      // An urgent change must not wait for a deferrable change of the same file.
      if (!job.isDeferrable) for (const ahead of queued) if (ahead.file === file) ahead.isDeferrable = false;
    } else {
      queuesByFile.set(file, []);
      queued.push(job);
    }
  }
  schedule();
});

function schedule(): void {
  if (scheduled) return;
  const canWait =
    closing === null && queued.length < immediateFrom.changes && queued.every(({ isDeferrable }) => isDeferrable);
  const wait = canWait ? transactionRate.wait(performance.now()) : 0;
  if (wait > 0) {
    delayTimer ??= setTimeout(runTransaction, wait);
    return;
  }
  if (delayTimer !== null) clearTimeout(delayTimer);
  scheduled = true;
  setImmediate(runTransaction);
}

function answer(answers: Answers<null>): void {
  port?.postMessage(answers);
}

/** Lets the file's next change start. */
function release(job: Job): void {
  const queue = queuesByFile.get(job.file) ?? [];
  const next = queue.shift();
  if (next === undefined) queuesByFile.delete(job.file);
  else queued.push(next);
}

function runTransaction(): void {
  scheduled = false;
  if (delayTimer !== null) clearTimeout(delayTimer);
  delayTimer = null;
  if (queued.length > 0) {
    transactionRate.done(performance.now());
    isMergeDue = true;
  }
  const answers: Answers<null> = [];
  const touched: Job[] = [];
  const unfinished: Job[] = [];
  let mustTruncateLog = false;
  /** Jobs of this transaction that still block the next change of their file. */
  const blocking = new Set<Job>();
  function unblock(job: Job): void {
    if (blocking.delete(job)) release(job);
  }
  try {
    if (queued.length > 0 || isMergeDue) {
      connection.database.exec('begin immediate');
      const until = performance.now() + maxTransactionMs;
      for (let job = queued.shift(); job !== undefined; job = performance.now() < until ? queued.shift() : undefined) {
        touched.push(job);
        blocking.add(job);
        const pending = words.state;
        connection.database.exec('savepoint step');
        try {
          if (job.steps.next().done === true) {
            mustTruncateLog ||= job.truncatesLog;
            answers.push({ id: job.id, value: null, failure: null });
            unblock(job);
            runs.look(job.organizationId);
          } else {
            job.isDeferrable = false;
            unfinished.push(job);
          }
        } catch (error) {
          // A full disk may have ended the transaction and the savepoint: then all jobs of the transaction fail, below.
          if (!connection.database.isTransaction) throw error;
          connection.database.exec('rollback to step');
          words.restore(pending);
          answers.push({ id: job.id, value: null, failure: failureOf(error) });
          unblock(job);
        }
        connection.database.exec('release step');
      }
      words.flush(connection);
      isMergeDue = closing === null && isMergeDue && performance.now() >= mergeFrom && mergeOn();
      connection.database.exec('commit');
      if (mustTruncateLog) connection.database.exec('pragma wal_checkpoint(truncate)');
    }
    queued.push(...unfinished);
    answer(answers);
  } catch (error) {
    // The transaction is rolled back: all of its jobs fail, and a merge of runs begins again with the next transaction.
    if (connection.database.isTransaction) connection.database.exec('rollback');
    words.clear();
    runs.restart();
    isMergeDue = false;
    mergeFrom = performance.now() + mergePause;
    if (touched.length === 0) tellFailedMerge(error);
    for (const job of touched) unblock(job);
    answer(touched.map((job) => ({ id: job.id, value: null, failure: failureOf(error) })));
  }
  if (queued.length > 0) {
    schedule();
  } else if (closing !== null) {
    connection.close();
    answer([{ id: closing, value: null, failure: null }]);
    port?.close();
  } else if (isMergeDue) {
    scheduled = true;
    setImmediate(runTransaction);
  }
}

/** Takes a step of merging runs in the current transaction. Returns whether there is more to do. */
function mergeOn(): boolean {
  connection.database.exec('savepoint merge');
  try {
    const isMore = runs.step();
    isMergeFailing = false;
    return isMore;
  } catch (error) {
    if (!connection.database.isTransaction) throw error;
    // The disk may be full. Runs that are not merged are searched all the same.
    connection.database.exec('rollback to merge');
    mergeFrom = performance.now() + mergePause;
    tellFailedMerge(error);
    return false;
  } finally {
    if (connection.database.isTransaction) connection.database.exec('release merge');
  }
}

function tellFailedMerge(error: unknown): void {
  const told: Told = { failedMerge: failureOf(error).message };
  if (!isMergeFailing) port?.postMessage(told);
  isMergeFailing = true;
}

answer([{ id: 0, value: null, failure: null }]);
scheduled = true;
setImmediate(runTransaction);
