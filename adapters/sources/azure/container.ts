import { AnonymousCredential, ContainerClient, newPipeline, type BlobItem, type ContainerListBlobFlatSegmentResponse } from '@azure/storage-blob';
import { SourceError, type SourceClient } from '../port.ts';
import { askWhole, errorOfStatus, sourceErrorOf } from '../requests.ts';
import { azureHttpClient } from './http-client.ts';
import type { FolderPage } from './tree.ts';

const pageNames = 1000;

/** The version of the interface in which accounts tell whether they have folders. */
const version = '2021-12-02';

/** A container as a shared access signature sees it. */
export interface Container {
  /**
   * Whether the account keeps its files in folders (a hierarchical namespace), so that a plain list comes folder by folder. One
   * that does not tell has none.
   * @throws SourceError
   */
  hasFolders(signal: AbortSignal): Promise<boolean>;
  /** A page of all names below a prefix. @throws SourceError */
  listFlat(prefix: string, marker: string | null, signal: AbortSignal): Promise<ContainerListBlobFlatSegmentResponse>;
  /** A page of what lies directly below a prefix. @throws SourceError */
  listFolder(prefix: string, marker: string | null, signal: AbortSignal): Promise<FolderPage<BlobItem>>;
}

/**
 * Asks a container through the guarded client.
 * @param address of the container, without a query
 * @param token as it stands in a query string
 */
export function containerAt(address: string, token: string, client: SourceClient): Container {
  const { host } = new URL(address);
  // Azure's library keeps its pipeline with its client, so each page has its own, with its own signal.
  const clientFor = (signal: AbortSignal): ContainerClient =>
    new ContainerClient(`${address}?${token}`, newPipeline(new AnonymousCredential(), { httpClient: azureHttpClient(client, host, signal), retryOptions: { maxTries: 1 } }));
  const paging = (marker: string | null) => ({ maxPageSize: pageNames, ...(marker === null ? {} : { continuationToken: marker }) });
  const listing = (prefix: string, signal: AbortSignal) => ({ ...(prefix === '' ? {} : { prefix }), abortSignal: signal });
  return {
    async hasFolders(signal) {
      const answer = await askWhole(client, new URL(`${address}?restype=account&comp=properties&${token}`), { headers: { 'x-ms-version': version }, maxBytes: 65_536, signal });
      if (answer.status === 200) return answer.header('x-ms-is-hns-enabled') === 'true';
      const failure = errorOfStatus(answer.status, 'the container');
      // Where the token may not know, the list tells what else there is to tell.
      if (failure.reason === 'temporary') throw failure;
      return false;
    },
    listFlat: (prefix, marker, signal) => firstOf(clientFor(signal).listBlobsFlat(listing(prefix, signal)).byPage(paging(marker)), signal),
    async listFolder(prefix, marker, signal) {
      const { segment, continuationToken } = await firstOf(clientFor(signal).listBlobsByHierarchy('/', listing(prefix, signal)).byPage(paging(marker)), signal);
      const next = continuationToken ?? '';
      return { blobs: segment.blobItems, folders: (segment.blobPrefixes ?? []).map(({ name }) => name), marker: next === '' ? null : next };
    },
  };
}

/** The one page that is asked for. @throws SourceError, what aborts the signal */
async function firstOf<T>(pages: AsyncIterable<T>, signal: AbortSignal): Promise<T> {
  try {
    for await (const page of pages) return page;
  } catch (error) {
    signal.throwIfAborted();
    throw sourceErrorOf(error) ?? errorOfAnswer(error);
  }
  throw new SourceError('refused', 'the container sent no list');
}

/** The failure that the library's error is. Its errors hold the address with the token, so they are not handed on. */
function errorOfAnswer(error: unknown): SourceError {
  const status: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'statusCode') : undefined;
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
  if (typeof status !== 'number' || status < 300) return new SourceError('refused', 'the container sent an answer that cannot be read');
  return errorOfStatus(status, 'the container', typeof code === 'string' ? code : null);
}
