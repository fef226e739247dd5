import { createServer, request, type IncomingHttpHeaders, type OutgoingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buckets, type Bucket } from '../../models/bucket.ts';
import type { EdgeChange } from '../../models/edge-change.ts';
import { systemScope } from '../../models/scope.ts';
import { storedObjects, type StoredObject } from '../../models/storage-object.ts';
import { newSigning } from '../../mixins/storage/signing-key.ts';
import { openCountries } from '../../services/delivery/countries.ts';
import { Edge, type EdgeContext } from '../../services/delivery/edge.ts';
import type { Delivery } from '../../services/delivery/exchange.ts';
import { testApp, type TestApp } from './app.ts';
import { testBucket } from './bucket.ts';

/** What a client got. */
export interface Got {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
  /** The code of a refusal; undefined where the body is none. */
  code: string | undefined;
}

/** One of several edges over the same stores. */
export interface TestEdge {
  edge: Edge;
  port: number;
  /** Deliveries that are over. */
  closed: Delivery[];
  get(host: string, path: string, options?: { method?: string; headers?: OutgoingHttpHeaders }): Promise<Got>;
}

/** Edges over one app, and ways to fill its buckets. */
export interface TestEdges {
  test: TestApp;
  edges: TestEdge[];
  addBucket(fields?: Partial<Bucket>): Promise<Bucket>;
  /** Writes an object, or writes it again. */
  put(bucket: Bucket, key: string, body: string | Buffer, fields?: Partial<StoredObject>): Promise<StoredObject>;
  /** Writes fields of a bucket, and tells the edges. */
  change(bucket: Bucket, fields: Partial<Bucket>): Promise<Bucket>;
  /** Removes an object, and tells the edges. */
  removeObject(object: StoredObject): Promise<void>;
  announce(change: EdgeChange): Promise<void>;
  close(): Promise<void>;
}

/** Starts edges in this process. @param wrap changes what an edge runs on */
export async function startEdges(
  count: number,
  settings: { [variable: string]: string } = {},
  wrap: (app: EdgeContext, index: number) => EdgeContext = (app) => app,
): Promise<TestEdges> {
  const test = await testApp(settings);
  const { app } = test;
  await app.records.prepare([storedObjects]);
  const servers: Server[] = [];
  const edges: TestEdge[] = [];
  const countryOf = await openCountries(app.configuration);
  for (let index = 0; index < count; index += 1) {
    const closed: Delivery[] = [];
    const edge = new Edge(
      wrap({ ...app, nodeId: `edge-${index}` }, index),
      countryOf,
      (delivery) => closed.push(delivery),
      () => undefined,
    );
    await edge.follower.start();
    const server = createServer((asked, response) => void edge.serve(asked, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
    servers.push(server);
    const { port } = server.address() as AddressInfo;
    edges.push({ edge, port, closed, get: (host, path, options = {}) => get(port, host, path, options) });
  }
  app.edgeChanges.announceWith(() => {
    for (const { edge } of edges) void edge.follower.look();
  });
  const allBuckets = app.records.collection(buckets, systemScope);
  const allObjects = app.records.collection(storedObjects, systemScope);
  const announce = async (change: EdgeChange): Promise<void> => {
    await app.edgeChanges.append([change]);
    for (const { edge } of edges) await edge.follower.look();
  };
  const change = async (bucket: Bucket, fields: Partial<Bucket>): Promise<Bucket> => {
    const settingsVersion = bucket.settingsVersion + 1;
    const written = await allBuckets.update(bucket._id, {}, { set: { ...fields, settingsVersion } });
    if (written === null) throw new Error('there is no such bucket');
    const { organizationId, _id: bucketId, name } = written;
    await announce({ kind: 'bucket', organizationId, bucketId, name, settingsVersion });
    return written;
  };
  return {
    test,
    edges,
    announce,
    change,
    addBucket: async (fields = {}) => {
      const _id = app.runtime.uuid();
      const name = fields.name ?? `b-${_id.slice(0, 8)}`;
      const bucket = testBucket({ _id, signing: newSigning(app, _id), ...fields, name });
      await allBuckets.insert(bucket);
      return bucket;
    },
    put: async (bucket, key, body, fields = {}) => {
      const bytes = Buffer.from(body);
      const id = app.runtime.uuid();
      const part = { name: '1', bytes: bytes.length };
      await app.objects.writePart(id, part, pieces(bytes));
      const content = await app.objects.join(id, [part]);
      const object: StoredObject = {
        _id: app.runtime.uuid(),
        organizationId: bucket.organizationId,
        bucketId: bucket._id,
        key,
        liveKey: key,
        size: bytes.length,
        contentType: 'text/plain',
        sha256: null,
        checksumState: 'not_requested',
        etag: `"${id.replaceAll('-', '')}"`,
        state: 'stored',
        metadata: {},
        content,
        contentId: id,
        createdAt: app.runtime.now(),
        updatedAt: app.runtime.now(),
        createdVia: 'plycdn',
        version: 1,
        outbox: [],
        ...fields,
      };
      const [former] = await allObjects.find({ filter: { bucketId: bucket._id, liveKey: key }, limit: 1 });
      if (former !== undefined) await allObjects.remove(former._id);
      await allObjects.insert(object);
      return object;
    },
    removeObject: async ({ _id, bucketId, key }) => {
      await allObjects.update(_id, {}, { unset: ['liveKey'] });
      await announce({ kind: 'object', bucketId, key });
    },
    close: async () => {
      for (const server of servers) {
        server.close();
        server.closeAllConnections();
      }
      for (const { edge } of edges) await edge.follower.stop();
      await test.close();
    },
  };
}

async function* pieces(bytes: Buffer): AsyncGenerator<Buffer> {
  // A copy: the pieces of a body belong to the store.
  yield Buffer.from(bytes);
}

/** Sends one request to an edge at a port of this machine. */
export function get(
  port: number,
  host: string,
  path: string,
  { method = 'GET', headers = {} }: { method?: string; headers?: OutgoingHttpHeaders } = {},
): Promise<Got> {
  return new Promise((resolve, reject) => {
    const asked = request(
      { port, host: '127.0.0.1', path, method, headers: { Host: host, ...headers } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.once('error', reject);
        response.once('end', () => {
          const body = Buffer.concat(chunks);
          const isJson = response.headers['content-type']?.startsWith('application/json') === true;
          const parsed: unknown = isJson && body.length > 0 ? JSON.parse(body.toString()) : null;
          const code =
            typeof parsed === 'object' && parsed !== null && 'code' in parsed ? String(parsed.code) : undefined;
          resolve({ status: response.statusCode ?? 0, headers: response.headers, body, code });
        });
      },
    );
    asked.once('error', reject);
    asked.end();
  });
}
