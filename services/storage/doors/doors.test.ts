import { storeContent, storePart } from '../../../mixins/storage/door-writes.ts';
import { edgeChangeBatches } from '../../../models/edge-change.ts';
import type { DoorPart } from '../../../models/schemas/doors.ts';
import { systemScope } from '../../../models/scope.ts';
import type { StoredObject } from '../../../models/storage-object.ts';
import { allObjects } from '../objects/tools.ts';
import { drainObjectOutboxes } from '../objects/upkeep.ts';
import { openCrashingStorage, type CrashingStorage } from '../objects/testing/stage.ts';
import { changeDetails, storeObject } from './objects.ts';
import { removeKey } from './remove.ts';
import { abortParts, completeParts, recordPart, startParts } from './parts.ts';

let stage: CrashingStorage;
beforeEach(async () => {
  stage = await openCrashingStorage();
});
afterEach(() => stage.close());

const organizationId = 'organization';
const place = (bucketId = 'free', key = 'a/b') => ({ organizationId, bucketId, key });

async function* piecesOf(text: string): AsyncGenerator<Uint8Array> {
  for (const character of text) yield Buffer.from(character);
}

async function put(text: string, seen?: Parameters<typeof storeObject>[2], bucketId?: string) {
  const { content, md5 } = await storeContent(stage.test.app, text.length, piecesOf(text));
  const object = {
    ...place(bucketId),
    contentType: 'text/plain',
    metadata: { a: 'b' },
    size: text.length,
    etag: `"${md5}"`,
    content,
    createdVia: 's3' as const,
  };
  return storeObject(stage.storage, object, seen);
}

const present = async (): Promise<StoredObject[]> =>
  allObjects(stage.test.app).find({ filter: { liveKey: 'a/b' }, limit: 5 });
async function versionOfPresent(): Promise<{ contentId: string; updatedAt: number }> {
  const [object] = await present();
  if (object?.contentId === undefined) throw new Error('there is no object');
  return { contentId: object.contentId, updatedAt: object.updatedAt };
}
async function bytesOf({ content, size }: StoredObject): Promise<string> {
  const pieces = await Array.fromAsync(stage.test.app.objects.read(content, { from: 0, to: size - 1 }), (piece) =>
    Buffer.from(piece),
  );
  return Buffer.concat(pieces).toString();
}

/** How often edges were told that the object changed. */
async function announced(): Promise<number> {
  const batches = await stage.test.app.records
    .collection(edgeChangeBatches, systemScope)
    .find({ filter: {}, limit: 10 });
  return JSON.stringify(batches).split('"key":"a/b"').length - 1;
}

describe('an object from a door', () => {
  it('is written where the door has seen what is there', async () => {
    expect(await put('one', null)).toMatchObject({ outcome: 'stored', object: { size: 3, createdVia: 's3' } });
    expect(await put('two', null)).toEqual({ outcome: 'changed' });
    const seen = await versionOfPresent();
    expect(await put('three', seen)).toMatchObject({ outcome: 'stored' });
    expect(await put('four', seen)).toEqual({ outcome: 'changed' });
    expect(await Promise.all((await present()).map(bytesOf))).toEqual(['three']);
  });

  it('is refused where the bucket does not allow overwriting', async () => {
    await put('one', undefined, 'bucket');
    await expect(put('two', undefined, 'bucket')).rejects.toMatchObject({ type: 'object_exists' });
  });

  it('gets other details without other bytes', async () => {
    await put('one');
    const seen = await versionOfPresent();
    const before = await announced();
    const change = {
      ...place(),
      contentType: 'text/html',
      metadata: {},
      headers: { cacheControl: 'no-cache' },
      createdVia: 'azure' as const,
      seen,
    };
    expect(await changeDetails(stage.storage, change)).toMatchObject({ outcome: 'stored' });
    expect(await present()).toMatchObject([
      {
        contentType: 'text/html',
        metadata: {},
        headers: { cacheControl: 'no-cache' },
        contentId: seen.contentId,
        createdVia: 'azure',
      },
    ]);
    expect(await changeDetails(stage.storage, change)).toEqual({ outcome: 'changed' });
    // Edges are told to drop their copies: they deliver the type.
    expect(await announced()).toBe(before + 1);
  });

  it('is deleted once', async () => {
    await put('one');
    const removal = { ...place(), userId: 'user' };
    expect(await removeKey(stage.storage, { ...removal, seen: null })).toEqual({ outcome: 'changed' });
    expect(await removeKey(stage.storage, removal)).toEqual({ outcome: 'removed' });
    expect(await removeKey(stage.storage, removal)).toEqual({ outcome: 'absent' });
    expect(await present()).toEqual([]);
  });
});

