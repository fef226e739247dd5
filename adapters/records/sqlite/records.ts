import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Ambient } from '../../../models/ambient.ts';
import type { CollectionDefinition, StoredRecord } from '../../../models/collection.ts';
import type { Scope } from '../../../models/scope.ts';
import { StoreUnavailable, type Collection, type Haste, type Records } from '../port.ts';
import { ownerOf } from '../scoping.ts';
import { Channel } from './channel.ts';
import { sqliteCollection, type Connections } from './collection.ts';
import { Freshness } from './freshness.ts';
import { lockFolder } from './lock.ts';
import type { ReadRequest, WriteRequest } from './messages.ts';
import { ParsedDocuments } from './parsed.ts';
import { watcher } from './plan.ts';
import { columnsOf, contains, containsFunction, createIndex, indexName, tableName } from './sql.ts';
import { Statements } from './statements.ts';

/** Where the records are kept, and by which clock leases are measured: all users of the file share this process. */
export interface SqliteRecordsOptions {
  folder: string;
  ambient: Pick<Ambient, 'now'>;
  /** Hears of each form of query that walks a whole collection or sorts by no index: tests see to it that none does. */
  onSlowQuery?: (statement: string, steps: string[]) => void;
  /**
   * Hears when a thread of the store has ended by itself. From then on everything is refused as StoreUnavailable; only
   * opening anew, best in a new process, mends it.
   */
  onBroken?: (cause: Error) => void;
}

const mebi = 2 ** 20;
/**
 * So many patient writes are worth a flush; fewer wait for more, once one after the other has come. A flush costs as much
 * processor time as some six writes, and what is written together shares pages of the log.
 */
const patience = { enough: 32, pace: { burst: 20, perSecond: 20 } };
const writes = { together: 512, inFlight: 2, waiting: 20_000, characters: 128 * mebi, patience };
const reads = { together: 1, inFlight: 4, waiting: 5000, characters: 32 * mebi };

/**
 * Opens the records in `<folder>/records.db` (made where absent). Writes go to one thread that commits what came
 * at the same time together, flushed to the disk (WAL, synchronous=FULL); a read sees every write whose promise
 * has resolved.
 * @throws Error naming the folder when another process has it open, or when the file cannot be opened.
 */
export async function openSqliteRecords({ folder, ambient, onSlowQuery, onBroken }: SqliteRecordsOptions): Promise<Records> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, 'records.db');
  const unlock = lockFolder(folder, join(folder, 'records.lock'));
  const opened: (() => Promise<void> | void)[] = [unlock];
  try {
    const writer = await Channel.open<WriteRequest>(new URL('./writer.ts', import.meta.url), file, writes, onBroken);
    opened.push(() => writer.close());
    chmodSync(file, 0o600);
    const reader = await Channel.open<ReadRequest>(new URL('./reader.ts', import.meta.url), file, reads, onBroken);
    opened.push(() => reader.close());
    const database = new DatabaseSync(file, { readOnly: true, timeout: 5000 });
    database.exec('PRAGMA cache_size = -16384; PRAGMA mmap_size = 1073741824');
    database.function(containsFunction, { deterministic: true }, contains);
    opened.push(() => database.close());
    const points = new Statements(database);
    const parsed = new ParsedDocuments();
    const watch = onSlowQuery === undefined ? () => undefined : watcher(points, onSlowQuery);
    return recordsOver(file, { points, single: new Statements(database, { asLists: true }), parsed, freshness: new Freshness(parsed), reader, writer, watch }, ambient, opened);
  } catch (error) {
    for (const close of opened.reverse()) await close();
    throw error;
  }
}

/** Owners of which a collection is kept as it was made. */
const mostOwners = 1000;

/** Collections as they were made before: a request opens several, and making one costs more than reading from it. */
function keptCollections(connections: Connections): Records['collection'] {
  const kept = { prompt: new WeakMap<object, Map<string | null, unknown>>(), patient: new WeakMap<object, Map<string | null, unknown>>() };
  return <T extends StoredRecord>(definition: CollectionDefinition<T>, scope: Scope, haste: Haste = 'prompt'): Collection<T> => {
    const owner = ownerOf(definition, scope);
    let ofOwners = kept[haste].get(definition);
    if (ofOwners === undefined) kept[haste].set(definition, (ofOwners = new Map<string | null, unknown>()));
    // What is kept under a definition was made from it.
    const known = ofOwners.get(owner) as Collection<T> | undefined;
    if (known !== undefined) return known;
    const [oldest] = ofOwners.keys();
    if (ofOwners.size >= mostOwners && oldest !== undefined) ofOwners.delete(oldest);
    const made = sqliteCollection(definition, owner, haste, connections);
    ofOwners.set(owner, made);
    return made;
  };
}

function recordsOver(file: string, ways: Omit<Connections, 'check'>, ambient: Pick<Ambient, 'now'>, opened: (() => Promise<void> | void)[]): Records {
  let closing: Promise<void> | null = null;
  const connections: Connections = {
    ...ways,
    check: () => {
      const cause = closing === null ? (ways.writer.failure ?? ways.reader.failure) : new Error('it is closed');
      if (cause !== null) throw new StoreUnavailable(file, { cause });
    },
  };
  return {
    async prepare(collections) {
      const request: WriteRequest = {
        kind: 'prepare',
        collections: collections.map((definition) => ({
          name: definition.name,
          table: tableName(definition),
          columns: [...columnsOf(definition)],
          indexes: definition.indexes.map((index) => ({ name: indexName(definition, index), sql: createIndex(definition, index) })),
        })),
      };
      await ways.writer.send('prepare', request, 1000);
    },
    collection: keptCollections(connections),
    async purge() {
      await ways.writer.send('purge', { kind: 'purge' }, 10);
    },
    time: () => ambient.now(),
    async ping() {
      connections.check();
      await ways.reader.send('ping', { sql: 'SELECT 1', values: [] }, 10);
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
