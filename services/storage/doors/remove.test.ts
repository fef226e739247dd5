import { storeContent } from '../../../mixins/storage/door-writes.ts';
import { auditLog } from '../../../models/audit-log.ts';
import { edgeChangeBatches } from '../../../models/edge-change.ts';
import { systemScope } from '../../../models/scope.ts';
import { releasedContents } from '../../../models/storage-object.ts';
import { openCrashingStorage, type CrashingStorage } from '../objects/testing/stage.ts';
import { allObjects } from '../objects/tools.ts';
import { drainObjectOutboxes } from '../objects/upkeep.ts';
import { totalsOf } from '../totals.ts';
import { storeObject } from './objects.ts';
import { removeKeys } from './remove.ts';

let stage: CrashingStorage;
beforeEach(async () => {
  stage = await openCrashingStorage();
});
afterEach(() => stage.close());

const at = { organizationId: 'organization', bucketId: 'free' };
const keys = ['a', 'b', 'c'];

async function* piecesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text);
}

async function put(key: string): Promise<void> {
  const { content, md5 } = await storeContent(stage.test.app, 1, piecesOf('x'));
  const object = { ...at, key, contentType: 'text/plain', metadata: {}, size: 1, etag: `"${md5}"`, content };
  await storeObject(stage.storage, { ...object, createdVia: 's3' }, undefined);
}

function remove(removals: Parameters<typeof removeKeys>[1]['removals']): ReturnType<typeof removeKeys> {
  return removeKeys(stage.storage, { ...at, userId: 'user', removals });
}

const all = (): ReturnType<typeof removeKeys> => remove(keys.map((key) => ({ key })));

/** What is known of deletions: keys that live, rows of the audit log, contents to remove, objects that edges were told of. */
async function seen() {
  const { app } = stage.test;
  const { records } = app;
  const live = await allObjects(app).find({ filter: { liveKey: { $exists: true } }, sort: [['_id', 1]], limit: 9 });
  const rows = await records.collection(auditLog, systemScope).find({ filter: {}, limit: 99 });
  const batches = await records.collection(edgeChangeBatches, systemScope).find({ filter: {}, limit: 99 });
  const totals = await totalsOf(app, [{ _id: at.bucketId, organizationId: at.organizationId }]);
  return {
    live: live.map(({ key }) => key),
    audited: rows.filter(({ action, actor }) => action === 'object.deleted' && actor === 'user:user').length,
    released: await records.collection(releasedContents, systemScope).count({}),
    told: new Set(
      batches.flatMap(({ changes }) => changes.flatMap((change) => (change.kind === 'object' ? [change.key] : []))),
    ).size,
    totals: totals.get(at.bucketId),
  };
}

describe('objects that are deleted together', () => {
  it('are gone, audited, released and counted once', async () => {
    for (const key of keys) await put(key);
    expect(await remove([...keys, 'd', 'a'].map((key) => ({ key })))).toEqual(
      ['removed', 'removed', 'removed', 'absent', 'absent'].map((outcome) => ({ outcome })),
    );
    const expected = { live: [], audited: 3, released: 3, told: 3, totals: { objects: 0, bytes: 0 } };
    expect(await seen()).toEqual(expected);
    stage.advance(60_000);
    await drainObjectOutboxes(stage.storage);
    expect(await seen()).toEqual(expected);
  });

  it('are left where they are not those that the door has seen', async () => {
    await put('a');
    await put('b');
    const [object] = await allObjects(stage.test.app).find({ filter: { liveKey: 'a' }, limit: 1 });
    const { contentId = '', updatedAt = 0 } = object ?? {};
    expect(
      await remove([
        { key: 'a', seen: { contentId, updatedAt } },
        { key: 'b', seen: { contentId, updatedAt } },
        { key: 'c', seen: null },
      ]),
    ).toEqual(['removed', 'changed', 'absent'].map((outcome) => ({ outcome })));
    expect(await seen()).toMatchObject({ live: ['b'], audited: 1, totals: { objects: 1, bytes: 1 } });
  });

  it('are deleted one by one where others were first', async () => {
    for (const key of keys) await put(key);
    const outcomes = await Promise.all([all(), all(), all()]);
    expect(outcomes.flat().every(({ outcome }) => outcome === 'removed' || outcome === 'absent')).toBe(true);
    stage.advance(60_000);
    await drainObjectOutboxes(stage.storage);
    expect(await seen()).toEqual({ live: [], audited: 3, released: 3, told: 3, totals: { objects: 0, bytes: 0 } });
  });

  it('are gone with all that follows, once, wherever the process dies', async () => {
    for (const isLate of [false, true])
      for (let step = 1; step <= 12; step += 1) {
        for (const key of keys) await put(key);
        const before = await seen();
        stage.dieAt(step, isLate);
        await all().catch(() => null);
        stage.dieAt(null);
        await all();
        stage.advance(60_000);
        await drainObjectOutboxes(stage.storage);
        expect(await seen()).toEqual({
          live: [],
          audited: before.audited + 3,
          released: before.released + 3,
          told: 3,
          totals: { objects: 0, bytes: 0 },
        });
      }
  });
});
