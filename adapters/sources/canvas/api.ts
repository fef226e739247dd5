import { createHash } from 'node:crypto';
import { SourceError, type SourceClient } from '../port.ts';
import { requestWhole, errorOfStatus, type WholeAnswer } from '../requests.ts';
import { isRecord, type Fields } from './fields.ts';

/** Waits. Rejects with the signal's reason when it is aborted. */
export type Wait = (milliseconds: number, signal: AbortSignal) => Promise<void>;

/** Canvas's REST API, with the permissions of a token. */
export interface CanvasApi {
  /** Reads one object. @param path relative to `/api/v1/`. @throws SourceError */
  read(path: string, signal: AbortSignal): Promise<Fields>;
  /**
   * The items of a list, page by page.
   * @throws SourceError; CanvasRefusal where Canvas refuses only this list
   */
  list(path: string, signal: AbortSignal): AsyncGenerator<Fields[], void, undefined>;
}

/** Options for requests to Canvas. */
export interface CanvasApiOptions {
  /** Without a trailing slash. */
  base: string;
  token: string;
  client: SourceClient;
  wait: Wait;
}

/**
 * Canvas refuses one object or list, while others may be readable. Its reason is that of a file that cannot be read.
 */
export class CanvasRefusal extends SourceError {}

/** Maximum size of an answer: a hundred items with all their fields. */
const maxAnswerBytes = 16 * 2 ** 20;

/** Maximum number of pages of a list, against endless lists. */
const maxPages = 5000;

/**
 * Below this number of points in the token's rate limit bucket the next request waits. A running request reserves 50 of
 * the 600 points, and 10 are refilled per second.
 */
const minPoints = 100;
const pointsPerSecond = 10;

const maxAttempts = 6;
const maxWaitSeconds = 60;

/**
 * Creates a client of Canvas's REST API. It sends one request of a token at a time, no faster than the token's bucket
 * refills, and sends the token to no other host. Ids are strings (`application/json+canvas-string-ids`), because some
 * exceed the safe integers of JavaScript.
 */
export function canvasApi({ base, token, client, wait }: CanvasApiOptions): CanvasApi {
  const root = new URL(`${base}/api/v1/`);
  const queue = createHash('sha256').update(`${root.origin} ${token}`).digest('base64url');
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json+canvas-string-ids' };

  async function send(url: URL, signal: AbortSignal): Promise<WholeAnswer> {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await requestWhole(client, url, { headers, maxBytes: maxAnswerBytes, signal });
      const points = pointsOf(answer);
      if (!isThrottled(answer, points)) {
        if (points !== null && points < minPoints) await wait(secondsUntilFull(points) * 1000, signal);
        return answer;
      }
      if (attempt === maxAttempts) throw new SourceError('temporary', 'Canvas accepts no more requests for now');
      await wait(Math.max(retryAfter(answer), secondsUntilFull(points ?? 0), 2 ** attempt) * 1000, signal);
    }
  }

  async function answerOf(url: URL, signal: AbortSignal): Promise<WholeAnswer> {
    const answer = await oneAtATime(queue, signal, () => send(url, signal));
    if (answer.status === 200) return answer;
    const { reason, message } = errorOfStatus(answer.status, 'Canvas');
    // A redirect or an invalid token concerns the whole source, other failures only the requested object.
    if ((answer.status === 401 && !isOfTheList(answer)) || reason === 'refused') throw new SourceError(reason, message);
    throw new CanvasRefusal(reason, message);
  }

  return {
    async read(path, signal) {
      const value = parse(await answerOf(new URL(path, root), signal));
      if (!isRecord(value)) throw new SourceError('refused', 'Canvas did not answer an object');
      return value;
    },
    async *list(path, signal) {
      const seen = new Set<string>();
      for (let url: URL | null = new URL(path, root); url !== null;) {
        const digest = createHash('sha256').update(url.href).digest('base64url');
        if (seen.has(digest) || seen.size >= maxPages)
          throw new SourceError('refused', 'the pages of Canvas repeat or do not end');
        seen.add(digest);
        const answer: WholeAnswer = await answerOf(url, signal);
        const items = parse(answer);
        if (!Array.isArray(items) || !items.every(isRecord))
          throw new SourceError('refused', 'Canvas did not answer a list');
        yield items;
        url = nextAddress(nextLink(answer.header('link')), url, root);
      }
    },
  };
}

