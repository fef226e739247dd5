import { SignatureV4 } from '@smithy/signature-v4';
import { Client } from 'undici';
import { Sha256 } from '../../adapters/sources/s3/signing.ts';

/** An S3 server of the bench. */
export interface S3Side {
  name: string;
  /** Base address, without a slash at its end. */
  url: string;
  accessKeyId: string;
  secretAccessKey: string;
}

/** A request of the bench. */
export interface S3Request {
  method: 'GET' | 'PUT' | 'POST';
  /** The path with the bucket, without a query. */
  path: string;
  query?: { readonly [name: string]: string };
  body?: Buffer;
  /** Headers beside the signed ones. */
  headers?: { readonly [name: string]: string };
}

/** Targets of requests, signed in advance, so that signing is no part of what is measured. */
export async function presigned(side: S3Side, requests: readonly S3Request[]): Promise<string[]> {
  const { hostname, port, host } = new URL(side.url);
  const signer = new SignatureV4({
    service: 's3',
    region: 'us-east-1',
    credentials: side,
    sha256: Sha256,
    uriEscapePath: false,
    applyChecksum: false,
  });
  const targets: string[] = [];
  for (const { method, path, query = {} } of requests) {
    const signed = await signer.presign(
      {
        method,
        protocol: 'http:',
        hostname,
        port: Number(port),
        path,
        query: { ...query },
        headers: { host, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' },
      },
      { expiresIn: 3600 },
    );
    const search = Object.entries(signed.query ?? {}).map(
      ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`,
    );
    targets.push(`${path}?${search.join('&')}`);
  }
  return targets;
}

/**
 * Sends all requests by a number of clients, each with a connection of its own and one request at a time.
 * @returns seconds. @throws where an answer is not 2xx
 */
export async function send(side: S3Side, clients: number, requests: readonly S3Request[]): Promise<number> {
  const targets = await presigned(side, requests);
  const connections = Array.from({ length: clients }, () => new Client(side.url, { pipelining: 1, bodyTimeout: 0 }));
  let next = 0;
  const began = performance.now();
  try {
    await Promise.all(
      connections.map(async (connection) => {
        for (let at = next++; at < requests.length; at = next++) {
          const { method, body, headers = {} } = requests[at] ?? { method: 'GET' };
          const answer = await connection.request({
            method,
            path: targets[at] ?? '/',
            headers,
            ...(body === undefined ? {} : { body }),
          });
          if (answer.statusCode >= 300)
            throw new Error(`${side.name} answered ${answer.statusCode}: ${(await answer.body.text()).slice(0, 300)}`);
          let received = 0;
          for await (const piece of answer.body) received += Buffer.isBuffer(piece) ? piece.length : 0;
          if (received !== Number(answer.headers['content-length'] ?? received))
            throw new Error(`${side.name} sent ${received} bytes`);
        }
      }),
    );
    return (performance.now() - began) / 1000;
  } finally {
    await Promise.all(connections.map((connection) => connection.destroy()));
  }
}
