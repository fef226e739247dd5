import { drainOutbox } from '../../../mixins/work/outbox.ts';
import type { StoredObject } from '../../../models/storage-object.ts';
import type { Storage } from '../tools.ts';
import { deliverAll, objectOutbox } from './outbox.ts';
import { allObjects } from './tools.ts';

type Settling = Pick<Storage, 'app' | 'wakeUp' | 'later'>;

/** Delivers what follows from a change that was just written; what fails is left to the sweeper. Returns the object. */
export async function settleObject(storage: Settling, written: StoredObject): Promise<StoredObject> {
  await settleObjects(storage, [written]);
  return written;
}

/**
 * The same for changes of several objects, together. When it resolves, everything is where it belongs; that the outboxes
 * are empty is written later where the process has a place for such work.
 */
export async function settleObjects(storage: Settling, written: readonly StoredObject[]): Promise<void> {
  const { app, later } = storage;
  try {
    // No entry of an object waits for a time of its own.
    await deliverAll(
      storage,
      written.map((object) => ({ object, items: object.outbox })),
    );
    for (const { outbox } of written) for (const { kind } of outbox) app.metrics.outboxEntries.inc({ kind });
  } catch (error) {
    logFailure(storage, written, error);
    return;
  }
  await (later?.background.run(() => clearOutboxes(storage, written)) ?? clearOutboxes(storage, written));
}

/**
 * The same, for requests that nothing of it is waited for by: it goes on when they are answered, together with what
 * follows from others. Returns the object.
 */
export async function settleInBackground(storage: Settling, written: StoredObject): Promise<StoredObject> {
  const { later } = storage;
  if (later === undefined) return settleObject(storage, written);
  await later.background.run(() => later.settling.add(written));
  return written;
}

/** Removes what was delivered from outboxes; of an object that changed meanwhile, what has come is delivered first. */
async function clearOutboxes(storage: Settling, delivered: readonly StoredObject[]): Promise<void> {
  const { app } = storage;
  const objects = allObjects(app);
  try {
    const cleared = await objects.updateAll(
      delivered.map(({ _id, version, outbox }) => ({
        id: _id,
        filter: { version },
        change: {
          increment: { version: 1 },
          pullById: { outbox: outbox.map(({ id }) => id) },
          unset: ['outboxDue'],
        },
      })),
    );
    if (cleared === delivered.length) return;
    for (const object of await objects.getMany(delivered.map(({ _id }) => _id)))
      if (object.outbox.length > 0) await drainOutbox(app, objectOutbox(storage), objects, object);
  } catch (error) {
    logFailure(storage, delivered, error);
  }
}

function logFailure({ app }: Settling, written: readonly StoredObject[], error: unknown): void {
  const objectIds = written.slice(0, 10).map(({ _id }) => _id);
  app.log.warn(
    { err: error, objectIds, objects: written.length },
    'outboxes of objects could not be delivered, will retry',
  );
}
