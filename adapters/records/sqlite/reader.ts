import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { Answer, Greeting, ReadRequest } from './messages.ts';
import { contains, containsFunction } from './sql.ts';
import { Statements } from './statements.ts';

// A thread for reads that may walk many rows, so that the event loop does not wait for them.
if (parentPort === null) throw new Error('the reader runs as a worker thread');
const port = parentPort;

try {
  const database = new DatabaseSync(String(workerData), { readOnly: true, timeout: 10_000 });
  database.exec('PRAGMA cache_size = -32768; PRAGMA temp_store = MEMORY');
  database.function(containsFunction, { deterministic: true }, contains);
  const statements = new Statements(database);
  port.on('message', (requests: readonly ReadRequest[] | 'close') => {
    if (requests === 'close') {
      database.close();
      port.close();
      return;
    }
    port.postMessage(requests.map(({ sql, values }): Answer => {
      try {
        return { value: statements.of(sql).all(...values).map((row) => String(Object.values(row)[0])) };
      } catch (error) {
        return { failure: 'error', message: error instanceof Error ? error.message : String(error) };
      }
    }));
  });
  port.postMessage({ ready: true } satisfies Greeting);
} catch (error) {
  port.postMessage({ ready: false, message: error instanceof Error ? error.message : String(error) } satisfies Greeting);
  port.close();
}
