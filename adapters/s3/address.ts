/** A parsed address of a bucket of an S3-compatible store. */
export interface S3Address {
  /** Base address of the service. */
  endpoint: string;
  region: string;
  bucket: string;
  /** Prefix of every name; empty, or ending with a slash. */
  prefix: string;
  accessKeyId: string;
  secretAccessKey: string;
}

/**
 * Reads `s3://key:secret@host[:port]/bucket[/prefix]?region=...` (`s3+http` without TLS). Key and secret are
 * percent-encoded; the region defaults to `us-east-1`.
 * @param of what the bucket holds, for messages
 * @throws Error that names the missing part, without the secret
 */
export function parseS3Address(text: string, of = 'blobs'): S3Address {
  const url = new URL(text);
  if (url.protocol !== 's3:' && url.protocol !== 's3+http:')
    throw new Error(`the address of the ${of} begins with s3:// or s3+http://`);
  const [bucket = '', ...rest] = url.pathname.split('/').filter((part) => part !== '');
  if (url.host === '') throw new Error(`the address of the ${of} names no host`);
  if (!/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(bucket))
    throw new Error(`the address of the ${of} names no bucket: s3://key:secret@host/bucket`);
  if (url.username === '' || url.password === '')
    throw new Error(`the address of the ${of} has no key and secret: s3://key:secret@host/bucket`);
  return {
    endpoint: `${url.protocol === 's3:' ? 'https' : 'http'}://${url.host}`,
    region: url.searchParams.get('region') ?? 'us-east-1',
    bucket,
    prefix: rest.length === 0 ? '' : `${rest.join('/')}/`,
    accessKeyId: decodeURIComponent(url.username),
    secretAccessKey: decodeURIComponent(url.password),
  };
}
