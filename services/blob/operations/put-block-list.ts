import { createHash } from 'node:crypto';
import { call } from '../../../mixins/actions/call.ts';
import { readRawBody } from '../../../mixins/http/raw-body.ts';
import type { DoorPart } from '../../../models/schemas/doors.ts';
import { scopeOf } from '../../../models/scope.ts';
import type { StoredObject } from '../../../models/storage-object.ts';
import { partId, uploadParts } from '../../../models/upload.ts';
import type { DoorReply } from '../../../mixins/storage/door-http.ts';
import type { BlobExchange, Door } from '../door.ts';
import { blockOfName, idBytes, numberOfBlock } from '../protocol/block-names.ts';
import { Fault } from '../protocol/faults.ts';
import { sentHeaders, sentLength, sentMd5, sentMetadata, sentType } from '../protocol/sent.ts';
import { readLeaves } from '../protocol/xml.ts';
import { committedBlocks, storeBlock, type BlockTarget } from './blocks.ts';
import { writtenHeaders } from './put-blob.ts';
import { declaredMd5, openTarget, stagedBlocks, writeJudged, type Target } from './write.ts';

/** Most blocks of a blob. */
const maxBlocks = 50_000;
/** Largest list, in bytes, and how long a client may send nothing of it, in milliseconds. */
const maxListBytes = 16 * 2 ** 20;
const idleTimeoutMs = 30_000;

/** A block as a list names it. */
interface Listed {
  id: string;
  from: 'Committed' | 'Uncommitted' | 'Latest';
}

/** Makes a blob of blocks. @throws Fault */
export async function putBlockList(door: Door, exchange: BlobExchange): Promise<DoorReply> {
  const { headers } = exchange.request;
  const kept = sentHeaders(headers, false);
  const details = {
    contentType: sentType(headers, 'x-ms-blob-content-type'),
    metadata: sentMetadata(headers),
    ...(kept === undefined ? {} : { headers: kept }),
    ...declaredMd5(sentMd5(headers, 'x-ms-blob-content-md5')),
  };
  const target = await openTarget(door, exchange);
  const listed = await readList(exchange);
  const { uploadId, parts } = await gather(door, target, listed);
  const object = await writeJudged(door, exchange, target, (seen) =>
    call(door.actions, 'storage.completeParts', {
      ...{ organizationId: target.at.organizationId, uploadId, parts, etag: etagOf(parts), seen },
      made: { ...details, createdVia: 'azure' },
    }),
  );
  return { status: 201, headers: writtenHeaders(object) };
}

const sources = new Set(['Committed', 'Uncommitted', 'Latest']);

function isSource(name: string | undefined): name is Listed['from'] {
  return name !== undefined && sources.has(name);
}

/** Reads the list of a body. @throws Fault */
async function readList({ request, response }: BlobExchange): Promise<Listed[]> {
  sentLength(request, maxListBytes);
  const expected = sentMd5(request.headers, 'content-md5');
  const hash = createHash('md5');
  async function* hashed(): AsyncGenerator<Uint8Array> {
    for await (const piece of readRawBody(request, response, { maxBytes: maxListBytes, idleTimeoutMs })) {
      hash.update(piece);
      yield piece;
    }
  }
  const listed: Listed[] = [];
  for await (const { path, text } of readLeaves(hashed())) {
    const [root, from, ...deeper] = path;
    if (root !== 'BlockList' || deeper.length > 0) throw new Fault('InvalidXmlDocument');
    if (from === undefined) continue;
    if (!isSource(from)) throw new Fault('InvalidXmlDocument');
    const id = text.trim();
    idBytes(id, () => new Fault('InvalidBlockId'));
    listed.push({ id, from });
    if (listed.length > maxBlocks) throw new Fault('InvalidBlockList');
  }
  if (expected !== null && hash.digest('base64') !== expected) throw new Fault('Md5Mismatch');
  return listed;
}

/**
 * Gathers the blocks of a list in the content of those that wait; those of the blob itself are copied there.
 * @throws Fault `InvalidBlockList` where a block is not there
 */
