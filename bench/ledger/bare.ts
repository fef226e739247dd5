import { randomUUID } from 'node:crypto';
import { MongoClient } from 'mongodb';
import { usageEvents, type UsageEvent } from '../../models/usage-event.ts';
import type { Figure } from '../figures.ts';
import { eventsOf, type Plan } from './events.ts';
import { batchesAtOnce, batchSize } from './writer.ts';

/** What the driver alone inserts: the same events into a collection with the same indexes, as many at once. */
export async function bareInserts(url: string, plan: Plan): Promise<Figure> {
  const client = await MongoClient.connect(url);
  try {
    const collection = client.db(`bench-${randomUUID().slice(0, 8)}`).collection<UsageEvent>('bare');
    await collection.createIndexes(
      usageEvents.indexes.map(({ name, fields }) => ({
        name,
        key: Object.fromEntries(fields.map((field) => [field, 1 as const])),
      })),
    );
    const eventOf = eventsOf(plan);
    const batches = Array.from({ length: Math.floor(plan.events / batchSize) }, (_, batch) =>
      Array.from({ length: batchSize }, (_event, at): UsageEvent => {
        const event = eventOf(batch * batchSize + at);
        return { ...event, receivedAt: event.at, day: new Date(event.at).toISOString().slice(0, 10) };
      }),
    );
    const from = performance.now();
    for (let at = 0; at < batches.length; at += batchesAtOnce)
      await Promise.all(
        batches
          .slice(at, at + batchesAtOnce)
          .map((batch) =>
            collection.insertMany(batch, { ordered: false, writeConcern: { w: 'majority', journal: true } }),
          ),
      );
    const rate = (batches.length * batchSize * 1000) / (performance.now() - from);
    return {
      name: 'MongoDB-compatible server: insertMany of the same events by the driver alone, without batches and counting',
      measured: `${Math.round(rate).toLocaleString('en')} events/s`,
      against: '',
      target: '',
      reached: null,
    };
  } finally {
    await client.close();
  }
}