/** The next page. It must have the same origin, because the token is sent with the request. */
function nextAddress(link: string | null, current: URL, root: URL): URL | null {
  if (link === null) return null;
  const url = link.length <= 8192 && URL.canParse(link, current.href) ? new URL(link, current) : null;
  if (
    url === null ||
    url.origin !== root.origin ||
    url.username !== '' ||
    url.password !== '' ||
    !url.pathname.startsWith(root.pathname)
  ) {
    throw new SourceError('refused', 'the next page is on another host, or outside the API');
  }
  return url;
}

function parse(answer: WholeAnswer): unknown {
  try {
    const value: unknown = JSON.parse(answer.body.toString('utf8'));
    return value;
  } catch {
    // The parser's message quotes the answer, which may contain addresses with a verifier.
    throw new SourceError('refused', 'Canvas did not answer JSON');
  }
}

/**
 * Older versions of Canvas answer 401 also to a valid token whose user lacks a permission: with this body, and without
 * a challenge.
 */
function isOfTheList(answer: WholeAnswer): boolean {
  return (
    answer.header('www-authenticate') === null &&
    /"status"\s*:\s*"unauthorized"/.test(answer.body.toString('latin1', 0, 1000))
  );
}

function pointsOf(answer: WholeAnswer): number | null {
  const text = answer.header('x-rate-limit-remaining');
  return text !== null && /^-?\d{1,9}(\.\d{1,20})?$/.test(text) ? Number(text) : null;
}

/**
 * Status 429, in older versions 403 with a text. The points alone do not show it: a successful request may use the last
 * ones.
 */
function isThrottled({ status, body }: WholeAnswer, points: number | null): boolean {
  if (status === 429) return true;
  return (
    status === 403 &&
    ((points !== null && points <= 0) || /rate limit exceeded/i.test(body.toString('latin1', 0, 1000)))
  );
}

function secondsUntilFull(points: number): number {
  return Math.min(maxWaitSeconds, Math.max(0, (minPoints - points) / pointsPerSecond));
}

function retryAfter(answer: WholeAnswer): number {
  const text = answer.header('retry-after');
  return text !== null && /^\d{1,6}$/.test(text) ? Math.min(maxWaitSeconds, Number(text)) : 0;
}

/**
 * The address of the next page in a `Link` header (RFC 8288); null if there is none. Relation types and parameter names
 * are case-insensitive, and an address may contain commas and semicolons.
 */
export function nextLink(header: string | null): string | null {
  for (const [, address, parameters] of (header ?? '').matchAll(
    /<([^<>]*)>((?:\s*;\s*[^\s;,<>="]+(?:\s*=\s*(?:"[^"]*"|[^\s";,<>]*))?)*)/g,
  )) {
    const relation = /;\s*rel\s*=\s*(?:"([^"]*)"|([^\s";,]*))/i.exec(parameters ?? '');
    const names = (relation?.[1] ?? relation?.[2] ?? '').toLowerCase().split(/\s+/);
    if (names.includes('next')) return address ?? null;
  }
  return null;
}

/** The latest request of each token in this process, by a digest of the token. */
const queues = new Map<string, Promise<void>>();

/**
 * Runs work after all earlier work of the same queue. Canvas limits the requests of a token together and reserves fifty
 * points for each running one, so concurrent requests are throttled much earlier than sequential ones.
 */
async function oneAtATime<T>(queue: string, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const before = queues.get(queue) ?? Promise.resolve();
  const result = before.then(async () => {
    signal.throwIfAborted();
    return work();
  });
  // The caller handles a failure; the next work only waits for the end.
  const ended = result.then(
    () => undefined,
    () => undefined,
  );
  queues.set(queue, ended);
  try {
    return await result;
  } finally {
    if (queues.get(queue) === ended) queues.delete(queue);
  }
}
