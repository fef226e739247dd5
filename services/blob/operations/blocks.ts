import { createHash } from 'node:crypto';
import { call } from '../../../mixins/actions/call.ts';
import { readPacedBody } from '../../../mixins/http/paced-body.ts';
import { xmlReply, type DoorReply } from '../../../mixins/storage/door-http.ts';
import { objectNamed } from '../../../mixins/storage/door-lookup.ts';
import { scopeOf } from '../../../models/scope.ts';
import { uploadParts } from '../../../models/upload.ts';
import { requireContainer } from '../auth/authorize.ts';
import type { BlobExchange, Door } from '../door.ts';
import { blockOfName, idBytes, nameOfBlock, numberOfBlock, type Block } from '../protocol/block-names.ts';
import { checkRead } from '../protocol/conditions.ts';
import { PassingCrc64 } from '../protocol/crc64.ts';
import { badParameter, Fault } from '../protocol/faults.ts';
import { versionHeaders } from '../protocol/properties.ts';
import { sentCrc64, sentLength, sentMd5, writableKey } from '../protocol/sent.ts';
import { element } from '../../../mixins/storage/door-xml.ts';
import { xmlDocument } from '../protocol/xml.ts';
import { pace, stagedBlocks } from './write.ts';

const MiB = 2 ** 20;
/** Largest block, in bytes. */
export const maxBlockBytes = 4000 * MiB;
/** Blocks of a listing that are read at a time, and all of them. */
const pageSize = 5000;
const maxListed = 50_000;

/** Where a block is written: bucket, key, and its id. */
export interface BlockTarget {
  at: { organizationId: string; bucketId: string; key: string };
  id: Buffer;
}

/** The block that a request writes. @throws Fault */
export function openBlock(exchange: BlobExchange): BlockTarget {
  const { address } = exchange;
  const sent = address.query.get('blockid');
  if (sent === null) throw new Fault('MissingRequiredQueryParameter', { elements: { QueryParameterName: 'blockid' } });
  const id = idBytes(sent, () => badParameter('blockid', sent));
  const key = writableKey(address.blob);
  const bucket = requireContainer(exchange, 'write');
  return { at: { organizationId: bucket.organizationId, bucketId: bucket._id, key }, id };
}

/** Writes a block of a blob, which waits to be made part of it. @throws Fault */
export async function putBlock(door: Door, exchange: BlobExchange): Promise<DoorReply> {
  const { request, response } = exchange;
  const bytes = sentLength(request, maxBlockBytes);
  if (bytes === 0) throw new Fault('InvalidHeaderValue', { elements: { HeaderName: 'Content-Length' } });
  const expected = sentMd5(request.headers, 'content-md5');
  const target = openBlock(exchange);
  const crc64 = sentCrc64(request.headers, 'body');
  const body = readPacedBody(request, response, pace);
  return storeChecked(door, exchange, target, { bytes, body, md5: expected, crc64 });
}

/** Since this version a block that is sent without a checksum is answered with its CRC64, before with its MD5. */
const crc64Version = '2019-02-02';

/**
 * Stores a block with the checksum that was declared for it, and answers the one that the client can check.
 * @throws Fault as `storeBlock` does, and `Crc64Mismatch`
 */
export async function storeChecked(
  door: Door,
  { version }: Pick<BlobExchange, 'version'>,
  target: BlockTarget,
  block: { bytes: number; body: AsyncIterable<Uint8Array>; md5: string | null; crc64: string | null },
): Promise<DoorReply> {
  const withMd5 = block.md5 !== null || (block.crc64 === null && version < crc64Version);
  const passing = new PassingCrc64();
  const body = withMd5 ? block.body : passing.pass(block.body, block.crc64);
  const md5 = await storeBlock(door, target, block.bytes, body, block.md5);
  return {
    status: 201,
    headers: {
      ...(withMd5 ? { 'Content-MD5': md5 } : { 'x-ms-content-crc64': passing.value() }),
      'x-ms-request-server-encrypted': 'false',
    },
  };
}

/**
 * Stores a block: all of its bytes, or none. Sending it again replaces it.
 * @param expected MD5 that it must have, base64; null for any
 * @returns its MD5, base64. @throws Fault `Md5Mismatch`, `InvalidBlobOrBlock` where ids have another length
 */
