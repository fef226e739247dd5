import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { CollectionDefinition, StoredRecord } from '../../../models/collection.ts';
import type { Runtime } from '../../../models/runtime.ts';
import { StoreUnavailable, type Records } from '../port.ts';
import { ownerOf } from '../scoping.ts';
import { sqliteCollection, type Connections } from './collection.ts';
import { DocumentCache } from './document-cache.ts';
import { registerFunctions } from './functions.ts';
import { lockFolder } from './lock.ts';
import type { WriteRequest } from './messages.ts';
import { watcher } from './plan.ts';
import { PartCache } from './parts.ts';
import { Readers } from './readers.ts';
import { columnsOf, createIndex, indexName, tableName } from './sql.ts';
import { Statements } from './statements.ts';
import { WriteChannel } from './write-channel.ts';

/** Where the records are kept, and the clock that measures leases: all users of the file share this process. */
export interface SqliteRecordsOptions {
  folder: string;
  runtime: Pick<Runtime, 'now'>;
  /** Called with each form of query that walks a whole collection or sorts by no index: tests check that none does. */
  onSlowQuery?: (statement: string, steps: string[]) => void;
  /**
   * Called when a thread of the store has ended by itself. From then on everything is refused as StoreUnavailable; only
   * opening the store again, best in a new process, repairs it.
   */
  onBroken?: (cause: Error) => void;
  /** Milliseconds after which a read ends, refused as StoreUnavailable. */
  maxStatementMs?: number;
}

const mebi = 2 ** 20;
const writes = { maxPerMessage: 512, maxInFlight: 2, maxQueued: 20_000, maxCharacters: 128 * mebi };
/** One thread for an organization's long statement, one for everybody else meanwhile. */
const readerThreads = 2;
const reads = { threads: readerThreads, maxQueued: 5000, maxQueuedPerOwner: 1000 };
const defaultStatementMs = 5000;

/**
 * Opens the records in `<folder>/records.db` (created where absent). Writes go to one thread that commits what came
 * at the same time together, flushed to the disk (WAL, synchronous=FULL); a read sees every write whose promise
 * has resolved.
 * @throws Error naming the folder when another process has it open, or when the file cannot be opened.
 */
export async function openSqliteRecords(options: SqliteRecordsOptions): Promise<Records> {
  const { folder, runtime, onSlowQuery, onBroken, maxStatementMs = defaultStatementMs } = options;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, 'records.db');
  const unlock = lockFolder(folder, join(folder, 'records.lock'));
  const opened: (() => Promise<void> | void)[] = [unlock];
  try {
    const writer = await WriteChannel.open(new URL('./writer.ts', import.meta.url), file, writes, onBroken);
    opened.push(() => writer.close());
    chmodSync(file, 0o600);
    const readers = await Readers.open(file, { ...reads, maxStatementMs }, onBroken);
    opened.push(() => readers.close());
    const database = new DatabaseSync(file, { readOnly: true, timeout: 5000 });
    database.exec('PRAGMA cache_size = -16384; PRAGMA mmap_size = 1073741824');
    registerFunctions(database);
    opened.push(() => database.close());
    const statements = new Statements(database);
    return recordsOver(
      file,
      {
        statements,
        documents: new DocumentCache(),
        parts: new PartCache(),
        readers,
        writer,
        watch: onSlowQuery === undefined ? () => undefined : watcher(statements, onSlowQuery),
      },
      runtime,
      opened,
    );
  } catch (error) {
    for (const close of opened.reverse()) await close();
    throw error;
  }
}

/** What the writer creates for a collection. */
function declarationOf(
  definition: CollectionDefinition<StoredRecord>,
): (WriteRequest & { kind: 'prepare' })['collections'][number] {
  return {
    name: definition.name,
    table: tableName(definition),
    columns: [...columnsOf(definition)],
    indexes: definition.indexes.map((index) => ({
      name: indexName(definition, index),
      sql: createIndex(definition, index),
    })),
    substrings: definition.substrings ?? [],
  };
}

function recordsOver(
  file: string,
  ways: Omit<Connections, 'check'>,
  runtime: Pick<Runtime, 'now'>,
  opened: (() => Promise<void> | void)[],
): Records {
  let closing: Promise<void> | null = null;
  const { readers, writer } = ways;
  const connections: Connections = {
    ...ways,
    check: () => {
      const cause = closing === null ? (writer.failure ?? readers.failure) : new Error('it is closed');
      if (cause !== null) throw new StoreUnavailable(file, { cause });
    },
  };
  return {
    async prepare(collections) {
      await writer.send('prepare', { kind: 'prepare', collections: collections.map(declarationOf) }, 1000);
    },
    collection: (definition, scope) => sqliteCollection(definition, ownerOf(definition, scope), connections),
    async purge() {
      await writer.send('purge', { kind: 'purge' }, 10);
    },
    time: () => runtime.now(),
    async ping() {
      connections.check();
      await readers.read('', 'ping', { sql: 'SELECT 1', values: [] });
    },
    close() {
      closing ??= (async () => {
        // Readers first: the writer's last act is to fold its log into the file.
        for (const close of opened.reverse()) await close();
      })();
      return closing;
    },
  };
}
