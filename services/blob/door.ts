import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ActionCaller } from '../../mixins/actions/call.ts';
import type { GuardedClient } from '../../mixins/guarded-client/client.ts';
import type { DoorCredentials } from '../../mixins/storage/door-credentials.ts';
import type { DoorApp } from '../../mixins/storage/door-http.ts';
import { objectNamed } from '../../mixins/storage/door-lookup.ts';
import type { Bucket } from '../../models/bucket.ts';
import type { Region } from '../../models/region.ts';
import type { StoredObject } from '../../models/storage-object.ts';
import type { Access, AccountNames } from './auth/authenticate.ts';
import type { RequestOrigin } from './auth/sas.ts';
import type { AccountOfHost, BlobAddress } from './protocol/address.ts';
import { Fault } from './protocol/faults.ts';

/** What the operations of the door share. */
export interface Door {
  app: DoorApp;
  actions: ActionCaller;
  regions: readonly Region[];
  credentials: DoorCredentials;
  accounts: AccountNames;
  accountOfHost: AccountOfHost;
  /** Hosts of this service whose paths begin with an account, with their ports. */
  hosts: ReadonlySet<string>;
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
  /** The organization's bucket that the address names as a container, in any state; null if there is none. */
  readonly bucket: Bucket | null;
}

/** A request that was authenticated. */
export interface BlobExchange extends BlobRequest {
  readonly request: IncomingMessage;
  /** For bodies that are asked for; the response itself is sent by the door. */
  readonly response: ServerResponse;
}

/** The stored object of a name. @throws Fault `BlobNotFound` */
export async function presentBlob(
  door: Pick<Door, 'app'>,
  bucket: Pick<Bucket, 'organizationId' | '_id'>,
  key: string,
): Promise<StoredObject> {
  const object = await objectNamed(door.app, bucket, key);
  if (object === null) throw new Fault('BlobNotFound');
  return object;
}
