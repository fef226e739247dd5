import type { IncomingMessage } from 'node:http';
import type { DoorReply } from '../../../mixins/storage/door-http.ts';
import type { Need } from '../auth/authorize.ts';
import type { BlobExchange, Door } from '../door.ts';
import type { BlobAddress } from '../protocol/address.ts';
import { badParameter, Fault } from '../protocol/faults.ts';
import { absenceOf, refuseUnoffered } from './absent.ts';
import * as blocks from './blocks.ts';
import { runBatch } from './batch.ts';
import { deleteBlob, deletingNeed, setMetadata, setProperties } from './change-blob.ts';
import { createContainer, deleteContainer, setContainerAcl, setContainerMetadata } from './change-container.ts';
import { abortCopy, copyBlob, putBlockFromUrl } from './copy-blob.ts';
import * as containers from './containers.ts';
import * as reads from './get-blob.ts';
import { listBlobs } from './list-blobs.ts';
import { putBlob } from './put-blob.ts';
import { putBlockList } from './put-block-list.ts';
import { getAccountInformation, getServiceProperties } from './service.ts';

/** An operation of the protocol that is offered. */
export interface Operation {
  name: string;
  need: Need;
  /** @throws Fault */
  serve(door: Door, exchange: BlobExchange): DoorReply | Promise<DoorReply>;
}

/** What an address names. */
export type Level = 'service' | 'container' | 'blob';

/** How a request names an operation. */
interface Row extends Operation {
  methods: readonly string[];
  level: Level;
  /** Values of `comp` and `restype`; null where they are absent. */
  comp: string | null;
  restype: string | null;
}

const listing: Need = { type: 'c', letters: 'l', permission: 'read', ofService: true };
const reading: Need = { type: 'o', letters: 'r', permission: 'read', ofService: true };
const ofContainer: Need = { type: 'c', letters: 'r', permission: 'read', ofService: false };
const ofService: Need = { type: 's', letters: 'r', permission: null, ofService: false };
/** Account information may be asked for with any signature. */
const anybody: Need = { type: 's', letters: '', permission: null, ofService: true };
const read = ['GET', 'HEAD'] as const;

const writing: Need = { type: 'o', letters: 'wc', permission: 'write', ofService: true };
const changing: Need = { ...writing, letters: 'w' };
const making: Need = { type: 'c', letters: 'wc', permission: 'manage', ofService: false };

const container = { level: 'container', restype: 'container' } as const;
const blob = { level: 'blob', restype: null } as const;

/** A write of a blob, whose bytes are the body or those of a source. @throws Fault */
function writeBlob(door: Door, exchange: BlobExchange): Promise<DoorReply> {
  return exchange.request.headers['x-ms-copy-source'] === undefined
    ? putBlob(door, exchange)
    : copyBlob(door, exchange);
}

/** A write of a block, whose bytes are the body or those of a source. @throws Fault */
function writeBlock(door: Door, exchange: BlobExchange): Promise<DoorReply> {
  const isCopy = exchange.request.headers['x-ms-copy-source'] !== undefined;
  return isCopy ? putBlockFromUrl(door, exchange) : blocks.putBlock(door, exchange);
}