export async function storeBlock(
  door: Door,
  { at, id }: BlockTarget,
  bytes: number,
  body: AsyncIterable<Uint8Array>,
  expected: string | null,
): Promise<string> {
  const { app, actions } = door;
  const { organizationId } = at;
  const { uploadId, contentId } = await call(actions, 'storage.stageBlocks', at);
  const parts = app.records.collection(uploadParts, scopeOf(organizationId));
  const [other] = await parts.find({ filter: { uploadId }, sort: [['number', 1]], limit: 1 });
  const otherId = other === undefined ? null : blockOfName(other.name);
  if (otherId !== null && Buffer.from(otherId.id, 'base64').length !== id.length) throw new Fault('InvalidBlobOrBlock');
  const hash = createHash('md5');
  let md5 = '';
  async function* hashed(): AsyncGenerator<Uint8Array> {
    for await (const piece of body) {
      hash.update(piece);
      yield piece;
    }
    md5 = hash.digest('hex');
    // Thrown here, the store keeps nothing of the block.
    if (expected !== null && Buffer.from(md5, 'hex').toString('base64') !== expected) throw new Fault('Md5Mismatch');
  }
  const name = nameOfBlock(app.runtime, id, bytes);
  await app.objects.writePart(contentId, { name, bytes }, hashed());
  await call(actions, 'storage.recordPart', {
    ...{ organizationId, uploadId },
    part: { number: numberOfBlock(id), name, bytes, md5 },
  });
  return Buffer.from(md5, 'hex').toString('base64');
}

/** The blocks that a content consists of, in their order; empty where it was not made of blocks. */
export async function committedBlocks(
  { app }: Pick<Door, 'app'>,
  content: { id: string; form: string },
): Promise<Block[]> {
  const blocks = (await app.objects.partsOf(content)).map(blockOfName);
  return blocks.every((block) => block !== null) ? blocks : [];
}

/** Lists the blocks of a blob: those that it consists of, those that wait, or both. @throws Fault */
export async function getBlockList(door: Door, exchange: BlobExchange): Promise<DoorReply> {
  const { address, request } = exchange;
  const kind = (address.query.get('blocklisttype') ?? 'committed').toLowerCase();
  if (!['committed', 'uncommitted', 'all'].includes(kind)) throw badParameter('blocklisttype', kind);
  const bucket = requireContainer(exchange, 'read');
  const key = address.blob ?? '';
  const present = await objectNamed(door.app, bucket, key);
  if (present !== null) checkRead(request, present);
  const at = { organizationId: bucket.organizationId, bucketId: bucket._id, key };
  const waiting = await waitingBlocks(door, at);
  if (present === null && waiting.length === 0) throw new Fault('BlobNotFound');
  const committed = present === null ? [] : await committedBlocks(door, present.content);
  const list = (name: string, blocks: readonly Block[]): string =>
    `<${name}>${blocks.map(({ id, bytes }) => `<Block>${element('Name', id)}${element('Size', bytes)}</Block>`).join('')}</${name}>`;
  return xmlReply(
    xmlDocument(
      `<BlockList>${kind === 'uncommitted' ? '' : list('CommittedBlocks', committed)}${kind === 'committed' ? '' : list('UncommittedBlocks', waiting)}</BlockList>`,
    ),
    {
      'x-ms-blob-content-length': String(present?.size ?? 0),
      ...(present === null ? {} : versionHeaders(present)),
    },
  );
}

/** The blocks of a blob that wait, by id. */
async function waitingBlocks(door: Door, at: BlockTarget['at']): Promise<Block[]> {
  const staged = await stagedBlocks(door, at);
  if (staged === null) return [];
  const parts = door.app.records.collection(uploadParts, scopeOf(at.organizationId));
  const blocks: Block[] = [];
  for (let after: number[] | null = null; blocks.length < maxListed;) {
    const page = await parts.find({
      filter: { uploadId: staged.uploadId },
      sort: [['number', 1]],
      limit: pageSize,
      ...(after === null ? {} : { after }),
    });
    blocks.push(...page.map(({ name }) => blockOfName(name)).filter((block) => block !== null));
    const last = page.at(-1);
    if (last === undefined || page.length < pageSize) break;
    after = [last.number];
  }
  return blocks.sort((one, other) => (one.id < other.id ? -1 : 1));
}
