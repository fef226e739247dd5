import crypto from 'k6/crypto';

const region = 'us-east-1';
const payload = 'UNSIGNED-PAYLOAD';
const names = 'host;x-amz-content-sha256;x-amz-date';

/** The key that requests of a day are signed with, by day. */
const keys = {};

function keyOf(day, secret) {
  keys[day] ??= [region, 's3', 'aws4_request'].reduce(
    (key, text) => crypto.hmac('sha256', key, text, 'binary'),
    crypto.hmac('sha256', `AWS4${secret}`, day, 'binary'),
  );
  return keys[day];
}

/**
 * The headers of a request to an S3 server that sign it by Signature Version 4
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html). The body is not part of what is signed.
 * @param {string} method
 * @param {{ host: string, path: string, query: string }} target the path and the query as they are sent: encoded, the
 *   query in the order of its names, each with an equals sign
 * @param {{ accessKeyId: string, secret: string }} credential
 */
export function signedHeaders(method, { host, path, query }, { accessKeyId, secret }) {
  const time = new Date().toISOString().replace(/[-:]|\.\d{3}/g, '');
  const day = time.slice(0, 8);
  const scope = `${day}/${region}/s3/aws4_request`;
  const headers = `host:${host}\nx-amz-content-sha256:${payload}\nx-amz-date:${time}\n`;
  const request = crypto.sha256([method, path, query, headers, names, payload].join('\n'), 'hex');
  const text = ['AWS4-HMAC-SHA256', time, scope, request].join('\n');
  const signature = crypto.hmac('sha256', keyOf(day, secret), text, 'hex');
  return {
    'x-amz-content-sha256': payload,
    'x-amz-date': time,
    Authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  };
}
