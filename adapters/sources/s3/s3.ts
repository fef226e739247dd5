import type { Runtime } from '../../../models/runtime.ts';
import type { S3Config } from '../../../models/connector.ts';
import { compareBytes, filenameOf, isRegistrable, addListed } from '../entries.ts';
import { SourceError, type Source, type SourceClient, type SourceEntry, type SourcePage } from '../port.ts';
import { addressOfKey, bucketLocation, type BucketLocation } from './address.ts';
import type { Lister, ObjectPage } from './lister.ts';
import { presignRead } from './signing.ts';

/** Keys of a page: the maximum of S3. */
const pageKeys = 1000;

/** Validity of a presigned address in seconds: enough to start, and to resume, a large file. */
const addressSeconds = 900;

/** Options to open a bucket as a source. */
export interface S3SourceOptions {
  config: S3Config;
  /** The secret access key. */
  secret: string;
  client: SourceClient;
  runtime: Pick<Runtime, 'now'>;
}

/**
 * A bucket of any S3-compatible store. The cursor is the last key of a page (`StartAfter`), which does not expire as
 * continuation tokens do.
 * @throws SourceError `refused` for an invalid configuration, `credential` for a missing credential
 */
export function openS3Source(options: S3SourceOptions): Source {
  const { config, client, runtime } = options;
  const location = bucketLocation(config);
  const key = {
    accessKeyId: config.accessKeyId,
    secretAccessKey: options.secret,
    region: config.region === '' ? 'us-east-1' : config.region,
  };
  if (config.accessKeyId === '' || options.secret === '')
    throw new SourceError('credential', 'the access key id or its secret is missing');
  // Presigning does not need the lister, so reading files does not load the library.
  let opened: Promise<Lister> | null = null;
  const lister = (): Promise<Lister> =>
    (opened ??= import('./lister.ts').then(({ s3Lister }) => s3Lister(location, key, client)));

  return {
    async list(cursor, signal) {
      signal.throwIfAborted();
      const { list } = await lister();
      return pageOf(
        location,
        config.prefix,
        cursor,
        await list(
          { Prefix: config.prefix, MaxKeys: pageKeys, ...(cursor === null ? {} : { StartAfter: cursor }) },
          signal,
        ),
      );
    },
    async addressOf({ externalId }, signal) {
      signal.throwIfAborted();
      const address = externalId.startsWith(location.idPrefix)
        ? addressOfKey(location, externalId.slice(location.idPrefix.length))
        : null;
      if (address === null) throw new SourceError('refused', 'the file is not one of this bucket');
      return {
        address: await presignRead(address, key, runtime.now(), addressSeconds),
        redirects: false,
        verified: false,
      };
    },
    async close() {
      if (opened !== null) (await opened).close();
    },
  };
}

/** Reads a page, and checks that its keys are in order and follow those of the page before. */
function pageOf(
  location: BucketLocation,
  prefix: string,
  cursor: string | null,
  { objects, isTruncated, isEncoded }: ObjectPage,
): SourcePage {
  const page: SourcePage = { entries: [], gaps: [], next: null };
  if (isTruncated === undefined)
    throw new SourceError('refused', 'the bucket does not report whether its list is complete');
  let last = cursor;
  for (const { key: written, etag, size: bytes } of objects) {
    const key = keyOf(written, isEncoded);
    if (key === null || !key.startsWith(prefix) || (last !== null && compareBytes(key, last) <= 0))
      throw new SourceError('refused', 'the bucket lists keys that were not requested, or not in order');
    last = key;
    addListed(page, location.idPrefix + key, entryOf(location, key, etag, bytes));
  }
  if (isTruncated) {
    if (last === null || last === cursor)
      throw new SourceError('refused', 'the bucket announces further keys without sending any');
    page.next = last;
  }
  return page;
}

/** The decoded key; null if it cannot be decoded or is too long. In lists `+` is an encoded space. */
function keyOf(text: string, isEncoded: boolean): string | null {
  if (text === '') return null;
  try {
    const key = isEncoded ? decodeURIComponent(text.replaceAll('+', ' ')) : text;
    return Buffer.byteLength(key) <= 1024 ? key : null;
  } catch {
    return null; // Not UTF-8, which the protocol requires.
  }
}

function entryOf(location: BucketLocation, key: string, etag: string, bytes: number): SourceEntry | null {
  const sourceUrl = addressOfKey(location, key);
  if (sourceUrl === null || etag === '') return null;
  const sourceVersion = /^(W\/)?"/.test(etag) ? etag : `"${etag}"`;
  const entry: SourceEntry = {
    externalId: location.idPrefix + key,
    filename: filenameOf(key),
    sourceUrl,
    sourceVersion,
    bytes,
    // The MD5 of the content, or of the MD5s of its parts. An encrypting store has another value for each object, which
    // only costs indexing it again.
    contentId: `${sourceVersion}-${bytes}`,
    principals: null,
  };
  return isRegistrable(entry) ? entry : null;
}
