import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Objects } from '../../adapters/objects/port.ts';
import type { ActionCaller } from '../../mixins/actions/call.ts';
import type { AppContext } from '../../mixins/app-context.ts';
import type { GuardedClient } from '../../mixins/guarded-client/client.ts';
import type { DoorCredentials } from '../../mixins/storage/door-credentials.ts';
import { buckets, type Bucket } from '../../models/bucket.ts';
import type { Region } from '../../models/region.ts';
import { scopeOf } from '../../models/scope.ts';
import { storedObjects, type StoredObject } from '../../models/storage-object.ts';
import type { Access, AccountNames } from './auth/authenticate.ts';
import type { RequestOrigin } from './auth/sas.ts';
import type { AccountOfHost, BlobAddress } from './protocol/address.ts';
import { Fault } from './protocol/faults.ts';

/** The parts of the app that the door uses. */
export type DoorApp = Pick<
  AppContext,
  'records' | 'runtime' | 'configuration' | 'log' | 'sealer' | 'counters' | 'metrics' | 'listeners'
> & { objects: Objects };

/** What the operations of the door share. */
export interface Door {
  app: DoorApp;
  actions: ActionCaller;
  regions: readonly Region[];
  credentials: DoorCredentials;
  accounts: AccountNames;
  accountOfHost: AccountOfHost;
  /** Reads sources of copies that are elsewhere. */
  client: GuardedClient;
}

/** A request that was authenticated, without its body. */
export interface BlobRequest {
  readonly request: Pick<IncomingMessage, 'method' | 'headers' | 'rawHeaders'>;
  readonly requestId: string;
  readonly address: BlobAddress;
  /** Version of the protocol that the request speaks. */
  readonly version: string;
  readonly origin: RequestOrigin;
  readonly access: Access;
}

/** A request that was authenticated. */
export interface BlobExchange extends BlobRequest {
  readonly request: IncomingMessage;
  /** For bodies that are asked for; the response itself is sent by the door. */
  readonly response: ServerResponse;
}

/** A response. */
export interface BlobReply {
  status: number;
  headers?: { readonly [name: string]: string };
  /** A text, or bytes that are sent as the client takes them. */
  body?: string | { bytes: number; pieces: AsyncIterable<Uint8Array> };
}

/** A reply with XML. */
export function xmlReply(body: string, headers: BlobReply['headers'] = {}): BlobReply {
  return { status: 200, headers: { 'Content-Type': 'application/xml', ...headers }, body };
}

/** The bucket of a container's name, whatever its state, if it is the organization's own; null if there is none. */
export async function findContainer(
  { app }: Pick<Door, 'app'>,
  organizationId: string,
  name: string,
): Promise<Bucket | null> {
  const [bucket] = await app.records
    .collection(buckets, scopeOf(organizationId))
    .find({ filter: { nameKey: name }, limit: 1 });
  return bucket ?? null;
}

/** The stored object of a name; null if there is none, or it is disabled. */
export async function findBlob(
  { app }: Pick<Door, 'app'>,
  { organizationId, _id: bucketId }: Pick<Bucket, 'organizationId' | '_id'>,
  key: string,
): Promise<StoredObject | null> {
  const [object] = await app.records
    .collection(storedObjects, scopeOf(organizationId))
    .find({ filter: { bucketId, liveKey: key }, limit: 1 });
  return object === undefined || object.state !== 'stored' ? null : object;
}

/** The stored object of a name. @throws Fault `BlobNotFound` */
export async function presentBlob(
  door: Pick<Door, 'app'>,
  bucket: Pick<Bucket, 'organizationId' | '_id'>,
  key: string,
): Promise<StoredObject> {
  const object = await findBlob(door, bucket, key);
  if (object === null) throw new Fault('BlobNotFound');
  return object;
}
