import { createConnection } from 'node:net';
import type { Bucket } from '../../models/bucket.ts';
import { startEdges, type TestEdges } from '../../test/support/edge.ts';
import { Copies, type Copy } from './copies.ts';

const KiB = 1024;
const fileBytes = 100 * KiB;
const files = 12;

let stage: TestEdges;
let bucket: Bucket;
beforeAll(async () => {
  stage = await startEdges(1, { PLY_EDGE_MEMORY_MB: '1' });
  bucket = await stage.addBucket({ visibility: 'public' });
  for (let at = 0; at < files; at += 1) await stage.put(bucket, `file-${at}`, Buffer.alloc(fileBytes, at));
});
afterAll(() => stage.close());

describe('memory of copies that are still being sent', () => {
  it('counts until they are given back, and further files are read from the store meanwhile', async () => {
    const most = 5 * fileBytes + 20 * KiB;
    const copies = new Copies(stage.test.app, most);
    const site = { bucket, hostnames: new Set<string>(), cors: null, link: null, vary: [] };
    const lent: Copy[] = [];
    for (let at = 0; at < files; at += 1) {
      const copy = await copies.fetch(site, `file-${at}`, `/file-${at}`, true);
      if (copy === null) throw new Error('the file is missing');
      copies.lend(copy);
      lent.push(copy);
      expect(copies.bytes).toBeLessThanOrEqual(most);
    }
    expect(lent[0]?.bytes).toHaveLength(fileBytes);
    expect(lent.at(-1)?.bytes).toBeNull();
    copies.reset();
    expect(copies.bytes).toBe(lent.filter(({ bytes }) => bytes !== null).length * fileBytes);
    for (const copy of lent) copies.giveBack(copy);
    expect(copies.bytes).toBe(0);
    expect((await copies.fetch(site, 'file-11', '/file-11', true))?.bytes).toHaveLength(fileBytes);
  });

  it('goes on keeping small files where slow readers hold large ones', async () => {
    const large = ['large-1', 'large-2', 'large-3'];
    for (const key of large) await stage.put(bucket, key, Buffer.alloc(250 * KiB));
    await stage.put(bucket, 'small', Buffer.alloc(100 * KiB));
    const copies = new Copies(stage.test.app, 1024 * KiB);
    const site = { bucket, hostnames: new Set<string>(), cors: null, link: null, vary: [] };
    const lent: (Copy | null)[] = [];
    for (const key of large) {
      const copy = await copies.fetch(site, key, `/${key}`, true);
      if (copy?.bytes) copies.lend(copy);
      lent.push(copy);
    }
    expect(lent.map((copy) => copy?.bytes?.length ?? null)).toEqual([250 * KiB, 250 * KiB, null]);
    await copies.fetch(site, 'small', '/small', true);
    expect(copies.cached(bucket._id, '/small')?.bytes).toHaveLength(100 * KiB);
  });

  it('is in use by an edge as long as a client does not read', async () => {
    const [one] = stage.edges;
    if (one === undefined) throw new Error('there is no edge');
    const body = Buffer.alloc(250 * KiB, 'x');
    const object = await stage.put(bucket, 'slow', body);
    const host = `${bucket.name}.localhost`;
    expect((await one.get(host, '/slow')).body.equals(body)).toBe(true);
    const socket = createConnection(one.port, '127.0.0.1');
    socket.pause();
    // More than the system takes for a connection.
    socket.write(`GET /slow HTTP/1.1\r\nHost: ${host}\r\n\r\n`.repeat(100));
    const settled = async (): Promise<number> => {
      for (let bytes = -1; bytes !== one.edge.memoryBytes;) {
        bytes = one.edge.memoryBytes;
        await new Promise((resolve) => setTimeout(resolve, 300));
      }
      return one.edge.memoryBytes;
    };
    await settled();
    await stage.removeObject(object);
    expect(await settled()).toBe(body.length);
    socket.destroy();
    expect(await settled()).toBe(0);
  });
});
