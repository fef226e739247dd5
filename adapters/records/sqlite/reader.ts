import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { registerFunctions, StatementClock } from './functions.ts';
import type { Answer, Greeting, ReadRequest } from './messages.ts';
import { packParts } from './parts.ts';
import { Statements } from './statements.ts';

// A thread that runs one statement at a time, each within a time limit.
if (parentPort === null) throw new Error('the reader runs as a worker thread');
const port = parentPort;
const { file, maxStatementMs } = workerData as { file: string; maxStatementMs: number };

try {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 10_000 });
  database.exec('PRAGMA cache_size = -32768; PRAGMA temp_store = MEMORY');
  const clock = new StatementClock(maxStatementMs);
  registerFunctions(database, clock);
  const statements = new Statements(database);
  port.on('message', (request: ReadRequest | 'close') => {
    if (request === 'close') {
      database.close();
      port.close();
      return;
    }
    const answer = answerOf(statements, clock, request);
    port.postMessage(answer, buffersOf(answer));
  });
  port.postMessage({ ready: true } satisfies Greeting);
} catch (error) {
  port.postMessage({
    ready: false,
    message: error instanceof Error ? error.message : String(error),
  } satisfies Greeting);
  port.close();
}

/** What moves to the other thread instead of being copied. */
function buffersOf(answer: Answer): ArrayBuffer[] {
  const value = 'value' in answer ? answer.value : null;
  return typeof value === 'object' && value !== null && 'rows' in value ? [value.rows.buffer] : [];
}

function answerOf(statements: Statements, clock: StatementClock, { sql, values, parts }: ReadRequest): Answer {
  clock.start();
  try {
    if (parts !== undefined) return { value: packParts(statements.of(sql).iterate(...values), parts) };
    const rows = statements.of(sql).all(...values);
    return { value: rows.map((row) => String(Object.values(row)[0])) };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { failure: clock.isOver ? 'store' : 'error', message };
  }
}
