import { SignatureV4 } from '@smithy/signature-v4';
import { createHash, createHmac } from 'node:crypto';

/** The key to sign with. */
export interface S3Key {
  accessKeyId: string;
  secretAccessKey: string;
  region: string;
}

/** A digest in progress. */
interface Digest {
  update(piece: string | Uint8Array): unknown;
  digest(): Uint8Array;
}

/** SHA-256, or HMAC-SHA256 with a secret, with the interface of the signer. */
export class Sha256 {
  private readonly secret: string | ArrayBuffer | ArrayBufferView | undefined;
  private hash: Digest;
  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.secret = secret;
    this.hash = this.begin();
  }
  private begin(): Digest {
    if (this.secret === undefined) return createHash('sha256');
    return createHmac('sha256', typeof this.secret === 'string' ? this.secret : bytesOf(this.secret));
  }
  reset(): void {
    this.hash = this.begin();
  }
  update(piece: string | ArrayBuffer | ArrayBufferView): void {
    this.hash.update(typeof piece === 'string' ? piece : bytesOf(piece));
  }
  digest(): Promise<Uint8Array> {
    return Promise.resolve(this.hash.digest());
  }
}

function bytesOf(data: ArrayBuffer | ArrayBufferView): Uint8Array {
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}

/**
 * A presigned address to read an object (AWS Signature Version 4 in the query string). The path is signed unchanged: S3
 * neither normalizes nor encodes it again.
 * @param address the unsigned address, percent-encoded
 * @param at start of its validity, in milliseconds
 * @param seconds its validity
 */
export async function presignRead(address: string, key: S3Key, at: number, seconds: number): Promise<string> {
  const url = new URL(address);
  const signer = new SignatureV4({
    service: 's3',
    region: key.region,
    credentials: { accessKeyId: key.accessKeyId, secretAccessKey: key.secretAccessKey },
    sha256: Sha256,
    uriEscapePath: false,
    applyChecksum: false,
  });
  const signed = await signer.presign(
    {
      method: 'GET',
      protocol: url.protocol,
      hostname: url.hostname,
      ...(url.port === '' ? {} : { port: Number(url.port) }),
      path: url.pathname,
      query: {},
      headers: { host: url.host, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' },
    },
    { expiresIn: seconds, signingDate: new Date(at) },
  );
  const query = Object.entries(signed.query ?? {}).flatMap(([name, value]) =>
    typeof value === 'string' ? [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`] : [],
  );
  return `${url.href}?${query.join('&')}`;
}
