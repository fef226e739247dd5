import { createHash } from 'node:crypto';
import { SourceError, type SourceClient } from '../port.ts';
import { askWhole, errorOfStatus, type WholeAnswer } from '../requests.ts';
import { isRecord, type Fields } from './fields.ts';
import { nextLink } from './link.ts';
import { inTurn } from './turns.ts';

/** Waits, or ends with what aborts the signal. */
export type Wait = (milliseconds: number, signal: AbortSignal) => Promise<void>;

/** Canvas as a token sees it. */
export interface CanvasApi {
  /** One object. @param path from `/api/v1/` on. @throws SourceError */
  read(path: string, signal: AbortSignal): Promise<Fields>;
  /**
   * The items of a list, page by page as they come.
   * @throws SourceError; one of `CanvasRefusal` where Canvas refuses this list alone
   */
  list(path: string, signal: AbortSignal): AsyncGenerator<Fields[], void, undefined>;
}

/** What requests to Canvas are made with. */
export interface CanvasApiOptions {
  /** Without a slash at its end. */
  base: string;
  token: string;
  client: SourceClient;
  wait: Wait;
}

/** An answer that refuses one object or list, while others may be had: its reason and code are those of a file that cannot be read. */
export class CanvasRefusal extends SourceError {}

/** A hundred items with all that Canvas adds to them. */
const maxAnswerBytes = 16 * 2 ** 20;

/** Pages of one list: what follows is not a list that ends. */
const mostPages = 5000;

/** Points of the token's bucket below which the next request waits; one under way borrows 50 of the 600, and 10 flow back a second. */
const leastPoints = 100;
const pointsPerSecond = 10;

const mostAttempts = 6;
const mostWaitSeconds = 60;

/**
 * Speaks with Canvas: one request of a token at a time, no faster than its bucket refills, the token to no other host. Ids
 * come as texts (`application/json+canvas-string-ids`), because some are beyond the integers of JSON.
 */
export function canvasApi({ base, token, client, wait }: CanvasApiOptions): CanvasApi {
  const root = new URL(`${base}/api/v1/`);
  const turn = createHash('sha256').update(`${root.origin} ${token}`).digest('base64url');
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json+canvas-string-ids' };

  async function ask(url: URL, signal: AbortSignal): Promise<WholeAnswer> {
    for (let attempt = 1; ; attempt += 1) {
      const answer = await askWhole(client, url, { headers, maxBytes: maxAnswerBytes, signal });
      const points = pointsOf(answer);
      if (!isThrottled(answer, points)) {
        if (points !== null && points < leastPoints) await wait(secondsUntilFull(points) * 1000, signal);
        return answer;
      }
      if (attempt === mostAttempts) throw new SourceError('temporary', 'Canvas takes no more requests for now');
      await wait(Math.max(retryAfter(answer), secondsUntilFull(points ?? 0), 2 ** attempt) * 1000, signal);
    }
  }

  async function answerOf(url: URL, signal: AbortSignal): Promise<WholeAnswer> {
    const answer = await inTurn(turn, signal, () => ask(url, signal));
    if (answer.status === 200) return answer;
    const { reason, message } = errorOfStatus(answer.status, 'Canvas');
    // A redirect is about the whole, and so is a token that is none; the others are about what was asked for.
    if ((answer.status === 401 && !isOfTheList(answer)) || reason === 'refused') throw new SourceError(reason, message);
    throw new CanvasRefusal(reason, message);
  }

  return {
    async read(path, signal) {
      const value = parse(await answerOf(new URL(path, root), signal));
      if (!isRecord(value)) throw new SourceError('refused', 'Canvas answered with something that is no object');
      return value;
    },
    async *list(path, signal) {
      const seen = new Set<string>();
      for (let url: URL | null = new URL(path, root); url !== null; ) {
        const digest = createHash('sha256').update(url.href).digest('base64url');
        if (seen.has(digest) || seen.size >= mostPages) throw new SourceError('refused', 'the pages of Canvas lead in a circle, or do not end');
        seen.add(digest);
        const answer: WholeAnswer = await answerOf(url, signal);
        const items = parse(answer);
        if (!Array.isArray(items) || !items.every(isRecord)) throw new SourceError('refused', 'Canvas answered with something that is no list');
        yield items;
        url = nextAddress(nextLink(answer.header('link')), url, root);
      }
    },
  };
}

/** The next page, which must be on the same host over the same protocol: the token goes along. */
function nextAddress(link: string | null, current: URL, root: URL): URL | null {
  if (link === null) return null;
  const url = link.length <= 8192 && URL.canParse(link, current.href) ? new URL(link, current) : null;
  if (url === null || url.origin !== root.origin || url.username !== '' || url.password !== '' || !url.pathname.startsWith(root.pathname)) {
    throw new SourceError('refused', 'the next page would be on another host, or outside the interface');
  }
  return url;
}

function parse(answer: WholeAnswer): unknown {
  try {
    const value: unknown = JSON.parse(answer.body.toString('utf8'));
    return value;
  } catch {
    // The parser's message quotes the answer, which may hold addresses with a verifier.
    throw new SourceError('refused', 'Canvas answered with something that is no JSON');
  }
}

/** Canvas used to say 401, too, to a good token whose user may not do something: with this body, and without a challenge. */
function isOfTheList(answer: WholeAnswer): boolean {
  return answer.header('www-authenticate') === null && /"status"\s*:\s*"unauthorized"/.test(answer.body.toString('latin1', 0, 1000));
}

function pointsOf(answer: WholeAnswer): number | null {
  const text = answer.header('x-rate-limit-remaining');
  return text !== null && /^-?\d{1,9}(\.\d{1,20})?$/.test(text) ? Number(text) : null;
}

/** 429 today; formerly 403 with a text. Points alone do not tell: an answer may take the last ones. */
function isThrottled({ status, body }: WholeAnswer, points: number | null): boolean {
  if (status === 429) return true;
  return status === 403 && ((points !== null && points <= 0) || /rate limit exceeded/i.test(body.toString('latin1', 0, 1000)));
}

function secondsUntilFull(points: number): number {
  return Math.min(mostWaitSeconds, Math.max(0, (leastPoints - points) / pointsPerSecond));
}

function retryAfter(answer: WholeAnswer): number {
  const text = answer.header('retry-after');
  return text !== null && /^\d{1,6}$/.test(text) ? Math.min(mostWaitSeconds, Number(text)) : 0;
}
