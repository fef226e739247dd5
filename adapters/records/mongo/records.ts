import { MongoClient, type Db } from 'mongodb';
import { setInterval } from 'node:timers';
import type { CollectionDefinition, StoredRecord } from '../../../models/collection.ts';
import type { Runtime } from '../../../models/runtime.ts';
import { StoreUnavailable, type Records } from '../port.ts';
import { ownerOf } from '../scoping.ts';
import { mongoCollection } from './collection.ts';
import { translated } from './errors.ts';
import { serverIndexes } from './keys.ts';
import type { Kept } from './query.ts';

/** Which server, which database in it, and the clock that its time is measured against. */
export interface MongoRecordsOptions {
  url: string;
  database: string;
  runtime: Pick<Runtime, 'now'>;
}

const clockRefreshMilliseconds = 30_000;
const limits = {
  serverSelectionTimeoutMS: 5000,
  connectTimeoutMS: 5000,
  socketTimeoutMS: 30_000,
  waitQueueTimeoutMS: 10_000,
  maxPoolSize: 50,
};

/**
 * Opens the records in a MongoDB database, or in a server that speaks its protocol. A write is acknowledged once a
 * majority has it in its journal; reads go to the primary.
 * @throws StoreUnavailable when the server does not answer
 */
export async function openMongoRecords({ url, database, runtime }: MongoRecordsOptions): Promise<Records> {
  const client = new MongoClient(url, {
    ...limits,
    appName: 'ply',
    writeConcern: { w: 'majority', journal: true },
    readPreference: 'primary',
  });
  try {
    await client.connect();
    const db = client.db(database);
    const clock = await startClock(db, runtime);
    return recordsOver(client, db, clock);
  } catch (error) {
    await client.close();
    throw new StoreUnavailable('MongoDB', { cause: error });
  }
}

function recordsOver(client: MongoClient, db: Db, clock: Clock): Records {
  return {
    async prepare(collections) {
      for (const definition of collections) {
        try {
          await prepareCollection(db, definition);
        } catch (error) {
          throw translated(definition, error);
        }
      }
    },
    collection: (definition, scope) =>
      mongoCollection(definition, ownerOf(definition, scope), db.collection<Kept>(definition.name)),
    time: () => clock.time(),
    purge: () => Promise.resolve(),
    async ping() {
      try {
        await db.command({ ping: 1 }, { timeoutMS: limits.serverSelectionTimeoutMS });
      } catch (error) {
        throw new StoreUnavailable('MongoDB', { cause: error });
      }
    },
    async close() {
      clock.stop();
      await client.close();
    },
  };
}

/** MongoDB's codes for an index, or a collection, that is not there. */
const notThere = new Set<unknown>([26, 27]);

/**
 * Makes indexes; one whose declaration has changed is made anew, one that is named as a former one goes. Others stay:
 * they may be those of a later version that serves from the same database.
 */
async function prepareCollection(db: Db, definition: CollectionDefinition<StoredRecord>): Promise<void> {
  const collection = db.collection(definition.name);
  const wanted = serverIndexes(definition);
  const former = definition.formerIndexes ?? [];
  for (const { name = '', key, unique = false, sparse = false } of await standingIndexes(db, definition.name)) {
    const same = wanted.some(
      (index) =>
        index.name === name &&
        index.unique === unique &&
        index.sparse === sparse &&
        JSON.stringify(index.key) === JSON.stringify(key),
    );
    const isOurs = former.includes(name) || wanted.some((index) => index.name === name);
    if (same || !isOurs) continue;
    await collection.dropIndex(name).catch((error: unknown) => {
      // Another process that starts at the same time was quicker.
      if (!(error instanceof Error && 'code' in error && notThere.has(error.code))) throw error;
    });
  }
  if (wanted.length > 0)
    await collection.createIndexes(
      wanted.map(({ name, key, unique, sparse }) => ({
        name,
        key,
        ...(unique ? { unique } : {}),
        ...(sparse ? { sparse } : {}),
      })),
    );
}

async function standingIndexes(db: Db, name: string) {
  const there = await db.listCollections({ name }, { nameOnly: true }).toArray();
  return there.length === 0 ? [] : db.collection(name).indexes();
}

interface Clock {
  time(): number;
  stop(): void;
}

/** The server's clock, asked for now and then: the answer is taken to be of the middle of the time it took. */
async function startClock(db: Db, runtime: Pick<Runtime, 'now'>): Promise<Clock> {
  let offset = 0;
  const refresh = async (): Promise<void> => {
    const asked = runtime.now();
    const answer = await db.admin().command({ isMaster: 1 });
    const answered = runtime.now();
    const local: unknown = answer['localTime'];
    if (local instanceof Date) offset = local.getTime() - (asked + answered) / 2;
  };
  await refresh();
  // While the server is away the last offset stands: the next refresh corrects it.
  const timer = setInterval(() => void refresh().catch(() => undefined), clockRefreshMilliseconds);
  timer.unref();
  return { time: () => Math.round(runtime.now() + offset), stop: () => clearInterval(timer) };
}
