import {
  AnonymousCredential,
  ContainerClient,
  newPipeline,
  type BlobItem,
  type ContainerListBlobFlatSegmentResponse,
} from '@azure/storage-blob';
import { SourceError, type SourceClient } from '../port.ts';
import { requestWhole, errorOfStatus, sourceErrorOf } from '../requests.ts';
import { azureHttpClient } from './http-client.ts';
import type { FolderPage } from './tree.ts';

const pageNames = 1000;

/** The first API version in which accounts report whether they have a hierarchical namespace. */
const version = '2021-12-02';

/** A container, read with a shared access signature. */
export interface Container {
  /**
   * Whether the account has a hierarchical namespace, so that a flat list is in folder order. False if the account does
   * not report it.
   * @throws SourceError
   */
  hasFolders(signal: AbortSignal): Promise<boolean>;
  /** A page of all names below a prefix. @throws SourceError */
  listFlat(prefix: string, marker: string | null, signal: AbortSignal): Promise<ContainerListBlobFlatSegmentResponse>;
  /** A page of the files and folders directly below a prefix. @throws SourceError */
  listFolder(prefix: string, marker: string | null, signal: AbortSignal): Promise<FolderPage<BlobItem>>;
}

/**
 * Reads a container through the guarded client.
 * @param address of the container, without a query
 * @param token in the form of a query string
 */
export function containerAt(address: string, token: string, client: SourceClient): Container {
  const { host } = new URL(address);
  // Azure's library binds its pipeline to the client, so each page has a client of its own, with its own signal.
  const clientFor = (signal: AbortSignal): ContainerClient =>
    new ContainerClient(
      `${address}?${token}`,
      newPipeline(new AnonymousCredential(), {
        httpClient: azureHttpClient(client, host, signal),
        retryOptions: { maxTries: 1 },
      }),
    );
  const paging = (marker: string | null) => ({
    maxPageSize: pageNames,
    ...(marker === null ? {} : { continuationToken: marker }),
  });
  const listing = (prefix: string, signal: AbortSignal) => ({
    ...(prefix === '' ? {} : { prefix }),
    abortSignal: signal,
  });
  return {
    async hasFolders(signal) {
      const answer = await requestWhole(client, new URL(`${address}?restype=account&comp=properties&${token}`), {
        headers: { 'x-ms-version': version },
        maxBytes: 65_536,
        signal,
      });
      if (answer.status === 200) return answer.header('x-ms-is-hns-enabled') === 'true';
      const failure = errorOfStatus(answer.status, 'the container');
      // The token may lack this permission: listing then reports any other problem.
      if (failure.reason === 'temporary') throw failure;
      return false;
    },
    listFlat: (prefix, marker, signal) =>
      firstOf(clientFor(signal).listBlobsFlat(listing(prefix, signal)).byPage(paging(marker)), signal),
    async listFolder(prefix, marker, signal) {
      const { segment, continuationToken } = await firstOf(
        clientFor(signal).listBlobsByHierarchy('/', listing(prefix, signal)).byPage(paging(marker)),
        signal,
      );
      const next = continuationToken ?? '';
      return {
        blobs: segment.blobItems,
        folders: (segment.blobPrefixes ?? []).map(({ name }) => name),
        marker: next === '' ? null : next,
      };
    },
  };
}

/** The first page of an iterator. @throws SourceError, the signal's reason */
async function firstOf<T>(pages: AsyncIterable<T>, signal: AbortSignal): Promise<T> {
  try {
    for await (const page of pages) return page;
  } catch (error) {
    signal.throwIfAborted();
    throw sourceErrorOf(error) ?? errorOfAnswer(error);
  }
  throw new SourceError('refused', 'the container sent no list');
}

/** Maps an error of the library. Its errors contain the address with the token, so they are not kept as the cause. */
function errorOfAnswer(error: unknown): SourceError {
  const status: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'statusCode') : undefined;
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
  if (typeof status !== 'number' || status < 300)
    return new SourceError('refused', 'the container sent an answer that cannot be read');
  return errorOfStatus(status, 'the container', typeof code === 'string' ? code : null);
}
