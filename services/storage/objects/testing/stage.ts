import type { Objects, StoredFile } from '../../../../adapters/objects/port.ts';
import type { Records } from '../../../../adapters/records/port.ts';
import type { StoredRecord } from '../../../../models/collection.ts';
import type { Caller } from '../../../../models/api.ts';
import { readRegions } from '../../../../models/region.ts';
import { testApp, type TestApp } from '../../../../test/support/app.ts';
import { testBucket } from '../../../../test/support/bucket.ts';
import { allBuckets, type Storage } from '../../tools.ts';

/** What a request is answered by a process that dies while it works on it: nothing. */
export class Crash extends Error {
  constructor() {
    super('the process died');
    this.name = 'Crash';
  }
}

/** Storage over embedded stores, as a process that can die between any two steps, and starts again. */
export interface CrashingStorage {
  test: TestApp;
  storage: Storage;
  caller: Caller;
  /** The process dies with this step of the stores from now on, before or after it is done; null: never. */
  dieAt(step: number | null, afterwards?: boolean): void;
  /** Lets time pass, in milliseconds. */
  advance(milliseconds: number): void;
  close(): Promise<void>;
}

/** Opens it with the active buckets `bucket` (no overwriting) and `free` (overwriting). */
export async function openCrashingStorage(): Promise<CrashingStorage> {
  const test = await testApp({ PLY_OBJECTS_GRACE_SECONDS: '60' });
  let left: number | null = null;
  let isLate = false;
  /** Does a step of a store, unless the process is dead or dies with it. */
  const step = async <T>(work: () => Promise<T>): Promise<T> => {
    if (left === null) return work();
    left -= 1;
    if (left < 0 || (left === 0 && !isLate)) throw new Crash();
    const result = await work();
    if (left <= 0) throw new Crash();
    return result;
  };
  const steps = <O extends object>(target: O): O =>
    new Proxy(target, {
      get: (object, name) => {
        const value: unknown = Reflect.get(object, name);
        if (typeof value !== 'function') return value;
        return (...given: unknown[]) => step(() => Promise.resolve(Reflect.apply(value, object, given)));
      },
    });
  const { records, objects } = test.app;
  const times = new Map<string, number>();
  const now = (): number => test.app.runtime.now();
  const crashingRecords: Records = {
    prepare: (collections) => records.prepare(collections),
    collection: <T extends StoredRecord>(...given: Parameters<typeof records.collection<T>>) =>
      steps(records.collection<T>(...given)),
    purge: () => records.purge(),
    time: () => records.time(),
    ping: () => records.ping(),
    close: () => records.close(),
  };
  const crashingObjects: Objects = {
    writePart: (content, part, body) => {
      times.set(`${content}.${part.name}`, now());
      return step(() => objects.writePart(content, part, body));
    },
    join: (content, parts) => {
      times.set(`${content}.`, now());
      return step(() => objects.join(content, parts));
    },
    read: (content, range) => objects.read(content, range),
    head: (content, part, bytes) => step(() => objects.head(content, part, bytes)),
    remove: (content) => step(() => objects.remove(content)),
    removePart: (content, part) => step(() => objects.removePart(content, part)),
    partsOf: (content) => step(() => objects.partsOf(content)),
    list: async function* (): AsyncGenerator<readonly StoredFile[]> {
      for await (const files of objects.list())
        yield files.map((file) => ({ ...file, writtenAt: times.get(`${file.content}.${file.part ?? ''}`) ?? 0 }));
    },
    ping: () => objects.ping(),
    close: () => objects.close(),
  };
  const app = { ...test.app, records: crashingRecords, objects: crashingObjects };
  const free = testBucket({ _id: 'free', name: 'free' });
  await allBuckets(test.app).insert(testBucket());
  await allBuckets(test.app).insert({
    ...free,
    settings: { ...free.settings, uploadRules: { ...free.settings.uploadRules, allowOverwrite: true } },
  });
  return {
    test,
    storage: {
      app,
      actions: { call: () => Promise.reject(new Error('no actor is called')) },
      regions: await readRegions(app.configuration),
      wakeUp: () => undefined,
    },
    caller: {
      accountId: 'account',
      organizationId: 'organization',
      keyId: 'key',
      keyPrefix: 'p',
      keyLabel: '',
      keyScope: 'standard',
      requestId: 'r',
      ip: null,
    },
    dieAt: (at, afterwards = false) => {
      left = at;
      isLate = afterwards;
    },
    advance: (milliseconds) => {
      test.ahead.local += milliseconds;
      test.ahead.records += milliseconds;
    },
    close: () => test.close(),
  };
}
