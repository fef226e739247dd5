import { createHash, createHmac, type KeyObject } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { emptyHash, scopeText, signatureOf, signingKey, stringToSign } from '../../services/s3/auth/canonical.ts';
import type { NewCredentialView } from '../../models/storage-credential.ts';

/*
 * Requests of S3 clients as the bytes that they send: signed by header, in links, in forms, and chunk by chunk.
 */

/** What every write of an object writes. */
export const theBody = 'the body';
/** The metadata of what is written with a signature of its own. */
export const theMetadata = { a: 'b' };

type Pairs = readonly (readonly [name: string, value: string])[];

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const base64Of = (bytes: string | Buffer): string => Buffer.from(bytes).toString('base64');

/** The CRC32 of a text as headers have it. */
function crc32Of(text: string): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(text));
  return bytes.toString('base64');
}

/** A request that is to be signed. */
interface Unsigned {
  method: string;
  path: string;
  query?: Pairs;
  headers?: Pairs;
  body?: string;
}

/** A framing of a body in chunks. */
type Framing = 'STREAMING-AWS4-HMAC-SHA256-PAYLOAD' | `STREAMING-${'UNSIGNED' | 'AWS4-HMAC-SHA256'}-PAYLOAD-TRAILER`;

/** Signs requests of one credential, at the time that it is made. */
export class RequestSigner {
  readonly #key: Pick<NewCredentialView, 'accessKeyId' | 'secret'>;
  readonly #host: string;
  readonly #time = new Date().toISOString().replace(/[-:]|\.\d{3}/g, '');
  readonly #scope = { day: this.#time.slice(0, 8), region: 'auto' };

  constructor(endpoint: string, key: Pick<NewCredentialView, 'accessKeyId' | 'secret'>) {
    this.#host = new URL(endpoint).host;
    this.#key = key;
  }

  get #signingKey(): KeyObject {
    return signingKey(this.#key.secret, this.#scope);
  }

  /** A request that is signed by its header. */
  byHeader({ body = '', ...request }: Unsigned): Buffer {
    return this.#sent(request, sha256(body), () => body);
  }

  /** A write whose body is sent in one chunk and an empty one. */
  inChunks(request: Omit<Unsigned, 'body'>, framing: Framing): Buffer {
    const isSigned = framing.includes('AWS4');
    const hasTrailer = framing.endsWith('-TRAILER');
    const headers: Pairs = [
      ...(request.headers ?? []),
      ['x-amz-decoded-content-length', String(theBody.length)],
      ['content-encoding', 'aws-chunked'],
      ...(hasTrailer ? [['x-amz-trailer', 'x-amz-checksum-crc32'] as const] : []),
    ];
    const bodyOf = (seed: string): string => {
      let previous = seed;
      const sign = (kind: string, ...hashes: string[]): string => {
        const text = [`AWS4-HMAC-SHA256-${kind}`, this.#time, scopeText(this.#scope), previous, ...hashes].join('\n');
        previous = signatureOf(this.#signingKey, text);
        return previous;
      };
      const head = (chunk: string): string =>
        `${chunk.length.toString(16)}${isSigned ? `;chunk-signature=${sign('PAYLOAD', emptyHash, sha256(chunk))}` : ''}\r\n`;
      const chunks = `${head(theBody)}${theBody}\r\n${head('')}`;
      if (!hasTrailer) return `${chunks}\r\n`;
      const line = `x-amz-checksum-crc32:${crc32Of(theBody)}`;
      const signature = isSigned ? `x-amz-trailer-signature:${sign('TRAILER', sha256(`${line}\n`))}\r\n` : '';
      return `${chunks}${line}\r\n${signature}\r\n`;
    };
    return this.#sent({ ...request, headers }, framing, bodyOf);
  }

  /** A request that is signed in its address. */
  byLink({ method, path, query = [], body = '' }: Unsigned): Buffer {
    const signed: Pairs = [
      ...query,
      ['X-Amz-Algorithm', 'AWS4-HMAC-SHA256'],
      ['X-Amz-Credential', `${this.#key.accessKeyId}/${scopeText(this.#scope)}`],
      ['X-Amz-Date', this.#time],
      ['X-Amz-Expires', '3600'],
      ['X-Amz-SignedHeaders', 'host'],
    ];
    const parts = {
      method,
      path,
      query: signed,
      headers: [['host', this.#host]],
      payload: 'UNSIGNED-PAYLOAD',
    } as const;
    const signature = signatureOf(this.#signingKey, stringToSign(this.#time, this.#scope, parts));
    return written(method, path, [...signed, ['X-Amz-Signature', signature]], [['host', this.#host]], body);
  }

  /** A form that writes the file under a key. */
  byForm(path: string, bucket: string, key: string): Buffer {
    const signed = {
      key,
      'x-amz-algorithm': 'AWS4-HMAC-SHA256',
      'x-amz-credential': `${this.#key.accessKeyId}/${scopeText(this.#scope)}`,
      'x-amz-date': this.#time,
    };
    const conditions = [
      { bucket },
      ['content-length-range', theBody.length, theBody.length],
      ...Object.entries(signed).map(([name, value]) => ({ [name]: value })),
    ];
    const policy = base64Of(JSON.stringify({ expiration: new Date(Date.now() + 3_600_000).toISOString(), conditions }));
    const signature = createHmac('sha256', this.#signingKey).update(policy).digest('hex');
    const fields = Object.entries({ ...signed, policy, 'x-amz-signature': signature }).map(
      ([name, value]) => `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
    );
    const file = `--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n${theBody}\r\n--b--\r\n`;
    const headers: Pairs = [
      ['host', this.#host],
      ['content-type', 'multipart/form-data; boundary=b'],
    ];
    return written('POST', path, [], headers, fields.join('') + file);
  }

  #sent(
    { method, path, query = [], headers = [] }: Omit<Unsigned, 'body'>,
    payload: string,
    bodyOf: (signature: string) => string,
  ): Buffer {
    const all = (
      [['host', this.#host], ['x-amz-content-sha256', payload], ['x-amz-date', this.#time], ...headers] as Pairs
    ).toSorted(([one], [other]) => (one < other ? -1 : 1));
    const parts = { method, path, query, headers: all, payload };
    const signature = signatureOf(this.#signingKey, stringToSign(this.#time, this.#scope, parts));
    const names = all.map(([name]) => name).join(';');
    const authorization = `AWS4-HMAC-SHA256 Credential=${this.#key.accessKeyId}/${scopeText(this.#scope)}, SignedHeaders=${names}, Signature=${signature}`;
    return written(method, path, query, [...all, ['authorization', authorization]], bodyOf(signature));
  }
}

/** A request as bytes. */
function written(method: string, path: string, query: Pairs, headers: Pairs, body: string): Buffer {
  const search = query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&');
  const lines = [
    `${method} ${path}${search === '' ? '' : `?${search}`} HTTP/1.1`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ];
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body}`);
}
