import type { S3Config } from '../../../models/connector.ts';
import { addressOfName, baseAddress, checkContainerName } from '../entries.ts';

/** The location of a bucket. */
export interface BucketLocation {
  /** Base address of the service, without a trailing slash. */
  endpoint: string;
  bucket: string;
  /** Whether addresses contain the bucket in the path (path style) and not in the host name (virtual-hosted style). */
  isPathStyle: boolean;
  /** Prefix of the objects' addresses, with a trailing slash. */
  base: string;
  /** Prefix of the objects' external ids, with a trailing slash. */
  idPrefix: string;
}

/**
 * Services without path-style addresses. All others support them, and with them bucket names that TLS certificates do
 * not cover in the host name.
 */
const virtualHostOnly = /\.(aliyuncs\.com|myqcloud\.com)$/;

/** The location of a connector's bucket. @throws SourceError `refused` */
export function bucketLocation(config: S3Config): BucketLocation {
  const endpoint = baseAddress(config.endpoint);
  const bucket = checkContainerName(config.bucket);
  const url = new URL(endpoint);
  const isPathStyle = !virtualHostOnly.test(url.hostname);
  const base = isPathStyle ? `${endpoint}/${bucket}/` : `${url.protocol}//${bucket}.${url.host}/`;
  return { endpoint, bucket, isPathStyle, base, idPrefix: `s3:${url.host}/${bucket}/` };
}

/** The unsigned address of an object; null if no address names it. */
export function addressOfKey(location: BucketLocation, key: string): string | null {
  return addressOfName(location.base, key);
}
