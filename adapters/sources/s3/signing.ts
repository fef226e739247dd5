import { SignatureV4 } from '@smithy/signature-v4';
import { createHash, createHmac } from 'node:crypto';

/** Whose key signs. */
export interface S3Key {
  accessKeyId: string;
  secretAccessKey: string;
  region: string;
}

/** A digest that is being made. */
interface Digest {
  update(piece: string | Uint8Array): unknown;
  digest(): Uint8Array;
}

/** SHA-256, and its HMAC with a secret, in the shape that the signer asks for. */
class Sha256 {
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
  return ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : new Uint8Array(data);
}

/**
 * An address that reads an object for a while (AWS Signature Version 4 in the query string). The path is signed as it is
 * written: S3 neither normalises nor encodes it again.
 * @param address the unsigned address, percent-encoded
 * @param at milliseconds, when it begins to hold
 * @param seconds how long it holds
 */
export async function presignRead(address: string, key: S3Key, at: number, seconds: number): Promise<string> {
  const url = new URL(address);
  const signer = new SignatureV4({ service: 's3', region: key.region, credentials: { accessKeyId: key.accessKeyId, secretAccessKey: key.secretAccessKey }, sha256: Sha256, uriEscapePath: false, applyChecksum: false });
  const signed = await signer.presign(
    { method: 'GET', protocol: url.protocol, hostname: url.hostname, ...(url.port === '' ? {} : { port: Number(url.port) }), path: url.pathname, query: {}, headers: { host: url.host, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' } },
    { expiresIn: seconds, signingDate: new Date(at) },
  );
  const query = Object.entries(signed.query ?? {}).flatMap(([name, value]) => (typeof value === 'string' ? [`${encodeURIComponent(name)}=${encodeURIComponent(value)}`] : []));
  return `${url.href}?${query.join('&')}`;
}
