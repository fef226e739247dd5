import type { Ambient } from '../../../models/ambient.ts';
import type { S3Config } from '../../../models/connector.ts';
import { compareBytes, filenameOf, isRegistrable, takeListed } from '../entries.ts';
import { SourceError, type Source, type SourceClient, type SourceEntry, type SourcePage } from '../port.ts';
import { addressOfKey, placeOfBucket, type BucketPlace } from './address.ts';
import type { Lister, ObjectPage } from './lister.ts';
import { presignRead } from './signing.ts';

/** Keys of a page: the most that S3 gives. */
const pageKeys = 1000;

/** Seconds for which an address to read from holds: enough to begin and to go on with a large file. */
const addressSeconds = 900;

/** What a bucket as a source is made from. */
export interface S3SourceOptions {
  config: S3Config;
  /** The secret access key. */
  secret: string;
  client: SourceClient;
  ambient: Pick<Ambient, 'now'>;
}

/**
 * A bucket of any S3-compatible store. A page's mark is its last key (`StartAfter`): unlike the tokens of a listing it
 * holds as long as it is kept.
 * @throws SourceError `refused` where the configuration names no usable place, `credential` where there is none
 */
export function openS3Source(options: S3SourceOptions): Source {
  const { config, client, ambient } = options;
  const place = placeOfBucket(config);
  const key = { accessKeyId: config.accessKeyId, secretAccessKey: options.secret, region: config.region === '' ? 'us-east-1' : config.region };
  if (config.accessKeyId === '' || options.secret === '') throw new SourceError('credential', 'the access key id or its secret is missing');
  // Signing needs nothing of the library, so reading files does not load it.
  let opened: Promise<Lister> | null = null;
  const lister = (): Promise<Lister> => (opened ??= import('./lister.ts').then(({ s3Lister }) => s3Lister(place, key, client)));

  return {
    async list(cursor, signal) {
      signal.throwIfAborted();
      const { list } = await lister();
      return pageOf(place, config.prefix, cursor, await list({ Prefix: config.prefix, MaxKeys: pageKeys, ...(cursor === null ? {} : { StartAfter: cursor }) }, signal));
    },
    async addressOf({ externalId }, signal) {
      signal.throwIfAborted();
      const address = externalId.startsWith(place.idPrefix) ? addressOfKey(place, externalId.slice(place.idPrefix.length)) : null;
      if (address === null) throw new SourceError('refused', 'the file is not one of this bucket');
      return { address: await presignRead(address, key, ambient.now(), addressSeconds), redirects: false, verified: false };
    },
    async close() {
      if (opened !== null) (await opened).close();
    },
  };
}

/** Reads a page, and checks that it goes on in order from where the last one ended. */
function pageOf(place: BucketPlace, prefix: string, cursor: string | null, { objects, isTruncated, isEncoded }: ObjectPage): SourcePage {
  const page: SourcePage = { entries: [], gaps: [], next: null };
  if (isTruncated === undefined) throw new SourceError('refused', 'the bucket does not say whether its list is complete');
  let last = cursor;
  for (const { key: written, etag, size: bytes } of objects) {
    const key = keyOf(written, isEncoded);
    if (key === null || !key.startsWith(prefix) || (last !== null && compareBytes(key, last) <= 0)) throw new SourceError('refused', 'the bucket lists keys that were not asked for, or not in order');
    last = key;
    takeListed(page, place.idPrefix + key, entryOf(place, key, etag, bytes));
  }
  if (isTruncated) {
    if (last === null || last === cursor) throw new SourceError('refused', 'the bucket says that more follows, and sends nothing');
    page.next = last;
  }
  return page;
}

/** A key as it is; null where it cannot be decoded, or is longer than any key. In lists `+` stands for a space. */
function keyOf(text: string, isEncoded: boolean): string | null {
  if (text === '') return null;
  try {
    const key = isEncoded ? decodeURIComponent(text.replaceAll('+', ' ')) : text;
    return Buffer.byteLength(key) <= 1024 ? key : null;
  } catch {
    return null; // Not UTF-8, which keys are by the protocol.
  }
}

function entryOf(place: BucketPlace, key: string, etag: string, bytes: number): SourceEntry | null {
  const sourceUrl = addressOfKey(place, key);
  if (sourceUrl === null || etag === '') return null;
  const sourceVersion = /^(W\/)?"/.test(etag) ? etag : `"${etag}"`;
  const entry: SourceEntry = {
    externalId: place.idPrefix + key, filename: filenameOf(key), sourceUrl, sourceVersion, bytes,
    // The MD5 of the content, or of the parts' MD5s; where the store encrypts it is another for each object, which only costs an indexing.
    contentId: `${sourceVersion}-${bytes}`, principals: null,
  };
  return isRegistrable(entry) ? entry : null;
}
