import { ListObjectsV2Command, S3Client, type ListObjectsV2CommandInput } from '@aws-sdk/client-s3';
import { SourceError, type SourceClient } from '../port.ts';
import { errorOfStatus, sendRequest, sourceErrorOf } from '../requests.ts';
import type { BucketLocation } from './address.ts';
import { ListParser, type ListedObject } from './list-parser.ts';
import type { S3Key } from './signing.ts';

/** A page has at most 1,000 keys of 1,024 bytes, each byte encoded as three, with some hundred bytes of fields each. */
const maxPageBytes = 8 * 2 ** 20;

/** A page of a bucket. */
export interface ObjectPage {
  objects: ListedObject[];
  /** Whether more follows; undefined if the list does not contain it. */
  isTruncated: boolean | undefined;
  /** Whether keys are percent-encoded. */
  isEncoded: boolean;
}

/** Lists a bucket through the S3 library. */
export interface Lister {
  /** One page. @throws SourceError, or the signal's reason */
  list(
    which: Pick<ListObjectsV2CommandInput, 'Prefix' | 'MaxKeys' | 'StartAfter'>,
    signal: AbortSignal,
  ): Promise<ObjectPage>;
  close(): void;
}

/** Creates a lister of one bucket. */
export function s3Lister(location: BucketLocation, key: S3Key, client: SourceClient): Lister {
  const library = s3Client(location, key, client);
  return {
    async list(which, signal) {
      try {
        const options: CallOptions = { abortSignal: signal, list: new ListParser() };
        const { IsTruncated: isTruncated, EncodingType: encoding } = await library.send(
          new ListObjectsV2Command({ Bucket: location.bucket, EncodingType: 'url', ...which }),
          options,
        );
        return { objects: options.list.objects, isTruncated, isEncoded: encoding === 'url' };
      } catch (error) {
        signal.throwIfAborted();
        throw sourceErrorOf(error) ?? errorOfAnswer(error);
      }
    },
    close: () => library.destroy(),
  };
}

/** Maps an error of the library, by the status of the answer. */
function errorOfAnswer(error: unknown): SourceError {
  const metadata = propertyOf(error, '$metadata');
  const status = propertyOf(metadata, 'httpStatusCode');
  const name = propertyOf(error, 'name');
  // The library's errors contain the request and the answer, so they are not kept as the cause.
  if (typeof status !== 'number' || status < 300)
    return new SourceError('refused', 'the bucket sent an answer that cannot be read');
  return errorOfStatus(status, 'the bucket', typeof name === 'string' ? name : null);
}

function propertyOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}

/** A request of the S3 library. */
interface LibraryRequest {
  method: string;
  protocol: string;
  hostname: string;
  port?: number;
  path: string;
  query?: Record<string, string | string[] | null>;
  headers: Record<string, string>;
}

/** Options of a call, which the library passes to the request handler unchanged. */
interface CallOptions {
  abortSignal: AbortSignal;
  /** Parses the objects of the answer before the library parses the rest. */
  list: ListParser;
}

/**
 * An S3 client whose requests all use the guarded client: only to the connector's own host, without retries, with the
 * connector's own key. It reads no configuration from files, environment variables or cloud metadata.
 */
function s3Client(location: BucketLocation, key: S3Key, client: SourceClient): S3Client {
  const { host } = new URL(location.base);
  const requestHandler = {
    handle: async (request: LibraryRequest, options: Partial<CallOptions> = {}) => {
      const url = addressOf(request);
      if (url.host !== host) throw new SourceError('refused', 'the request would have gone to another host');
      const { abortSignal: signal, list } = options;
      if (request.method !== 'GET' || signal === undefined || list === undefined)
        throw new SourceError('refused', 'only abortable list requests are sent');
      const headers = Object.fromEntries(
        Object.entries(request.headers).filter(([name]) => name.toLowerCase() !== 'host'),
      );
      return sendRequest(
        client,
        url,
        { method: 'GET', headers, maxBytes: maxPageBytes, signal },
        async ({ status, body }) => {
          const pieces: Uint8Array[] = [];
          for await (const piece of body) {
            if (status === 200) list.write(piece);
            else pieces.push(piece);
          }
          if (status >= 300 && status < 400) throw errorOfStatus(status, 'the bucket');
          if (status === 200) list.end();
          return {
            response: {
              statusCode: status,
              headers: { 'content-type': 'application/xml' },
              body: status === 200 ? Buffer.from(list.remainder) : Buffer.concat(pieces),
            },
          };
        },
      );
    },
  };
  return new S3Client({
    endpoint: location.endpoint,
    region: key.region,
    credentials: { accessKeyId: key.accessKeyId, secretAccessKey: key.secretAccessKey },
    forcePathStyle: location.isPathStyle,
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
  const parameters = Object.entries(query).flatMap(([name, value]) =>
    value === null
      ? [encodeURIComponent(name)]
      : [value].flat().map((one) => `${encodeURIComponent(name)}=${encodeURIComponent(one)}`),
  );
  return new URL(`${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}?${parameters.join('&')}`);
}
