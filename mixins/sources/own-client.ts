import type { AppContext } from '../app-context.ts';
import type { GuardedAnswer, GuardedClient, GuardedRequest } from '../guarded-client/client.ts';
import { ownFileOf, readableObject } from '../storage/own-files.ts';

/** The parts of the app that reading an organization's own objects needs. */
type Context = Pick<AppContext, 'records' | 'configuration' | 'objects'>;

/** Bytes that a range header asks for, both included; null without a satisfiable range. */
function rangeOf(header: string | undefined, size: number): { from: number; to: number } | null {
  const [, first, last = ''] = /^bytes=(\d{1,15})-(\d{0,15})$/.exec(header ?? '') ?? [];
  if (first === undefined || Number(first) >= size) return null;
  return { from: Number(first), to: last === '' ? size - 1 : Math.min(Number(last), size - 1) };
}

function answer(
  status: number,
  headers: Readonly<Record<string, string>>,
  body: AsyncIterable<Uint8Array>,
): GuardedAnswer {
  return { status, header: (name) => headers[name] ?? null, body, discard: () => undefined };
}

async function* nothing(): AsyncGenerator<Uint8Array> {
  // An answer without a body.
}

/** Ends with the abortion of the request. */
async function* untilAborted(
  body: AsyncIterable<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  for await (const piece of body) {
    signal?.throwIfAborted();
    yield piece;
  }
}

/**
 * Reads files of an organization's own buckets from the object store, private or not, as if their delivery addresses
 * were requested: the answers have the status, ETag and ranges of a delivery. Nothing is sent over the network. Each
 * request looks at the bucket and the object anew.
 */
export function ownFilesClient(app: Context, organizationId: string): GuardedClient {
  return {
    async request(address, { headers = {}, signal }: GuardedRequest) {
      const file = await ownFileOf(app, organizationId, String(address));
      if (file === null) return answer(404, {}, nothing());
      if (file.bucket.state !== 'active' || file.bucket.suspendedAt !== null) return answer(403, {}, nothing());
      const object = await readableObject(app, file.bucket, file.key);
      if (object === null) return answer(404, {}, nothing());
      const { etag, size, contentType, content } = object;
      const required = headers['if-match'];
      if (required !== undefined && required !== etag) return answer(412, {}, nothing());
      const range = rangeOf(headers.range, size);
      const { from, to } = range ?? { from: 0, to: size - 1 };
      const facts = {
        etag,
        'accept-ranges': 'bytes',
        'content-type': contentType,
        'content-length': String(to + 1 - from),
        ...(range === null ? {} : { 'content-range': `bytes ${from}-${to}/${size}` }),
      };
      const body = size === 0 ? nothing() : untilAborted(app.objects.read(content, { from, to }), signal);
      return answer(range === null ? 200 : 206, facts, body);
    },
    close: () => Promise.resolve(),
  };
}
