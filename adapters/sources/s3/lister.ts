import { ListObjectsV2Command, S3Client, type ListObjectsV2CommandInput } from '@aws-sdk/client-s3';
import { SourceError, type SourceClient } from '../port.ts';
import { ask, errorOfStatus, sourceErrorOf } from '../requests.ts';
import type { BucketPlace } from './address.ts';
import { ListParser, type ListedObject } from './list-parser.ts';
import type { S3Key } from './signing.ts';

/** A page has 1,000 keys of 1,024 bytes at most, each byte written with three, and some hundred bytes beside each. */
const maxPageBytes = 8 * 2 ** 20;

/** A page of a bucket. */
export interface ObjectPage {
  objects: ListedObject[];
  /** Whether more follows; undefined where the bucket does not tell. */
  isTruncated: boolean | undefined;
  /** Whether keys are percent-encoded. */
  isEncoded: boolean;
}

/** Lists a bucket through the S3 library. */
export interface Lister {
  /** One page. @throws SourceError, or what aborts the signal */
  list(which: Pick<ListObjectsV2CommandInput, 'Prefix' | 'MaxKeys' | 'StartAfter'>, signal: AbortSignal): Promise<ObjectPage>;
  close(): void;
}

/** Opens the library for one bucket. */
export function s3Lister(place: BucketPlace, key: S3Key, client: SourceClient): Lister {
  const library = s3Client(place, key, client);
  return {
    async list(which, signal) {
      try {
        const options: CallOptions = { abortSignal: signal, list: new ListParser() };
        const { IsTruncated: isTruncated, EncodingType: encoding } = await library.send(new ListObjectsV2Command({ Bucket: place.bucket, EncodingType: 'url', ...which }), options);
        return { objects: options.list.objects, isTruncated, isEncoded: encoding === 'url' };
      } catch (error) {
        signal.throwIfAborted();
        throw sourceErrorOf(error) ?? errorOfAnswer(error);
      }
    },
    close: () => library.destroy(),
  };
}

/** The failure that the library's error is: by the status of the answer, or an answer that is no XML. */
function errorOfAnswer(error: unknown): SourceError {
  const metadata = propertyOf(error, '$metadata');
  const status = propertyOf(metadata, 'httpStatusCode');
  const name = propertyOf(error, 'name');
  // The library's errors hold the request and what came back, so they are not handed on.
  if (typeof status !== 'number' || status < 300) return new SourceError('refused', 'the bucket sent an answer that cannot be read');
  return errorOfStatus(status, 'the bucket', typeof name === 'string' ? name : null);
}

function propertyOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/** A request as the client library makes it. */
interface LibraryRequest {
  method: string;
  protocol: string;
  hostname: string;
  port?: number;
  path: string;
  query?: Record<string, string | string[] | null>;
  headers: Record<string, string>;
}

/** What a call hands to the handler of its request: the library passes its options on as they are. */
interface CallOptions {
  abortSignal: AbortSignal;
  /** Takes the objects out of the answer before the library reads it. */
  list: ListParser;
}

/**
 * The client of the S3 library, all of whose requests go through the guarded client: to the connector's own host alone, once,
 * with the connector's own key. It looks nothing up in files, variables or the metadata of a cloud.
 */
function s3Client(place: BucketPlace, key: S3Key, client: SourceClient): S3Client {
  const { host } = new URL(place.base);
  const requestHandler = {
    handle: async (request: LibraryRequest, options: Partial<CallOptions> = {}) => {
      const url = addressOf(request);
      if (url.host !== host) throw new SourceError('refused', 'the request would have gone to another host');
      const { abortSignal: signal, list } = options;
      if (request.method !== 'GET' || signal === undefined || list === undefined) throw new SourceError('refused', 'only lists that can be called off are asked for');
      const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => name.toLowerCase() !== 'host'));
      return ask(client, url, { method: 'GET', headers, maxBytes: maxPageBytes, signal }, async ({ status, body }) => {
        const pieces: Uint8Array[] = [];
        for await (const piece of body) {
          if (status === 200) list.write(piece);
          else pieces.push(piece);
        }
        if (status >= 300 && status < 400) throw errorOfStatus(status, 'the bucket');
        if (status === 200) list.end();
        return { response: { statusCode: status, headers: { 'content-type': 'application/xml' }, body: status === 200 ? Buffer.from(list.remainder) : Buffer.concat(pieces) } };
      });
    },
  };
  return new S3Client({
    endpoint: place.endpoint,
    region: key.region,
    credentials: { accessKeyId: key.accessKeyId, secretAccessKey: key.secretAccessKey },
    forcePathStyle: place.isPathStyle,
    requestHandler,
    maxAttempts: 1,
    retryMode: 'standard',
    defaultsMode: 'standard',
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    disableS3ExpressSessionAuth: true,
    useArnRegion: false,
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
    authSchemePreference: ['sigv4'],
    sigv4aSigningRegionSet: [key.region],
    userAgentAppId: async () => undefined,
  });
}

function addressOf({ protocol, hostname, port, path, query = {} }: LibraryRequest): URL {
  const parameters = Object.entries(query).flatMap(([name, value]) => (value === null ? [encodeURIComponent(name)] : [value].flat().map((one) => `${encodeURIComponent(name)}=${encodeURIComponent(one)}`)));
  return new URL(`${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}?${parameters.join('&')}`);
}
