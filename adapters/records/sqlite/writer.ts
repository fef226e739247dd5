import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { FragmentTables } from './fragment-tables.ts';
import { registerFunctions } from './functions.ts';
import type { Greeting, WriteRequest } from './messages.ts';
import { Statements } from './statements.ts';
import { Tables } from './tables.ts';
import { runBatch } from './write.ts';

// The one thread that writes the file. It receives lists of requests; each list is one transaction.
if (parentPort === null) throw new Error('the writer runs as a worker thread');
const port = parentPort;

try {
  const { file } = workerData as { file: string };
  const database = new DatabaseSync(file, { timeout: 10_000 });
  // Ids are random, so every insert changes leaves all over a large file's indexes: a rarer checkpoint copies each of
  // them for many inserts at once. FULL: a commit returns only once the log is on the disk, so an acknowledged write
  // survives a loss of power. secure_delete: removed data is overwritten, so that freed pages do not hold it.
  database.exec(
    'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON; PRAGMA journal_size_limit = 67108864; PRAGMA wal_autocheckpoint = 4000; PRAGMA cache_size = -32768; PRAGMA temp_store = MEMORY',
  );
  registerFunctions(database);
  const statements = new Statements(database);
  const fragments = new FragmentTables(database, statements);
  const tables = new Tables(database, fragments);
  port.on('message', (requests: readonly WriteRequest[] | 'close') => {
    if (requests !== 'close') {
      const answers = runBatch(database, statements, { tables, fragments }, requests);
      if (requests.some(({ kind }) => kind === 'purge')) {
        fragments.optimize();
        database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      }
      port.postMessage(answers);
      return;
    }
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
    database.close();
    port.close();
  });
  port.postMessage({ ready: true } satisfies Greeting);
} catch (error) {
  port.postMessage({
    ready: false,
    message: error instanceof Error ? error.message : String(error),
  } satisfies Greeting);
  port.close();
}