async function gather(
  door: Door,
  { at, present }: Target,
  listed: readonly Listed[],
): Promise<{ uploadId: string; parts: DoorPart[] }> {
  const staged = await stagedBlocks(door, at);
  const waiting = staged === null ? new Map<string, DoorPart>() : await waitingParts(door, at, staged.uploadId, listed);
  const missing = listed.filter(({ id, from }) => from === 'Committed' || !waiting.has(id));
  if (missing.some(({ from }) => from === 'Uncommitted')) throw new Fault('InvalidBlockList');
  const copied = missing.length === 0 ? waiting : await copyCommitted(door, at, present, missing);
  const own = await stagedBlocks(door, at);
  if (listed.length === 0 || own === null) return emptyContent(door, at, listed);
  const parts = listed.map(({ id, from }) =>
    from === 'Committed' ? copied.get(id) : (waiting.get(id) ?? copied.get(id)),
  );
  if (parts.some((part) => part === undefined)) throw new Fault('InvalidBlockList');
  return { uploadId: own.uploadId, parts: parts.filter((part) => part !== undefined) };
}

/** The parts of the listed blocks that wait, by id. */
async function waitingParts(
  { app }: Door,
  { organizationId }: Target['at'],
  uploadId: string,
  listed: readonly Listed[],
): Promise<Map<string, DoorPart>> {
  const wanted = [...new Set(listed.filter(({ from }) => from !== 'Committed').map(({ id }) => id))];
  const ids = wanted.map((id) => partId(uploadId, numberOfBlock(Buffer.from(id, 'base64'))));
  const found = new Map<string, DoorPart>();
  for (const { number, name, bytes, md5 } of await app.records
    .collection(uploadParts, scopeOf(organizationId))
    .getMany(ids)) {
    const block = blockOfName(name);
    if (block !== null) found.set(block.id, { number, name, bytes, md5 });
  }
  return found;
}

/** Copies blocks of the blob to those that wait. @throws Fault `InvalidBlockList` */
async function copyCommitted(
  door: Door,
  at: Target['at'],
  present: StoredObject | null,
  listed: readonly Listed[],
): Promise<Map<string, DoorPart>> {
  if (present === null) throw new Fault('InvalidBlockList');
  const ranges = new Map<string, { from: number; bytes: number }>();
  let from = 0;
  for (const { id, bytes } of await committedBlocks(door, present.content)) {
    ranges.set(id, { from, bytes });
    from += bytes;
  }
  const wanted = [...new Set(listed.map(({ id }) => id))];
  if (wanted.some((id) => !ranges.has(id))) throw new Fault('InvalidBlockList');
  for (const id of wanted) {
    const range = ranges.get(id) ?? { from: 0, bytes: 0 };
    const target: BlockTarget = { at, id: Buffer.from(id, 'base64') };
    const pieces = door.app.objects.read(present.content, { from: range.from, to: range.from + range.bytes - 1 });
    await storeBlock(door, target, range.bytes, pieces, null);
  }
  const staged = await stagedBlocks(door, at);
  const all = wanted.map((id): Listed => ({ id, from: 'Latest' }));
  return staged === null ? new Map() : waitingParts(door, at, staged.uploadId, all);
}

/** The content of a blob of no blocks. @throws Fault `InvalidBlockList` where blocks were listed */
async function emptyContent(
  door: Door,
  at: Target['at'],
  listed: readonly Listed[],
): Promise<{ uploadId: string; parts: DoorPart[] }> {
  if (listed.length > 0) throw new Fault('InvalidBlockList');
  const { organizationId } = at;
  const { uploadId, contentId } = await call(door.actions, 'storage.stageBlocks', at);
  const part = { number: 0, name: `empty-${door.app.runtime.uuid()}`, bytes: 0, md5: emptyMd5 };
  await door.app.objects.writePart(contentId, part, nothing());
  await call(door.actions, 'storage.recordPart', { organizationId, uploadId, part });
  return { uploadId, parts: [part] };
}

const emptyMd5 = createHash('md5').digest('hex');

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** The quoted MD5 of one part; of several the MD5 of their MD5s, with their number. */
function etagOf(parts: readonly DoorPart[]): string {
  const [first] = parts;
  if (parts.length === 1 && first !== undefined) return `"${first.md5}"`;
  const hash = createHash('md5');
  for (const { md5 } of parts) hash.update(md5, 'hex');
  return `"${hash.digest('hex')}-${parts.length}"`;
}
