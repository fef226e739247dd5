import { answered, api } from './client.ts';
import type { components } from './schema.d.ts';

type Cors = components['schemas']['Bucket']['cors'];

const needed = {
  requestHeaders: ['range'],
  answerHeaders: ['accept-ranges', 'content-length', 'content-range', 'etag'],
} as const;

function withAll(present: readonly string[], added: readonly string[]): string[] {
  return present.includes('*') ? [...present] : [...new Set([...present, ...added])];
}

/** The CORS settings with which pages of this origin read a bucket's files; what was allowed stays so. */
export function corsWithOrigin(
  cors: Cors,
  origin: string,
): Pick<Cors, 'allowedOrigins' | 'allowedHeaders' | 'exposeHeaders'> & { allowedMethods: ('GET' | 'HEAD')[] } {
  return {
    allowedOrigins: withAll(cors.allowedOrigins, [origin]),
    allowedMethods: ['GET', 'HEAD'],
    allowedHeaders: withAll(cors.allowedHeaders, needed.requestHeaders),
    exposeHeaders: withAll(cors.exposeHeaders, needed.answerHeaders),
  };
}

/** Lets this page read the files of a bucket, as a setting of the bucket. */
export async function allowReading(bucketId: string): Promise<void> {
  const params = { path: { bucketId } };
  const { cors } = await answered(api.GET('/api/content/v1/buckets/{bucketId}', { params }));
  await answered(
    api.PATCH('/api/content/v1/buckets/{bucketId}', { params, body: { cors: corsWithOrigin(cors, location.origin) } }),
  );
}
