import exec from 'k6/execution';
import { anyOf, askDoor, freshName, kindsBelow, statistics, withoutPause } from './common/ply.js';
import { signedHeaders } from './common/signing.js';

export { handleSummary } from './common/ply.js';

const KiB = 1024;
const small = 'x'.repeat(4 * KiB);
const large = 'y'.repeat(256 * KiB);
/** Bytes of a range. */
const rangeSize = 64 * KiB;

const credential = { accessKeyId: __ENV.S3_ACCESS_KEY_ID, secret: __ENV.S3_SECRET };
const host = (__ENV.S3_URL ?? '').replace(/^https?:\/\//, '');

/** Asks the S3 door. */
function s3(kind, method, path, { query = '', body, headers = {}, ...expected } = {}) {
  const signed = signedHeaders(method, { host, path, query }, credential);
  const address = `${__ENV.S3_URL}${path}${query === '' ? '' : `?${query}`}`;
  return askDoor(kind, method, address, { body, headers: { ...headers, ...signed }, ...expected });
}

/** Asks the Blob door, with the signature that the run has made for the account. */
function blob(kind, method, path, { query = '', ...given } = {}) {
  const address = `${__ENV.BLOB_URL}${path}?${query === '' ? '' : `${query}&`}${__ENV.BLOB_SAS}`;
  return askDoor(kind, method, address, given);
}

function s3Parts(kind, path) {
  const begun = s3(kind, 'POST', path, { query: 'uploads=' });
  const [, id] = /<UploadId>(.+)<\/UploadId>/.exec(begun.body) ?? [];
  const part = s3(kind, 'PUT', path, { query: `partNumber=1&uploadId=${id}`, body: large });
  const listed = `<Part><PartNumber>1</PartNumber><ETag>${part.headers['Etag']}</ETag></Part>`;
  s3(kind, 'POST', path, {
    query: `uploadId=${id}`,
    body: `<CompleteMultipartUpload>${listed}</CompleteMultipartUpload>`,
  });
}

function blobBlocks(kind, path) {
  blob(kind, 'PUT', path, { query: 'blockid=YQ%3D%3D&comp=block', body: large, status: 201 });
  const body = '<?xml version="1.0" encoding="utf-8"?><BlockList><Latest>YQ==</Latest></BlockList>';
  blob(kind, 'PUT', path, { query: 'comp=blocklist', body, status: 201 });
}

/** What clients do, by name: each takes the path of the bucket, and a key that nobody has used. */
const operations = {
  's3-put': (kind, bucket, key) => s3(kind, 'PUT', `${bucket}/${key}`, { body: small }),
  's3-get': (kind, bucket) => s3(kind, 'GET', `${bucket}/small`, { bytes: small.length }),
  's3-range': (kind, bucket) => {
    const from = Math.floor(Math.random() * (large.length - rangeSize));
    const headers = { Range: `bytes=${from}-${from + rangeSize - 1}` };
    s3(kind, 'GET', `${bucket}/large`, { headers, status: 206, bytes: rangeSize });
  },
  's3-list': (kind, bucket) => s3(kind, 'GET', bucket, { query: 'list-type=2&max-keys=100' }),
  's3-parts': (kind, bucket, key) => s3Parts(kind, `${bucket}/${key}`),
  's3-delete': (kind, bucket, key) => s3(kind, 'DELETE', `${bucket}/${key}`, { status: 204 }),
  // The signature of another path. It must stay refused under load as well.
  refused: (kind, bucket) => {
    const headers = signedHeaders('GET', { host, path: bucket, query: '' }, credential);
    askDoor(kind, 'GET', `${__ENV.S3_URL}${bucket}/small`, { headers, status: 403 });
  },
  'blob-put': (kind, bucket, key) =>
    blob(kind, 'PUT', `${bucket}/${key}`, { body: small, headers: { 'x-ms-blob-type': 'BlockBlob' }, status: 201 }),
  'blob-get': (kind, bucket) => blob(kind, 'GET', `${bucket}/small`, { bytes: small.length }),
  'blob-list': (kind, bucket) => blob(kind, 'GET', bucket, { query: 'comp=list&maxresults=100&restype=container' }),
  'blob-blocks': (kind, bucket, key) => blobBlocks(kind, `${bucket}/${key}`),
};

/**
 * Sixteen clients ask the S3 and the Blob door for everything that tools do, each as soon as it is answered. Measures how
 * many operations are done per second: an upload in parts is one, of three requests.
 */
export const options = {
  summaryTrendStats: statistics,
  scenarios: { clients: withoutPause },
  thresholds: {
    // A tool that copies many files waits for each of them, so a write, which is on disk before it is answered, must take
    // a fraction of a second even beside fifteen clients that never pause. The bound is the same for each kind: none of
    // them may be slow.
    ...kindsBelow(500, operations),
    // Sixteen clients are no overload: nothing may fail. 403 counts as expected where a wrong signature is sent.
    http_req_failed: ['rate==0'],
    // Every answer has the expected status and the bytes that were asked for, and no wrong signature is let in.
    checks: ['rate==1'],
  },
};

/** Makes a bucket with the objects that are read. */
export function setup() {
  const bucket = `/${freshName('doors')}`;
  s3('first', 'PUT', bucket);
  s3('first', 'PUT', `${bucket}/small`, { body: small });
  s3('first', 'PUT', `${bucket}/large`, { body: large });
  return bucket;
}

export default function (bucket) {
  const kind = anyOf(Object.keys(operations));
  operations[kind](kind, bucket, `${exec.vu.idInTest}-${exec.vu.iterationInInstance}`);
}
