import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { refusalOf } from '../../../models/errors.ts';
import { systemScope } from '../../../models/scope.ts';
import { releasedContents, type StoredObject } from '../../../models/storage-object.ts';
import { bytesOfPart, type Upload } from '../../../models/upload.ts';
import { foldAllDeltas, totalsOf } from '../totals.ts';
import { completeUpload, etagOf } from '../uploads/complete.ts';
import { abortUpload } from '../uploads/end.ts';
import { storePart } from '../uploads/receive-part.ts';
import { startUpload } from '../uploads/start.ts';
import { allUploads, receivedParts } from '../uploads/tools.ts';
import { removeObject } from './change.ts';
import { sweepContents } from './sweep-contents.ts';
import { openCrashingStorage, type CrashingStorage } from './testing/stage.ts';
import { allObjects } from './tools.ts';
import { drainObjectOutboxes, expireUploads, removeOldRecords, removeReleased } from './upkeep.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const partSize = 4;

/** A step of a history; `dies` is the step of the stores with which the process dies, null if it does not. */
type Step = { dies: number | null; late: boolean } & (
  | { kind: 'start'; key: string; bucket: 'bucket' | 'free'; size: number }
  | { kind: 'part'; upload: number; part: number; text: string }
  | { kind: 'complete' | 'abort'; upload: number }
  | { kind: 'delete'; object: number }
  | { kind: 'upkeep'; after: number }
);

const nth = fc.nat(7);
const kinds = fc.oneof(
  fc.record({
    kind: fc.constant('start' as const),
    key: fc.constantFrom('a', 'b'),
    bucket: fc.constantFrom('bucket' as const, 'free' as const),
    size: fc.constantFrom(0, 3, 10),
  }),
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('part' as const),
      upload: nth,
      part: nth,
      text: fc.string({ minLength: 10, maxLength: 10, unit: fc.constantFrom('x', 'y', 'z') }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('complete' as const), upload: nth }) },
  fc.record({ kind: fc.constant('abort' as const), upload: nth }),
  fc.record({ kind: fc.constant('delete' as const), object: nth }),
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('upkeep' as const),
      after: fc.constantFrom(0, 61_000, hourMs, 2 * dayMs),
    }),
  },
);
const history: fc.Arbitrary<Step[]> = fc.array(
  fc
    .tuple(kinds, fc.option(fc.integer({ min: 1, max: 14 }), { freq: 2 }), fc.boolean())
    .map(([kind, dies, late]) => ({ ...kind, dies, late })),
  { minLength: 5, maxLength: 40 },
);

