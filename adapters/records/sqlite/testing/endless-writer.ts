import { systemRuntime } from '../../../../models/runtime.ts';
import { systemScope } from '../../../../models/scope.ts';
import { thing, things } from '../../conformance-ground.ts';
import { openSqliteRecords } from '../records.ts';

// Writes until it is killed, and reports each write only once it was acknowledged.
const [, , folder = '', round = ''] = process.argv;
const records = await openSqliteRecords({ folder, runtime: systemRuntime });
await records.prepare([things]);
const collection = records.collection(things, systemScope);

async function writer(number: number): Promise<void> {
  for (let count = 0; ; count += 1) {
    const id = `${round}-${number}-${count}`;
    await collection.insert(thing(id, { number: 0, inner: { text: 'x'.repeat(300) } }));
    process.send?.({ id, number: 0 });
    const changed = await collection.update(id, {}, { increment: { number: 1 } });
    process.send?.({ id, number: changed?.number ?? -1 });
  }
}
await Promise.all(Array.from({ length: 8 }, (_, number) => writer(number)));
