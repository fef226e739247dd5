import type { Collection, Records } from '../../../adapters/records/port.ts';
import type { StoredRecord } from '../../../models/collection.ts';
import { storedObjects } from '../../../models/storage-object.ts';
import { removeObject } from '../objects/change.ts';
import { openCrashingStorage, type CrashingStorage } from '../objects/testing/stage.ts';
import { removeReleased } from '../objects/upkeep.ts';
import { allObjects } from '../objects/tools.ts';
import type { Storage } from '../tools.ts';
import { completeUpload } from './complete.ts';
import { abortUpload, readUpload } from './end.ts';
import { storePart } from './receive-part.ts';
import { startUpload } from './start.ts';
import { allUploads } from './tools.ts';

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/** A storage whose next write of an object stands still, with everything before it done, until it is let go. */
function paused({ storage }: CrashingStorage): { storage: Storage; reached: Promise<void>; letGo(): void } {
  let reach: () => void = () => undefined;
  let letGo: () => void = () => undefined;
  const reached = new Promise<void>((resolve) => (reach = resolve));
  const gate = new Promise<void>((resolve) => (letGo = resolve));
  const { records } = storage.app;
  const slow = <T extends StoredRecord>(collection: Collection<T>): Collection<T> => ({
    ...bound(collection),
    insert: async (document) => {
      reach();
      await gate;
      return collection.insert(document);
    },
    update: async (...given) => {
      reach();
      await gate;
      return collection.update(...given);
    },
  });
  const pausing: Records = {
    ...records,
    collection: (definition, scope) => {
      const collection = records.collection(definition, scope);
      return definition.name === storedObjects.name ? slow(collection) : collection;
    },
  };
  return { storage: { ...storage, app: { ...storage.app, records: pausing } }, reached, letGo };
}

function bound<T extends StoredRecord>(collection: Collection<T>): Collection<T> {
  return {
    insert: (document) => collection.insert(document),
    insertNew: (documents) => collection.insertNew(documents),
    get: (id) => collection.get(id),
    getMany: (ids) => collection.getMany(ids),
    getParts: (...given) => collection.getParts(...given),
    find: (query) => collection.find(query),
    pick: (query, paths) => collection.pick(query, paths),
    count: (filter) => collection.count(filter),
    distinct: (filter, path, page) => collection.distinct(filter, path, page),
    largestSums: (filter, path, summed, limit) => collection.largestSums(filter, path, summed, limit),
    update: (...given) => collection.update(...given),
    updateAll: (changes) => collection.updateAll(changes),
    put: (document) => collection.put(document),
    remove: (id, filter) => collection.remove(id, filter),
    removeMany: (filter, limit) => collection.removeMany(filter, limit),
  };
}

describe('a completion that is paused for over a minute just before it writes the object', () => {
  let stage: CrashingStorage;
  beforeEach(async () => {
    stage = await openCrashingStorage();
  });
  afterEach(() => stage.close());

  async function upload(text: string): Promise<string> {
    const fields = { key: 'k', size: text.length, contentType: 'a/b', sha256: null };
    const { id } = await startUpload(stage.storage, stage.caller, 'free', fields);
    const started = await allUploads(stage.test.app).get(id);
    if (started === null) throw new Error('no upload');
    await storePart(stage.test.app, started, { number: 1, bytes: text.length, md5: null }, bytesOf(text));
    return id;
  }
  const put = async (text: string): Promise<string> =>
    (await completeUpload(stage.storage, stage.caller, await upload(text))).id;
  /** Starts a completion that stands still, and lets two minutes pass. */
  async function pausedCompletion(id: string): Promise<() => Promise<unknown>> {
    const slow = paused(stage);
    const outcome = completeUpload(slow.storage, stage.caller, id).catch((error: unknown) => error);
    await slow.reached;
    stage.advance(120_000);
    return () => {
      slow.letGo();
      return outcome;
    };
  }
  /** The texts of all objects, read from the store after released bytes were removed. */
  async function texts(): Promise<string[]> {
    stage.advance(120_000);
    await removeReleased(stage.storage);
    const found = await allObjects(stage.test.app).find({ filter: { liveKey: { $exists: true } }, limit: 10 });
    return Promise.all(
      found.map(async ({ content, size }) => {
        const chunks: Uint8Array[] = [];
        for await (const piece of stage.test.app.objects.read(content, { from: 0, to: size - 1 })) chunks.push(piece);
        return Buffer.concat(chunks).toString();
      }),
    );
  }
  const refused = { type: 'upload_not_open' };

  it('writes nothing after the upload was aborted: a new key', async () => {
    const id = await upload('late');
    const goOn = await pausedCompletion(id);
    expect(await abortUpload(stage.storage, stage.caller, id)).toMatchObject({ state: 'aborted' });
    expect(await texts()).toEqual([]);
    expect(await goOn()).toMatchObject(refused);
    expect(await texts()).toEqual([]);
    expect(await readUpload(stage.storage, stage.caller, id)).toMatchObject({ state: 'aborted' });
  });

  it('writes nothing after the upload was aborted: a key that is taken', async () => {
    await put('first');
    const id = await upload('late');
    const goOn = await pausedCompletion(id);
    expect(await abortUpload(stage.storage, stage.caller, id)).toMatchObject({ state: 'aborted' });
    expect(await goOn()).toMatchObject(refused);
    expect(await texts()).toEqual(['first']);
  });

  it('writes nothing after another request completed the upload and the object was deleted', async () => {
    const id = await upload('late');
    const goOn = await pausedCompletion(id);
    await put('between');
    // This replaces the object that has the key meanwhile.
    const object = await completeUpload(stage.storage, stage.caller, id);
    expect(await texts()).toEqual(['late']);
    await removeObject(stage.storage, stage.caller, object.id);
    expect(await texts()).toEqual([]);
    expect(await goOn()).toMatchObject(refused);
    expect(await texts()).toEqual([]);
  });

  it('completes the upload where it was first', async () => {
    const id = await upload('first');
    const goOn = await pausedCompletion(id);
    expect(await goOn()).toMatchObject({ key: 'k', size: 5 });
    expect(await abortUpload(stage.storage, stage.caller, id)).toMatchObject({ state: 'completed' });
    expect(await texts()).toEqual(['first']);
  });
});
