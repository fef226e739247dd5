import { operations } from './operations.ts';
import { sendWithRetries, type RetryRules } from './retry.ts';
import type { Arguments, CallOptions, ItemOf, ListName, OperationName, Output } from './types.ts';
import { upload, type UploadOptions } from './upload.ts';

/** How the program is reached. */
export interface PlyOptions extends RetryRules {
  /** Address of the API, such as `https://ply.example.com`. */
  url: string;
  /** The API key. Without one, requests carry the cookie of a session of the dashboard. */
  key?: string;
  organizationId: string;
  /** Milliseconds for one attempt of a call; 60,000 by default. */
  timeoutMs?: number;
}

type QueryValue = string | number | boolean | null | undefined;

interface AnyInput {
  path?: { [name: string]: string };
  query?: { [name: string]: QueryValue | readonly QueryValue[] };
  body?: unknown;
}

/** A client of one organization. */
export class Ply {
  readonly retryRules: RetryRules;
  private readonly options: PlyOptions;

  constructor(options: PlyOptions) {
    this.options = options;
    const { retries, maxRetryAfter } = options;
    this.retryRules = {
      ...(retries === undefined ? {} : { retries }),
      ...(maxRetryAfter === undefined ? {} : { maxRetryAfter }),
    };
  }

  /** A client of another organization of the account. */
  as(organizationId: string): Ply {
    return new Ply({ ...this.options, organizationId });
  }

  /**
   * Calls an operation by its name in the OpenAPI document. Operations that take an `Idempotency-Key` get one, the same
   * in each repetition.
   * @throws PlyError, PlyConnectionError, and the reason of the signal
   */
  call<N extends OperationName>(name: N, ...given: Arguments<N>): Promise<Output<N>>;
  call(name: OperationName, input: AnyInput = {}, options?: CallOptions): Promise<unknown> {
    return this.send(name, input, options);
  }

  /** Walks through a list, page by page; what is listed while it changes may be passed over. */
  each<N extends ListName>(name: N, ...given: Arguments<N>): AsyncGenerator<ItemOf<N>>;
  async *each(name: OperationName, input: AnyInput = {}, options?: CallOptions): AsyncGenerator {
    let given: AnyInput | null = input;
    while (given !== null) {
      const page: Page | unknown[] = await this.send(name, given, options);
      if (Array.isArray(page)) return yield* page;
      yield* page.items;
      given = nextInput(name, given, page);
    }
  }

  /** Uploads a blob, a file of a browser included, to a bucket; see `UploadOptions`. */
  upload(bucketId: string, key: string, blob: Blob, options?: UploadOptions): Promise<Output<'completeUpload'>> {
    return upload(this, bucketId, key, blob, options);
  }

  private async send<T>(
    name: OperationName,
    { path = {}, query = {}, body }: AnyInput,
    call: CallOptions = {},
  ): Promise<T> {
    const { url, key, organizationId, timeoutMs = 60_000 } = this.options;
    const { method, path: template, takesKey, mayRepeat } = operations[name];
    const address = new URL(url.replace(/\/$/, '') + filledIn(template, path));
    for (const [field, value] of Object.entries(query)) {
      if (value === undefined || value === null) continue;
      for (const each of [value].flat()) address.searchParams.append(field, String(each));
    }
    const headers = new Headers({ 'X-Organization-Id': organizationId });
    if (key !== undefined) headers.set('Authorization', `ApiKey ${key}`);
    if (body !== undefined) headers.set('Content-Type', 'application/json');
    if (takesKey) headers.set('Idempotency-Key', call.idempotencyKey ?? crypto.randomUUID());
    const text = body === undefined ? null : JSON.stringify(body);
    const response = await sendWithRetries({
      ...this.retryRules,
      url: address.href,
      mayRepeat: takesKey || mayRepeat,
      signal: call.signal,
      timeoutMs,
      send: (signal) => fetch(address, { method, headers, body: text, signal }),
    });
    const answer = await response.text();
    // The answer's type is that of the OpenAPI document.
    return (answer === '' ? undefined : JSON.parse(answer)) as T;
  }
}

interface Page {
  items: readonly unknown[];
  nextCursor?: string | null;
  next?: string | null;
}

/** The input of the next page: lists go on with a cursor, or by their offset while a page is full. */
function nextInput(name: OperationName, input: AnyInput, { items, nextCursor, next }: Page): AnyInput | null {
  const query = { ...input.query };
  if (nextCursor !== undefined)
    return nextCursor === null ? null : { ...input, query: { ...query, cursor: nextCursor } };
  if (next !== undefined) return next === null ? null : { ...input, query: { ...query, before: next } };
  if (!offsetLists.has(name) || items.length === 0) return null;
  return { ...input, query: { ...query, offset: Number(query['offset'] ?? 0) + items.length } };
}

/** Lists that are paged by their offset. */
const offsetLists: ReadonlySet<OperationName> = new Set([
  'listAssets',
  'listCollections',
  'listUsageOfAssets',
] as const);

function filledIn(template: string, values: { [name: string]: string }): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined || value === '') throw new TypeError(`The path needs ${name}.`);
    return encodeURIComponent(value);
  });
}
