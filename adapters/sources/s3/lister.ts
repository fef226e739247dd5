import { ListObjectsV2Command, S3Client, type ListObjectsV2CommandInput, type ListObjectsV2CommandOutput } from '@aws-sdk/client-s3';
import { SourceError, type SourceClient } from '../port.ts';
import { askWhole, errorOfStatus, sourceErrorOf } from '../requests.ts';
import type { BucketPlace } from './address.ts';
import type { S3Key } from './signing.ts';

/** A page has 1,000 keys of 1,024 bytes at most, each byte written with three, and some hundred bytes beside each. */
const maxPageBytes = 8 * 2 ** 20;

/** Lists a bucket through the S3 library. */
export interface Lister {
  /** One page, keys percent-encoded where `EncodingType` says so. @throws SourceError, or what aborts the signal */
  list(which: Pick<ListObjectsV2CommandInput, 'Prefix' | 'MaxKeys' | 'StartAfter'>, signal: AbortSignal): Promise<ListObjectsV2CommandOutput>;
  close(): void;
}

/** Opens the library for one bucket. */
export function s3Lister(place: BucketPlace, key: S3Key, client: SourceClient): Lister {
  const library = s3Client(place, key, client);
  return {
    async list(which, signal) {
      try {
        return await library.send(new ListObjectsV2Command({ Bucket: place.bucket, EncodingType: 'url', ...which }), { abortSignal: signal });
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

/**
 * The client of the S3 library, all of whose requests go through the guarded client: to the connector's own host alone, once,
 * with the connector's own key. It looks nothing up in files, variables or the metadata of a cloud.
 */
function s3Client(place: BucketPlace, key: S3Key, client: SourceClient): S3Client {
  const { host } = new URL(place.base);
  const requestHandler = {
    handle: async (request: LibraryRequest, options: { abortSignal?: AbortSignal } = {}) => {
      const url = addressOf(request);
      if (url.host !== host) throw new SourceError('refused', 'the request would have gone to another host');
      if (request.method !== 'GET' || options.abortSignal === undefined) throw new SourceError('refused', 'only reading requests that can be called off are made');
      const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => name.toLowerCase() !== 'host'));
      const answer = await askWhole(client, url, { method: 'GET', headers, maxBytes: maxPageBytes, signal: options.abortSignal });
      // A store may answer 200 with an error, or with half a list: taken as a list it would say that files are gone.
      if (answer.status === 200) checkList(answer.body);
      if (answer.status >= 300 && answer.status < 400) throw errorOfStatus(answer.status, 'the bucket');
      return { response: { statusCode: answer.status, headers: { 'content-type': 'application/xml' }, body: answer.body } };
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

function checkList(body: Buffer): void {
  const start = body.toString('latin1', 0, 500);
  const end = body.toString('latin1', Math.max(0, body.length - 100)).trimEnd();
  if (/^\s*(\xef\xbb\xbf)?(<\?xml[^>]*\?>\s*)?<ListBucketResult[\s>]/.test(start) && end.endsWith('</ListBucketResult>')) return;
  throw new SourceError('refused', 'the bucket answered 200 with something that is no complete list');
}
