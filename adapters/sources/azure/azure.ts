import type { BlobItem, ContainerListBlobFlatSegmentResponse } from '@azure/storage-blob';
import type { AzureBlobConfig } from '../../../models/connector.ts';
import { addressOfName, baseAddress, checkContainerName, compareBytes, filenameOf, isRegistrable, takeListed } from '../entries.ts';
import { SourceError, type Source, type SourceClient, type SourceEntry, type SourcePage } from '../port.ts';
import { containerAt } from './container.ts';
import { isTreeMark, readMark, readTreeMark, writeMark, writeTreeMark, type Mark } from './mark.ts';
import { walkFolders } from './tree.ts';

/** Files of one page of a walk through folders. */
const pageFiles = 1000;

/** Pages without a name that are followed in a row: Azure may send some, and a source that goes in circles sends no others. */
const mostEmptyPages = 1000;

/** What a container as a source is made from. */
export interface AzureSourceOptions {
  config: AzureBlobConfig;
  /** The shared access signature of the container, with List and Read; a leading `?` does no harm. */
  token: string;
  client: SourceClient;
}

/**
 * A container of Azure Blob Storage, read with a shared access signature. Accounts with a hierarchical namespace are walked through
 * folder by folder, all others are listed at a stroke: either way names come in the order of their bytes.
 * @throws SourceError `refused` where the configuration names no usable place, `credential` where the token is none
 */
export function openAzureSource(options: AzureSourceOptions): Source {
  const { config, client } = options;
  const service = baseAddress(config.blobService);
  const name = checkContainerName(config.container);
  const base = `${service}/${name}/`;
  const place: Place = { base, idPrefix: `azure:${new URL(service).host}/${name}/`, prefix: config.prefix };
  const token = options.token.replace(/^\?/, '');
  if (!/^[\x21-\x22\x24-\x7e]+$/.test(token)) throw new SourceError('credential', 'the credential is no shared access signature as it stands in a query string');
  const container = containerAt(`${service}/${name}`, token, client);
  // Of a walk that goes on: where its last page ended.
  let walk: { at: string | null; blobs: AsyncGenerator<BlobItem, void, undefined>; signal: AbortSignal } | null = null;

  async function walkOn(at: string | null, signal: AbortSignal): Promise<SourcePage> {
    const held: NonNullable<typeof walk> = walk !== null && walk.at === at ? walk : { at, signal, blobs: walkFolders((folder, marker) => container.listFolder(folder, marker, held.signal), place.prefix, at) };
    // A walk that fails is none any more: the next page begins one where this one did.
    walk = null;
    held.signal = signal;
    const page: SourcePage = { entries: [], gaps: [], next: null };
    for (let taken = 0; taken < pageFiles; taken += 1) {
      const { value: blob } = await held.blobs.next();
      if (blob === undefined) return page;
      takeListed(page, place.idPrefix + blob.name, entryOf(place, blob));
      held.at = blob.name;
    }
    walk = held;
    page.next = writeTreeMark(held.at ?? '');
    return page;
  }

  return {
    async list(cursor, signal) {
      signal.throwIfAborted();
      if (cursor !== null && isTreeMark(cursor)) return walkOn(readTreeMark(cursor), signal);
      const mark = readMark(cursor);
      const answer = await container.listFlat(config.prefix, mark.marker, signal);
      // Without a folder in sight both ways of listing are the same.
      if (cursor === null && hasFolder(answer) && (await container.hasFolders(signal))) return walkOn(null, signal);
      return pageOf(place, mark, answer);
    },
    async addressOf({ externalId }, signal) {
      signal.throwIfAborted();
      const address = externalId.startsWith(place.idPrefix) ? addressOfName(base, externalId.slice(place.idPrefix.length)) : null;
      if (address === null) throw new SourceError('refused', 'the file is not one of this container');
      return { address: `${address}?${token}`, redirects: false, verified: false };
    },
    async close() {
      walk = null;
    },
  };
}

/** Whether a page, or one that may follow it, has a file in a folder. */
function hasFolder({ segment, continuationToken }: ContainerListBlobFlatSegmentResponse): boolean {
  return (continuationToken ?? '') !== '' || segment.blobItems.some(({ name }) => typeof name === 'string' && name.includes('/'));
}

interface Place {
  /** Address of the container with a slash at its end. */
  base: string;
  idPrefix: string;
  prefix: string;
}

/** Reads a page, and checks that it goes on in order from where the last one ended. */
function pageOf(place: Place, mark: Mark, answer: ContainerListBlobFlatSegmentResponse): SourcePage {
  const page: SourcePage = { entries: [], gaps: [], next: null };
  let { last } = mark;
  for (const blob of answer.segment.blobItems) {
    const { name } = blob;
    if (typeof name !== 'string' || name === '' || name.length > 2048 || !name.startsWith(place.prefix) || (last !== null && compareBytes(name, last) <= 0)) {
      throw new SourceError('refused', typeof name === 'string' && last !== null && isFolderOrder(last, name)
        ? 'the container lists its files folder by folder, as accounts with a hierarchical namespace do; only lists in the order of names can be compared'
        : 'the container lists names that were not asked for, or not in order');
    }
    last = name;
    takeListed(page, place.idPrefix + blob.name, entryOf(place, blob));
  }
  const marker = answer.continuationToken ?? '';
  if (marker === '') return page;
  const empty = answer.segment.blobItems.length === 0 ? mark.empty + 1 : 0;
  if (marker === mark.marker || empty > mostEmptyPages) throw new SourceError('refused', 'the container says again and again that more follows, and sends nothing');
  page.next = writeMark({ marker, last, empty });
  return page;
}

/** Whether one name follows another where a folder comes with all that is in it before what begins like its name: `a/z` before `a-b`. */
function isFolderOrder(one: string, next: string): boolean {
  const withoutSlashes = (name: string): string => name.replaceAll('/', '\0');
  return compareBytes(withoutSlashes(next), withoutSlashes(one)) > 0;
}

function entryOf({ base, idPrefix }: Place, blob: BlobItem): SourceEntry | null {
  const { name, properties } = blob;
  const sourceUrl = addressOfName(base, name);
  // Lists have the ETag without the quotes that answers have around it.
  const etag = properties.etag ?? '';
  if (sourceUrl === null || etag === '') return null;
  const bytes = properties.contentLength ?? -1;
  const md5 = properties.contentMD5;
  const entry: SourceEntry = {
    externalId: idPrefix + name, filename: filenameOf(name), sourceUrl, sourceVersion: /^(W\/)?"/.test(etag) ? etag : `"${etag}"`, bytes,
    // Content that came in blocks has no digest, unless its writer gave one.
    contentId: md5 === undefined || md5.byteLength === 0 ? null : `${Buffer.from(md5).toString('base64')}-${bytes}`,
    principals: null,
  };
  return isRegistrable(entry) ? entry : null;
}
