import type { BlobItem, ContainerListBlobFlatSegmentResponse } from '@azure/storage-blob';
import type { AzureBlobConfig } from '../../../models/connector.ts';
import {
  addressOfName,
  baseAddress,
  checkContainerName,
  compareBytes,
  filenameOf,
  isRegistrable,
  addListed,
} from '../entries.ts';
import { SourceError, type Source, type SourceClient, type SourceEntry, type SourcePage } from '../port.ts';
import { containerAt } from './container.ts';
import {
  isTreeCursor,
  readFlatCursor,
  readTreeCursor,
  writeFlatCursor,
  writeTreeCursor,
  type FlatCursor,
} from './cursor.ts';
import { walkFolders } from './tree.ts';

/** Number of files in a page of a walk through folders. */
const pageFiles = 1000;

/**
 * Maximum number of consecutive empty pages: Azure may send some, and a source that repeats itself sends nothing else.
 */
const maxEmptyPages = 1000;

/** Options to open a container as a source. */
export interface AzureSourceOptions {
  config: AzureBlobConfig;
  /** The shared access signature of the container, with List and Read; a leading `?` is ignored. */
  token: string;
  client: SourceClient;
}

/**
 * A container of Azure Blob Storage, read with a shared access signature. Accounts with a hierarchical namespace are
 * listed folder by folder, all others in one flat list. In both cases names are in the order of their bytes.
 * @throws SourceError `refused` for an invalid configuration, `credential` for a malformed token
 */
export function openAzureSource(options: AzureSourceOptions): Source {
  const { config, client } = options;
  const service = baseAddress(config.blobService);
  const name = checkContainerName(config.container);
  const base = `${service}/${name}/`;
  const location: ContainerLocation = {
    base,
    idPrefix: `azure:${new URL(service).host}/${name}/`,
    prefix: config.prefix,
  };
  const token = options.token.replace(/^\?/, '');
  if (!/^[\x21-\x22\x24-\x7e]+$/.test(token))
    throw new SourceError(
      'credential',
      'the credential is not a shared access signature in the form of a query string',
    );
  const container = containerAt(`${service}/${name}`, token, client);
  // The walk in progress, and the last name of its latest page.
  let walk: { at: string | null; blobs: AsyncGenerator<BlobItem, void, undefined>; signal: AbortSignal } | null = null;

  async function continueWalk(at: string | null, signal: AbortSignal): Promise<SourcePage> {
    const current: NonNullable<typeof walk> =
      walk !== null && walk.at === at
        ? walk
        : {
            at,
            signal,
            blobs: walkFolders(
              (folder, marker) => container.listFolder(folder, marker, current.signal),
              location.prefix,
              at,
            ),
          };
    // A walk that fails is dropped: the next call starts another one at the same name.
    walk = null;
    current.signal = signal;
    const page: SourcePage = { entries: [], gaps: [], next: null };
    for (let count = 0; count < pageFiles; count += 1) {
      const { value: blob } = await current.blobs.next();
      if (blob === undefined) return page;
      addListed(page, location.idPrefix + blob.name, entryOf(location, blob));
      current.at = blob.name;
    }
    walk = current;
    page.next = writeTreeCursor(current.at ?? '');
    return page;
  }

  return {
    async list(cursor, signal) {
      signal.throwIfAborted();
      if (cursor !== null && isTreeCursor(cursor)) return continueWalk(readTreeCursor(cursor), signal);
      const position = readFlatCursor(cursor);
      const answer = await container.listFlat(config.prefix, position.marker, signal);
      // Without folders both kinds of listing give the same order.
      if (cursor === null && hasFolder(answer) && (await container.hasFolders(signal)))
        return continueWalk(null, signal);
      return pageOf(location, position, answer);
    },
    async addressOf({ externalId }, signal) {
      signal.throwIfAborted();
      const address = externalId.startsWith(location.idPrefix)
        ? addressOfName(base, externalId.slice(location.idPrefix.length))
        : null;
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
  return (
    (continuationToken ?? '') !== '' ||
    segment.blobItems.some(({ name }) => typeof name === 'string' && name.includes('/'))
  );
}

interface ContainerLocation {
  /** Address of the container with a slash at its end. */
  base: string;
  idPrefix: string;
  prefix: string;
}

/** Reads a page, and checks that its names are in order and follow those of the page before. */
function pageOf(
  location: ContainerLocation,
  position: FlatCursor,
  answer: ContainerListBlobFlatSegmentResponse,
): SourcePage {
  const page: SourcePage = { entries: [], gaps: [], next: null };
  let { last } = position;
  for (const blob of answer.segment.blobItems) {
    const { name } = blob;
    if (
      typeof name !== 'string' ||
      name === '' ||
      name.length > 2048 ||
      !name.startsWith(location.prefix) ||
      (last !== null && compareBytes(name, last) <= 0)
    ) {
      throw new SourceError(
        'refused',
        typeof name === 'string' && last !== null && isFolderOrder(last, name)
          ? 'the container lists its files folder by folder, as accounts with a hierarchical namespace do; only lists in the order of names can be compared'
          : 'the container lists names that were not requested, or not in order',
      );
    }
    last = name;
    addListed(page, location.idPrefix + blob.name, entryOf(location, blob));
  }
  const marker = answer.continuationToken ?? '';
  if (marker === '') return page;
  const empty = answer.segment.blobItems.length === 0 ? position.empty + 1 : 0;
  if (marker === position.marker || empty > maxEmptyPages)
    throw new SourceError('refused', 'the container keeps announcing further names without sending any');
  page.next = writeFlatCursor({ marker, last, empty });
  return page;
}

/**
 * Whether one name follows another in folder order, in which a folder's content comes before other names that start
 * with the folder's name: `a/z` before `a-b`.
 */
function isFolderOrder(one: string, next: string): boolean {
  const withoutSlashes = (name: string): string => name.replaceAll('/', '\0');
  return compareBytes(withoutSlashes(next), withoutSlashes(one)) > 0;
}

function entryOf({ base, idPrefix }: ContainerLocation, blob: BlobItem): SourceEntry | null {
  const { name, properties } = blob;
  const sourceUrl = addressOfName(base, name);
  // Lists contain the ETag without the quotes of the header.
  const etag = properties.etag ?? '';
  if (sourceUrl === null || etag === '') return null;
  const bytes = properties.contentLength ?? -1;
  const md5 = properties.contentMD5;
  const entry: SourceEntry = {
    externalId: idPrefix + name,
    filename: filenameOf(name),
    sourceUrl,
    sourceVersion: /^(W\/)?"/.test(etag) ? etag : `"${etag}"`,
    bytes,
    // Content uploaded in blocks has no digest, unless its writer gave one.
    contentId: md5 === undefined || md5.byteLength === 0 ? null : `${Buffer.from(md5).toString('base64')}-${bytes}`,
    principals: null,
  };
  return isRegistrable(entry) ? entry : null;
}
