import type { S3Config } from '../../../models/connector.ts';
import { addressOfName, baseAddress, checkContainerName } from '../entries.ts';

/** Where a bucket is. */
export interface BucketPlace {
  /** Base address of the service, without a slash at its end. */
  endpoint: string;
  bucket: string;
  /** Whether the bucket stands in the path of an address, and not before its host. */
  isPathStyle: boolean;
  /** What the address of each object begins with; ends with a slash. */
  base: string;
  /** What the external id of each object begins with; ends with a slash. */
  idPrefix: string;
}

/** Services that refuse buckets in the path; all others take them, also for buckets whose names TLS could not verify before a host. */
const virtualHostOnly = /\.(aliyuncs\.com|myqcloud\.com)$/;

/** Where the bucket of a connector is. @throws SourceError `refused` */
export function placeOfBucket(config: S3Config): BucketPlace {
  const endpoint = baseAddress(config.endpoint);
  const bucket = checkContainerName(config.bucket);
  const url = new URL(endpoint);
  const isPathStyle = !virtualHostOnly.test(url.hostname);
  const base = isPathStyle ? `${endpoint}/${bucket}/` : `${url.protocol}//${bucket}.${url.host}/`;
  return { endpoint, bucket, isPathStyle, base, idPrefix: `s3:${url.host}/${bucket}/` };
}

/** The unsigned address of an object; null where there is none that leads to it. */
export function addressOfKey(place: BucketPlace, key: string): string | null {
  return addressOfName(place.base, key);
}
