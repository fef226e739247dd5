import { ConsistencyLevelEnum, DataType, MilvusClient } from '@zilliz/milvus2-sdk-node';
import { Redis } from 'ioredis';
import { MongoClient } from 'mongodb';
import { connect } from 'nats';
import type { Cluster } from '../../../scripts/cluster/cluster.ts';
import { filesHolding } from '../stores.ts';

/** Number of documents, rows, messages, keys or files that contain one of the words, by location. */
export type Held = { [location: string]: number };

/** A stored item as text, with its location. */
interface Stored {
  location: string;
  text: string;
}

/** Every document of every collection of the records. */
export async function* documentsOf({
  servers,
  database,
}: Pick<Cluster, 'servers' | 'database'>): AsyncGenerator<Stored> {
  const client = new MongoClient(servers.mongo.url);
  try {
    const db = client.db(database);
    for (const { name } of await db.listCollections({}, { nameOnly: true }).toArray()) {
      for await (const document of db.collection(name).find({}))
        yield { location: `mongo: ${name}`, text: JSON.stringify(document) };
    }
  } finally {
    await client.close();
  }
}

/** Maximum number of rows in a response, far more than a test creates. */
const maxRows = 10_000;

/**
 * Every row of every collection of Milvus with all fields but the sparse vector, which the server computes and does not
 * return.
 */
export async function* rowsOf({ servers }: Pick<Cluster, 'servers'>): AsyncGenerator<Stored> {
  const client = new MilvusClient({ address: servers.milvus.url, logLevel: 'error' });
  try {
    for (const { name } of (await client.showCollections()).data) {
      const { schema } = await client.describeCollection({ collection_name: name });
      const fields = schema.fields
        .filter(({ data_type: type }) => type !== DataType[DataType.SparseFloatVector])
        .map((field) => field.name);
      const answer = await client.query({
        collection_name: name,
        filter: 'id >= 0',
        output_fields: fields,
        limit: maxRows,
        consistency_level: ConsistencyLevelEnum.Strong,
      });
      if ((answer.status.code ?? 0) !== 0) throw new Error(`Milvus does not return its rows: ${answer.status.reason}`);
      if (answer.data.length === maxRows) throw new Error(`${name} holds more rows than one answer`);
      for (const row of answer.data) yield { location: `milvus: ${name}`, text: JSON.stringify(row) };
    }
  } finally {
    await client.closeConnection();
  }
}

/** Every message of every JetStream stream, and the names of its consumers. */
export async function* messagesOf({ servers }: Pick<Cluster, 'servers'>): AsyncGenerator<Stored> {
  const connection = await connect({ servers: [new URL(servers.nats.url).host] });
  try {
    const manager = await connection.jetstreamManager();
    for await (const {
      config: { name },
      state,
    } of manager.streams.list()) {
      for await (const consumer of manager.consumers.list(name))
        yield { location: `jetstream: ${name} consumers`, text: JSON.stringify(consumer) };
      for (let sequence = state.first_seq; sequence <= state.last_seq && state.messages > 0; sequence += 1) {
        const message = await manager.streams.getMessage(name, { seq: sequence }).catch((error: unknown) => {
          // A work queue removes a message when it is acknowledged.
          if (error instanceof Error && error.message.includes('no message found')) return null;
          throw error;
        });
        if (message !== null)
          yield {
            location: `jetstream: ${name}`,
            text: `${message.subject} ${message.string()} ${JSON.stringify([...message.header.keys()].map((key) => [key, message.header.get(key)]))}`,
          };
      }
    }
  } finally {
    await connection.close();
  }
}

/** A key of Redis with its content and time to live in seconds: -1 if it does not expire. */
export interface RedisKey extends Stored {
  expiresIn: number;
}

/** Every key of Redis. */
export async function* keysOf({ servers }: Pick<Cluster, 'servers'>): AsyncGenerator<RedisKey> {
  const redis = new Redis(servers.redis.url);
  try {
    for await (const keys of redis.scanStream()) {
      for (const key of keys as string[]) {
        const expiresIn = await redis.ttl(key);
        // It expired meanwhile.
        if (expiresIn === -2) continue;
        const type = await redis.type(key);
        const content: unknown =
          type === 'hash'
            ? await redis.hgetall(key)
            : type === 'string'
              ? await redis.get(key)
              : type === 'zset'
                ? await redis.zrange(key, 0, -1)
                : `of type ${type}`;
        yield { location: 'redis', text: JSON.stringify([key, content]), expiresIn };
      }
    }
  } finally {
    redis.disconnect();
  }
}

/** The stored items that contain one of the words, ignoring case. */
export async function holding(stored: AsyncIterable<Stored>, words: readonly string[]): Promise<Held> {
  const held: Held = {};
  const sought = words.map((word) => word.toLowerCase());
  for await (const { location, text } of stored) {
    const lower = text.toLowerCase();
    if (sought.some((word) => lower.includes(word))) held[location] = (held[location] ?? 0) + 1;
  }
  return held;
}

/** Where any of the words is stored: in documents, rows, messages, keys, or files of the object store. */
export async function heldAnywhere(
  cluster: Pick<Cluster, 'servers' | 'database'>,
  objects: string,
  words: readonly string[],
): Promise<Held> {
  const parts = await Promise.all(
    [documentsOf(cluster), rowsOf(cluster), messagesOf(cluster), keysOf(cluster)].map((stored) =>
      holding(stored, words),
    ),
  );
  const names = Object.keys(filesHolding(objects, words)).length;
  return Object.assign({}, ...parts, names === 0 ? {} : { objects: names }) as Held;
}

/** All stored items of an organization, sorted for comparison. */
export async function textsWith(
  stored: AsyncIterable<Stored>,
  word: string,
): Promise<{ [location: string]: string[] }> {
  const texts: { [location: string]: string[] } = {};
  for await (const { location, text } of stored) if (text.includes(word)) (texts[location] ??= []).push(text);
  for (const each of Object.values(texts)) each.sort();
  return texts;
}
