import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { Greeting, WriteRequest } from './messages.ts';
import { contains, containsFunction } from './sql.ts';
import { Statements } from './statements.ts';
import { Tables } from './tables.ts';
import { runTogether } from './write.ts';

// The one thread that writes the file. It is sent lists of requests; each list is one transaction.
if (parentPort === null) throw new Error('the writer runs as a worker thread');
const port = parentPort;

try {
  const database = new DatabaseSync(String(workerData), { timeout: 10_000 });
  // Ids are random, so every insert changes leaves all over a large file's indexes: a rarer checkpoint copies each of them for many inserts at once.
  // FULL: a commit returns only once the log is on the disk, so what was answered outlives a loss of power.
  // secure_delete: what is removed is overwritten, so that it is not to be read from freed pages.
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA journal_size_limit = 67108864; PRAGMA wal_autocheckpoint = 4000; PRAGMA cache_size = -32768; PRAGMA temp_store = MEMORY');
  database.function(containsFunction, { deterministic: true }, contains);
  const statements = new Statements(database);
  const tables = new Tables(database);
  port.on('message', (requests: readonly WriteRequest[] | 'close') => {
    if (requests !== 'close') {
      const answers = runTogether(database, statements, tables, requests);
      if (requests.some(({ kind }) => kind === 'purge')) database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      port.postMessage(answers);
      return;
    }
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    database.close();
    port.close();
  });
  port.postMessage({ ready: true } satisfies Greeting);
} catch (error) {
  port.postMessage({ ready: false, message: error instanceof Error ? error.message : String(error) } satisfies Greeting);
  port.close();
}
