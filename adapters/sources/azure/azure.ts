import { AnonymousCredential, ContainerClient, newPipeline, type BlobItem, type ContainerListBlobFlatSegmentResponse } from '@azure/storage-blob';
import type { AzureBlobConfig } from '../../../models/connector.ts';
import { addressOfName, baseAddress, checkContainerName, compareBytes, isRegistrable, unusable } from '../entries.ts';
import { SourceError, type Source, type SourceClient, type SourceEntry, type SourcePage } from '../port.ts';
import { errorOfStatus, sourceErrorOf } from '../requests.ts';
import { azureHttpClient } from './http-client.ts';
import { readMark, writeMark, type Mark } from './mark.ts';

const pageNames = 1000;

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
 * A container of Azure Blob Storage, read with a shared access signature.
 * @throws SourceError `refused` where the configuration names no usable place, `credential` where the token is none
 */
export function openAzureSource(options: AzureSourceOptions): Source {
  const { config, client } = options;
  const service = baseAddress(config.blobService);
  const { host } = new URL(service);
  const container = checkContainerName(config.container);
  const base = `${service}/${container}/`;
  const place = { base, idPrefix: `azure:${host}/${container}/`, prefix: config.prefix };
  const token = options.token.replace(/^\?/, '');
  if (!/^[\x21-\x22\x24-\x7e]+$/.test(token)) throw new SourceError('credential', 'the credential is no shared access signature as it stands in a query string');

  async function listFrom(marker: string | null, signal: AbortSignal): Promise<ContainerListBlobFlatSegmentResponse> {
    // Azure's library keeps its pipeline with its client, so each page has its own, with its own signal.
    const pipeline = newPipeline(new AnonymousCredential(), { httpClient: azureHttpClient(client, host, signal), retryOptions: { maxTries: 1 } });
    const pages = new ContainerClient(`${service}/${container}?${token}`, pipeline)
      .listBlobsFlat({ ...(config.prefix === '' ? {} : { prefix: config.prefix }), abortSignal: signal })
      .byPage({ maxPageSize: pageNames, ...(marker === null ? {} : { continuationToken: marker }) });
    try {
      for await (const page of pages) return page;
    } catch (error) {
      signal.throwIfAborted();
      throw sourceErrorOf(error) ?? errorOfAnswer(error);
    }
    throw new SourceError('refused', 'the container sent no list');
  }

  return {
    async list(cursor, signal) {
      signal.throwIfAborted();
      const mark = readMark(cursor);
      return pageOf(place, mark, await listFrom(mark.marker, signal));
    },
    async addressOf({ externalId }, signal) {
      signal.throwIfAborted();
      const address = externalId.startsWith(place.idPrefix) ? addressOfName(base, externalId.slice(place.idPrefix.length)) : null;
      if (address === null) throw new SourceError('refused', 'the file is not one of this container');
      return { address: `${address}?${token}`, redirects: false, verified: false };
    },
    async close() {},
  };
}

/** The failure that the library's error is. Its errors hold the address with the token, so they are not handed on. */
function errorOfAnswer(error: unknown): SourceError {
  const status: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'statusCode') : undefined;
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined;
  if (typeof status !== 'number' || status < 300) return new SourceError('refused', 'the container sent an answer that cannot be read');
  return errorOfStatus(status, 'the container', typeof code === 'string' ? code : null);
}

/** Reads a page, and checks that it goes on in order from where the last one ended. */
function pageOf(place: { base: string; idPrefix: string; prefix: string }, mark: Mark, answer: ContainerListBlobFlatSegmentResponse): SourcePage {
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
    if (name.endsWith('/') && blob.properties.contentLength === 0) continue; // The mark of a folder.
    const entry = entryOf(place, blob);
    if (entry === null) page.gaps.push(unusable(place.idPrefix + name));
    else page.entries.push(entry);
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

function entryOf({ base, idPrefix }: { base: string; idPrefix: string }, blob: BlobItem): SourceEntry | null {
  const { name, properties } = blob;
  const sourceUrl = addressOfName(base, name);
  // Lists have the ETag without the quotes that answers have around it.
  const etag = properties.etag ?? '';
  if (sourceUrl === null || etag === '') return null;
  const bytes = properties.contentLength ?? -1;
  const md5 = properties.contentMD5;
  const entry: SourceEntry = {
    externalId: idPrefix + name, filename: name.slice(name.lastIndexOf('/') + 1), sourceUrl, sourceVersion: /^(W\/)?"/.test(etag) ? etag : `"${etag}"`, bytes,
    // Content that came in blocks has no digest, unless its writer gave one.
    contentId: md5 === undefined || md5.byteLength === 0 ? null : `${Buffer.from(md5).toString('base64')}-${bytes}`,
    principals: null,
  };
  return isRegistrable(entry) ? entry : null;
}