describe('an upload in parts', () => {
  async function sent(texts: readonly string[]): Promise<{ uploadId: string; parts: DoorPart[] }> {
    const { uploadId, contentId } = await startParts(stage.storage, {
      ...place(),
      contentType: 'text/plain',
      metadata: {},
    });
    const parts: DoorPart[] = [];
    for (const [at, text] of texts.entries()) {
      const number = at + 1;
      const stored = await storePart(stage.test.app, contentId, { number, bytes: text.length }, piecesOf(text));
      const part = { number, ...stored };
      await recordPart(stage.storage, { organizationId, uploadId, part });
      parts.push(part);
    }
    return { uploadId, parts };
  }
  const complete = (uploadId: string, parts: DoorPart[]) =>
    completeParts(stage.storage, { organizationId, uploadId, parts, etag: '"e-2"', partSizes: [[2, 3]] });

  it('becomes an object of the parts that are named, and answers it again', async () => {
    const { uploadId, parts } = await sent(['one', 'two', 'six']);
    const chosen = [parts[0], parts[2]].filter((part) => part !== undefined);
    const first = await complete(uploadId, chosen);
    expect(first).toMatchObject({ outcome: 'stored', object: { size: 6, etag: '"e-2"', partSizes: [[2, 3]] } });
    expect(await complete(uploadId, chosen)).toMatchObject({ outcome: 'stored', object: { etag: '"e-2"' } });
    expect(await Promise.all((await present()).map(bytesOf))).toEqual(['onesix']);
    await expect(abortParts(stage.storage, { organizationId, uploadId })).rejects.toMatchObject({
      type: 'upload_not_found',
    });
  });

  it('is refused where a part was sent again since', async () => {
    const { uploadId, parts } = await sent(['one']);
    await expect(complete(uploadId, [{ number: 1, name: 'other', bytes: 3, md5: '' }])).rejects.toMatchObject({
      type: 'upload_incomplete',
    });
    expect(await complete(uploadId, parts)).toMatchObject({ outcome: 'stored' });
  });

  it('is over when it was aborted', async () => {
    const { uploadId, parts } = await sent(['one']);
    await abortParts(stage.storage, { organizationId, uploadId });
    await expect(complete(uploadId, parts)).rejects.toMatchObject({ type: 'upload_not_open' });
  });

  it('is completed once, whole, whatever step the process dies at', async () => {
    for (let step = 1; step < 40; step += 1)
      for (const afterwards of [false, true]) {
        const { uploadId, parts } = await sent(['one', 'two']);
        stage.dieAt(step, afterwards);
        const first = await complete(uploadId, parts).catch((error: unknown) => error);
        stage.dieAt(null);
        stage.advance(61_000);
        const again = await complete(uploadId, parts);
        expect(again).toMatchObject({ outcome: 'stored' });
        await drainObjectOutboxes(stage.storage);
        expect(await Promise.all((await present()).map(bytesOf))).toEqual(['onetwo']);
        await removeKey(stage.storage, { ...place(), userId: 'user' });
        if (!(first instanceof Error)) return;
      }
    throw new Error('completing takes more steps than were tried');
  });
});
