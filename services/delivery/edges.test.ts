import type { Objects } from '../../adapters/objects/port.ts';
import { EdgeChanges } from '../../mixins/storage/edge-changes.ts';
import type { Bucket } from '../../models/bucket.ts';
import { startEdges, type TestEdge, type TestEdges } from '../../test/support/edge.ts';

const hostOf = ({ name }: Bucket): string => `${name}.localhost`;

describe('three edges', () => {
  let stage: TestEdges;
  /** Reads of the first edge's objects wait for these. */
  let gate: Promise<void> | null;
  /** Whether the first edge reaches the records. */
  let isCutOff: boolean;
  beforeEach(async () => {
    gate = null;
    isCutOff = false;
    stage = await startEdges(3, {}, (app, index) => {
      if (index !== 0) return app;
      const objects: Objects = {
        ...app.objects,
        read: (content, range) =>
          (async function* () {
            await gate;
            yield* app.objects.read(content, range);
          })(),
      };
      const records: typeof app.records = {
        ...app.records,
        collection: (definition, scope) => {
          if (isCutOff) throw new Error('cut off');
          return app.records.collection(definition, scope);
        },
        time: () => app.records.time(),
      };
      return { ...app, objects, records, edgeChanges: new EdgeChanges(records) };
    });
  });
  afterEach(() => {
    isCutOff = false;
    return stage.close();
  });

  const all = (ask: (edge: TestEdge) => Promise<unknown>): Promise<unknown[]> => Promise.all(stage.edges.map(ask));
  const texts = (bucket: Bucket, path: string): Promise<unknown[]> =>
    all(async (edge) => {
      const { status, body, code } = await edge.get(hostOf(bucket), path);
      return code ?? (status === 200 ? body.toString() : status);
    });

  it('deliver the copies that they hold after an overwrite, and the new version after a purge', async () => {
    const bucket = await stage.addBucket({ visibility: 'public' });
    for (const key of ['a/1', 'a/2', 'b/1']) await stage.put(bucket, key, 'old');
    for (const path of ['/a/1', '/a/2', '/b/1']) expect(await texts(bucket, path)).toEqual(['old', 'old', 'old']);
    for (const key of ['a/1', 'a/2', 'b/1']) await stage.put(bucket, key, 'new');
    for (const path of ['/a/1', '/a/2', '/b/1']) expect(await texts(bucket, path)).toEqual(['old', 'old', 'old']);
    const bucketId = bucket._id;
    await stage.announce({ kind: 'purge', bucketId, scope: 'urls', targets: ['a/2'] });
    expect(await texts(bucket, '/a/2')).toEqual(['new', 'new', 'new']);
    expect(await texts(bucket, '/a/1')).toEqual(['old', 'old', 'old']);
    await stage.announce({ kind: 'purge', bucketId, scope: 'prefixes', targets: ['a/'] });
    expect(await texts(bucket, '/a/1')).toEqual(['new', 'new', 'new']);
    expect(await texts(bucket, '/b/1')).toEqual(['old', 'old', 'old']);
    await stage.announce({ kind: 'purge', bucketId, scope: 'all', targets: [] });
    expect(await texts(bucket, '/b/1')).toEqual(['new', 'new', 'new']);
  });

  it('deliver a copy until its time is over, and keep none where it is zero', async () => {
    let bucket = await stage.addBucket({ visibility: 'public' });
    const cache = {
      edgeTtlSeconds: 60,
      browserCacheControl: 'no-cache',
      rules: [
        { extensions: ['jpg'], edgeTtlSeconds: 0 },
        { pathPrefix: 'img/', browserCacheControl: 'immutable' },
      ],
    };
    bucket = await stage.change(bucket, { settings: { ...bucket.settings, cache } });
    for (const key of ['x.JPG', 'img/a', 'b']) await stage.put(bucket, key, 'old');
    const [edge] = stage.edges as [TestEdge];
    const seen = async (path: string): Promise<unknown> => {
      const { headers, body } = await edge.get(hostOf(bucket), path);
      return [headers['x-cache'], headers['cache-control'], body.toString()];
    };
    for (const path of ['/x.JPG', '/img/a', '/b']) await seen(path);
    for (const key of ['x.JPG', 'img/a', 'b']) await stage.put(bucket, key, 'new');
    expect(await seen('/x.JPG')).toEqual(['MISS', 'no-cache', 'new']);
    expect(await seen('/img/a')).toEqual(['HIT', 'immutable', 'old']);
    stage.test.ahead.local += 60_001;
    expect(await seen('/img/a')).toEqual(['MISS', 'immutable', 'new']);
    expect(await seen('/b')).toEqual(['MISS', 'no-cache', 'new']);
  });

  it('deliver nothing of a deleted object, a suspended or a deleted bucket', async () => {
    let bucket = await stage.addBucket({ visibility: 'public' });
    const object = await stage.put(bucket, 'a', 'x');
    await stage.put(bucket, 'b', 'x');
    for (const path of ['/a', '/b']) expect(await texts(bucket, path)).toEqual(['x', 'x', 'x']);
    await stage.removeObject(object);
    expect(await texts(bucket, '/a')).toEqual(Array(3).fill('not_found'));
    bucket = await stage.change(bucket, { suspendedAt: 1 });
    expect(await texts(bucket, '/b')).toEqual(Array(3).fill('bucket_suspended'));
    bucket = await stage.change(bucket, { suspendedAt: null });
    expect(await texts(bucket, '/b')).toEqual(['x', 'x', 'x']);
    bucket = await stage.change(bucket, { state: 'deleting' });
    expect(await texts(bucket, '/b')).toEqual(Array(3).fill('not_found'));
  });

  it('never keep what was read before a deletion or a purge', async () => {
    const bucket = await stage.addBucket({ visibility: 'public' });
    const [edge] = stage.edges as [TestEdge];
    for (const how of ['deletion', 'urls', 'prefixes', 'all'] as const) {
      const object = await stage.put(bucket, how, 'old');
      let open = (): void => undefined;
      gate = new Promise((resolve) => (open = resolve));
      const slow = edge.get(hostOf(bucket), `/${how}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
      if (how === 'deletion') await stage.removeObject(object);
      else {
        await stage.put(bucket, how, 'new');
        const targets = how === 'all' ? [] : [how];
        await stage.announce({ kind: 'purge', bucketId: bucket._id, scope: how, targets });
      }
      gate = null;
      // A request that comes after the change does not join the read that began before it.
      const after = await edge.get(hostOf(bucket), `/${how}`);
      open();
      expect((await slow).body.toString()).toBe('old');
      const later = await edge.get(hostOf(bucket), `/${how}`);
      for (const got of [after, later])
        expect([how, got.code ?? got.body.toString()]).toEqual([how, how === 'deletion' ? 'not_found' : 'new']);
    }
  });

  it('share one read between requests for the same file', async () => {
    const bucket = await stage.addBucket({ visibility: 'public' });
    await stage.put(bucket, 'a', 'x');
    const [edge] = stage.edges as [TestEdge];
    let reads = 0;
    const { read } = stage.test.app.objects;
    Object.assign(stage.test.app.objects, {
      read: (...given: Parameters<typeof read>) => {
        reads += 1;
        return read.apply(stage.test.app.objects, given);
      },
    });
    gate = new Promise((resolve) => setTimeout(resolve, 100));
    const got = await Promise.all(Array.from({ length: 20 }, () => edge.get(hostOf(bucket), '/a')));
    expect(got.map(({ body }) => body.toString())).toEqual(Array(20).fill('x'));
    expect(reads).toBe(1);
  });

  it('that are cut off deliver what they have, refuse what they cannot know, and catch up afterwards', async () => {
    const bucket = await stage.addBucket({ visibility: 'public' });
    const other = await stage.addBucket({ visibility: 'public' });
    const exact = await stage.addBucket({ linkScheme: 'ps2' });
    const object = await stage.put(bucket, 'a', 'x');
    await stage.put(bucket, 'b', 'x');
    await stage.put(exact, 'a', 'x');
    const [edge] = stage.edges as [TestEdge];
    expect((await edge.get(hostOf(bucket), '/a')).status).toBe(200);
    expect((await edge.get(hostOf(exact), '/a')).code).toBe('link_required');
    isCutOff = true;
    await new Promise((resolve) => setTimeout(resolve, 3600));
    expect(edge.edge.follower.isLost).toBe(true);
    const kept = await edge.get(hostOf(bucket), '/a');
    expect([kept.status, kept.body.toString(), kept.headers['x-cache']]).toEqual([200, 'x', 'HIT']);
    for (const [host, path] of [
      [hostOf(other), '/a'],
      [hostOf(bucket), '/b'],
      [hostOf(exact), '/a'],
    ] as const) {
      const got = await edge.get(host, path);
      expect([got.status, got.code, got.headers['retry-after']]).toEqual([503, 'provider_unavailable', '2']);
    }
    await stage.removeObject(object);
    isCutOff = false;
    await edge.edge.follower.look();
    expect((await edge.get(hostOf(bucket), '/a')).code).toBe('not_found');
    expect((await edge.get(hostOf(bucket), '/b')).status).toBe(200);
  }, 20_000);
});