const rows: readonly Row[] = [
  {
    name: 'ListContainers',
    methods: ['GET'],
    level: 'service',
    comp: 'list',
    restype: null,
    need: { ...listing, type: 's', ofService: false },
    serve: containers.listContainers,
  },
  {
    name: 'GetServiceProperties',
    methods: ['GET'],
    level: 'service',
    comp: 'properties',
    restype: 'service',
    need: ofService,
    serve: getServiceProperties,
  },
  // The SDK takes an account in the path for a container.
  ...([null, 'container'] as const).map((restype): Row => ({
    ...{ name: 'Batch', methods: ['POST'], level: 'service', comp: 'batch', restype },
    need: anybody,
    serve: runBatch,
  })),
  { ...container, name: 'Batch', methods: ['POST'], comp: 'batch', need: anybody, serve: runBatch },
  ...(['service', 'container', 'blob'] as const).map((level): Row => ({
    name: 'GetAccountInformation',
    methods: read,
    level,
    comp: 'properties',
    restype: 'account',
    need: anybody,
    serve: getAccountInformation,
  })),
  {
    ...container,
    name: 'GetContainerProperties',
    methods: read,
    comp: null,
    need: ofContainer,
    serve: (_door, exchange) => containers.getContainerProperties(exchange),
  },
  {
    ...container,
    name: 'GetContainerMetadata',
    methods: read,
    comp: 'metadata',
    need: ofContainer,
    serve: (_door, exchange) => containers.getContainerMetadata(exchange),
  },
  {
    ...container,
    name: 'GetContainerAcl',
    methods: read,
    comp: 'acl',
    need: ofContainer,
    serve: (_door, exchange) => containers.getContainerAcl(exchange),
  },
  { ...container, name: 'ListBlobs', methods: ['GET'], comp: 'list', need: listing, serve: listBlobs },
  { ...container, name: 'CreateContainer', methods: ['PUT'], comp: null, need: making, serve: createContainer },
  {
    ...container,
    name: 'SetContainerMetadata',
    methods: ['PUT'],
    comp: 'metadata',
    need: { type: 'c', letters: 'w', permission: 'write', ofService: false },
    serve: setContainerMetadata,
  },
  {
    ...container,
    name: 'SetContainerAcl',
    methods: ['PUT'],
    comp: 'acl',
    need: { ...making, letters: 'w' },
    serve: setContainerAcl,
  },
  {
    ...container,
    name: 'DeleteContainer',
    methods: ['DELETE'],
    comp: null,
    need: { ...making, letters: 'd' },
    serve: deleteContainer,
  },
  { ...blob, name: 'PutBlob', methods: ['PUT'], comp: null, need: writing, serve: writeBlob },
  { ...blob, name: 'PutBlock', methods: ['PUT'], comp: 'block', need: writing, serve: writeBlock },
  { ...blob, name: 'PutBlockList', methods: ['PUT'], comp: 'blocklist', need: writing, serve: putBlockList },
  { ...blob, name: 'GetBlockList', methods: read, comp: 'blocklist', need: reading, serve: blocks.getBlockList },
  { ...blob, name: 'SetBlobMetadata', methods: ['PUT'], comp: 'metadata', need: changing, serve: setMetadata },
  { ...blob, name: 'SetBlobProperties', methods: ['PUT'], comp: 'properties', need: changing, serve: setProperties },
  { ...blob, name: 'AbortCopyBlob', methods: ['PUT'], comp: 'copy', need: writing, serve: abortCopy },
  { ...blob, name: 'DeleteBlob', methods: ['DELETE'], comp: null, need: deletingNeed, serve: deleteBlob },
  { ...blob, name: 'GetBlob', methods: ['GET'], comp: null, need: reading, serve: reads.getBlob },
  { ...blob, name: 'GetBlobProperties', methods: ['HEAD'], comp: null, need: reading, serve: reads.getBlobProperties },
  { ...blob, name: 'GetBlobMetadata', methods: read, comp: 'metadata', need: reading, serve: reads.getBlobMetadata },
];

const methods = new Set(['GET', 'HEAD', 'PUT', 'POST', 'DELETE']);

/**
 * The operation that a request asks for.
 * @throws Fault `NotImplemented` for what the protocol has and is not offered, `UnsupportedHttpVerb`,
 *   `HierarchicalNamespaceNotEnabled` for requests of the Data Lake protocol,
 *   `InvalidQueryParameterValue` for a `comp` or `restype` that the protocol does not have
 */
export function findOperation(
  { method = 'GET', headers }: Pick<IncomingMessage, 'method' | 'headers'>,
  { container: name, blob: key, query }: BlobAddress,
): Operation {
  // Clients of the Data Lake protocol look in this way whether an account has folders, and then speak the Blob protocol.
  if (query.get('action') !== null || query.get('resource') !== null)
    throw new Fault('HierarchicalNamespaceNotEnabled');
  if (!methods.has(method)) throw new Fault('UnsupportedHttpVerb');
  const level: Level = name === null ? 'service' : key === null ? 'container' : 'blob';
  // An empty parameter is as good as none.
  const [comp, restype] = ['comp', 'restype'].map((parameter) => query.get(parameter) || null);
  const named = rows.filter((each) => each.level === level && each.comp === comp && each.restype === restype);
  const row = named.find((each) => each.methods.includes(method));
  if (row === undefined) {
    const absence = absenceOf(level, method, comp ?? null);
    if (absence !== null) throw absence;
    if (named.length > 0 || (comp === null && restype === null)) throw new Fault('UnsupportedHttpVerb');
    throw comp === null || comp === undefined ? badParameter('restype', restype ?? '') : badParameter('comp', comp);
  }
  refuseUnoffered(headers, query, row.need.permission === 'write');
  return row;
}