/** What was acknowledged: parts by upload and number, and the content that each key was last known to have. */
interface Known {
  uploads: string[];
  parts: Map<string, string>;
  objects: Map<string, { id: string; etag: string } | null>;
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

/** Does one step. Refusals are answers; a crash leaves what it was about unknown. */
async function take(stage: CrashingStorage, step: Step, known: Known): Promise<void> {
  const { storage, caller } = stage;
  const { app } = storage;
  const uploadAt = async (at: number): Promise<Upload | null> =>
    known.uploads.length > 0 ? allUploads(stage.test.app).get(known.uploads[at % known.uploads.length] ?? '') : null;
  const placeOf = ({ bucketId, key }: Pick<Upload, 'bucketId' | 'key'>): string => `${bucketId}/${key}`;
  switch (step.kind) {
    case 'start': {
      const { key, bucket, size } = step;
      const { id } = await startUpload(storage, caller, bucket, { key, size, contentType: 'a/b', sha256: null });
      // Parts of a few bytes.
      const partCount = Math.max(1, Math.ceil(size / partSize));
      await allUploads(stage.test.app).update(id, {}, { set: { partSize, partCount }, increment: { version: 1 } });
      known.uploads.push(id);
      return;
    }
    case 'part': {
      const upload = await uploadAt(step.upload);
      if (upload === null) return;
      const number = 1 + (step.part % upload.partCount);
      const text = step.text.slice(0, bytesOfPart(upload, number));
      known.parts.delete(`${upload._id}.${number}`);
      await storePart(app, upload, { number, bytes: text.length, md5: null }, bytesOf(text));
      known.parts.set(`${upload._id}.${number}`, text);
      return;
    }
    case 'complete': {
      const upload = await uploadAt(step.upload);
      if (upload === null) return;
      if (upload.state === 'open') known.objects.delete(placeOf(upload));
      const { id, etag } = await completeUpload(storage, caller, upload._id);
      if (upload.state === 'open') known.objects.set(placeOf(upload), { id, etag });
      return;
    }
    case 'abort': {
      const upload = await uploadAt(step.upload);
      if (upload !== null) await abortUpload(storage, caller, upload._id);
      return;
    }
    case 'delete': {
      const live = await liveObjects(stage);
      const object = live[step.object % Math.max(1, live.length)];
      if (object === undefined) return;
      known.objects.delete(placeOf(object));
      await removeObject(storage, caller, object._id);
      known.objects.set(placeOf(object), null);
      return;
    }
    case 'upkeep':
      stage.advance(step.after);
      await upkeep(stage);
  }
}

async function upkeep({ storage }: CrashingStorage): Promise<void> {
  await drainObjectOutboxes(storage);
  await expireUploads(storage);
  await removeReleased(storage);
  await sweepContents(storage);
  await removeOldRecords(storage);
  await foldAllDeltas(storage.app);
}

function liveObjects({ test }: CrashingStorage): Promise<StoredObject[]> {
  return allObjects(test.app).find({ filter: { liveKey: { $exists: true } }, sort: [['_id', 1]], limit: 100 });
}

/** Every object is whole, every acknowledged part is there, and acknowledged changes hold. */
async function expectWhole(stage: CrashingStorage, known: Known): Promise<void> {
  const { app } = stage.test;
  const live = await liveObjects(stage);
  for (const { content, size, etag } of live) {
    const pieces = size === 0 ? [] : await Array.fromAsync(app.objects.read(content, { from: 0, to: size - 1 }));
    const whole = Buffer.concat(pieces);
    const parts = Array.from({ length: Math.max(1, Math.ceil(size / partSize)) }, (_, index) => ({
      md5: createHash('md5')
        .update(whole.subarray(index * partSize, (index + 1) * partSize))
        .digest('hex'),
    }));
    expect(etagOf(parts)).toBe(etag);
  }
  for (const [place, expected] of known.objects) {
    const object = live.find(({ bucketId, key }) => `${bucketId}/${key}` === place);
    expect(object === undefined ? null : { id: object._id, etag: object.etag }).toEqual(expected);
  }
  for (const id of known.uploads) {
    const upload = await allUploads(app).get(id);
    if (upload?.state !== 'open') continue;
    for (const { number, name, bytes } of await receivedParts(app, upload)) {
      const text = Buffer.from(await app.objects.head(upload.contentId, name, bytes)).toString();
      const acknowledged = known.parts.get(`${id}.${number}`);
      if (acknowledged !== undefined) expect(text).toBe(acknowledged);
    }
  }
}

/** When everything is over, the store has the bytes of the objects and nothing else, and the totals are theirs. */
async function expectNothingLeft(stage: CrashingStorage): Promise<void> {
  const { app } = stage.test;
  for (const wait of [8 * dayMs, hourMs, 8 * dayMs, hourMs]) {
    stage.advance(wait);
    await upkeep(stage);
  }
  const live = await liveObjects(stage);
  const contents: string[] = [];
  for await (const [file] of app.objects.list()) if (file !== undefined) contents.push(file.content);
  expect(contents.sort()).toEqual(live.map(({ content }) => content.id).sort());
  expect(await app.records.collection(releasedContents, systemScope).count({})).toBe(0);
  const found = await totalsOf(
    app,
    ['bucket', 'free'].map((_id) => ({ _id, organizationId: 'organization' })),
  );
  for (const [bucketId, { objects, bytes }] of found) {
    const own = live.filter((object) => object.bucketId === bucketId);
    expect([objects, bytes]).toEqual([own.length, own.reduce((sum, { size }) => sum + size, 0)]);
  }
}

describe('contents of objects', () => {
  let stage: CrashingStorage;
  beforeAll(async () => {
    stage = await openCrashingStorage();
  });
  afterAll(() => stage.close());

  it('stay whole when a part is sent again after a completion died at any step', async () => {
    for (let dies = 1; dies <= 20; dies += 1) {
      const known: Known = { uploads: [], parts: new Map(), objects: new Map() };
      const alive = { dies: null, late: false };
      const part: Step = { ...alive, kind: 'part', upload: 0, part: 0, text: 'xyz' };
      const steps: Step[] = [
        { ...alive, kind: 'start', key: 'a', bucket: 'bucket', size: 3 },
        part,
        { dies, late: true, kind: 'complete', upload: 0 },
        { ...alive, kind: 'upkeep', after: hourMs },
        part,
        { ...alive, kind: 'complete', upload: 0 },
      ];
      for (const step of steps) {
        stage.dieAt(step.dies, step.late);
        await take(stage, step, known).catch((error: unknown) => {
          // The part is refused where the completion came so far that the upload is completed.
          if (step.dies === null && refusalOf(error)?.type !== 'upload_not_open') throw error;
        });
        stage.dieAt(null);
        await expectWhole(stage, known);
      }
      const live = await liveObjects(stage);
      expect(live).toHaveLength(1);
      for (const { _id } of live) await removeObject(stage.storage, stage.caller, _id);
    }
  });

  it('stay whole, and nothing else stays, in histories in which the process dies at any step', async () => {
    const answered = new Set<string>();
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        const known: Known = { uploads: [], parts: new Map(), objects: new Map() };
        for (const step of steps) {
          stage.dieAt(step.dies, step.late);
          try {
            await take(stage, step, known);
            answered.add(step.kind);
          } catch (error) {
            const code = refusalOf(error)?.type;
            if (code === undefined && !(error instanceof Error && error.name === 'Crash')) throw error;
            answered.add(code ?? 'crash');
          } finally {
            stage.dieAt(null);
          }
          await expectWhole(stage, known);
        }
        await expectNothingLeft(stage);
        for (const { _id } of await liveObjects(stage)) await removeObject(stage.storage, stage.caller, _id);
      }),
      { numRuns: 150 },
    );
    expect([...answered]).toEqual(expect.arrayContaining(['part', 'complete', 'abort', 'delete', 'crash']));
  }, 300_000);
});
