import type { Ambient } from '../../../models/ambient.ts';
import { boundedText, retryAfterOf } from '../../../models/http-response.ts';
import { LastSuccess } from '../../../models/last-success.ts';
import { pauseUnlessAborted, retryPause } from '../../../models/retry-pause.ts';
import { ModelUnavailable, type Embeddings } from '../port.ts';
import { vectorsOfAnswer } from './answer.ts';
import { batchesOf } from './batches.ts';
import { Breaker } from './breaker.ts';

/** Sends a request: the global `fetch`, or one that guards where it goes. */
export type EmbeddingsClient = (url: string, request: { method: 'POST'; headers: Record<string, string>; body: string; signal: AbortSignal; redirect: 'error' }) => Promise<Response>;

/** Where the server is and what is expected of it. */
export interface OpenAiEmbeddingsOptions {
  /** Base address; `/v1/embeddings` is added. */
  url: string;
  /** Model name that is sent. */
  model: string;
  /** Bearer token; null for none. */
  key: string | null;
  /** Size that every vector must have. */
  dimensions: number;
  /** Primary subtags that the model knows; null for a multilingual one. */
  languages: readonly string[] | null;
  ambient: Pick<Ambient, 'now' | 'random'>;
  client?: EmbeddingsClient;
  /** Milliseconds that one request may take; 60 s where unset. */
  timeoutMs?: number;
  /** Milliseconds that a query may take; 8 s where unset. */
  queryMs?: number;
  /** Milliseconds in which no query is sent after one failed, for all its attempts; 5 s where unset. */
  restMs?: number;
}

const batchLimits = { texts: 64, characters: 200_000 };
/** Requests sent for one batch at most; a query has a user waiting. */
const attempts = { query: 3, passage: 5 };
const requestTime = 60_000;
/**
 * All attempts and pauses of a query together: a search waits for it, and goes by words where it fails. An answer that is
 * written by a server (20 s, unless set otherwise) still comes before the gateway gives it up, after 30 s.
 */
const queryTime = 8000;
/** One search in this time waits for a server that is away, and not each of them the whole of a query's time. */
const restTime = 5000;
/** Pauses between attempts grow from the first to the longest, in milliseconds, each times a random part. */
const pauses = { first: 500, longest: 20_000 };

/** Something that may go well when it is tried again. */
class Passing extends Error {
  /** Milliseconds that the server wants to be left alone. */
  readonly retryAfter: number;
  constructor(message: string, retryAfter: number, cause?: unknown) {
    super(message, { cause });
    this.retryAfter = retryAfter;
  }
}

/**
 * Embeddings from a server with the interface of OpenAI (https://platform.openai.com/docs/api-reference/embeddings/create).
 * Texts go in batches; 429, 5xx and network failures are tried again with growing pauses of random length, or as
 * `Retry-After` says; everything else that is not as it must be is ModelUnavailable. Vectors come out with unit length.
 */
export function openOpenAiEmbeddings(options: OpenAiEmbeddingsOptions): Embeddings {
  const { ambient, dimensions } = options;
  const address = `${options.url.replace(/\/+$/, '')}/v1/embeddings`;
  const client: EmbeddingsClient = options.client ?? fetch;
  const closing = new AbortController();
  const headers: Record<string, string> = { 'content-type': 'application/json', ...(options.key === null ? {} : { authorization: `Bearer ${options.key}` }) };
  const lastSuccess = new LastSuccess(ambient.now);
  const breaker = new Breaker(options.restMs ?? restTime);

  const endOf = (purpose: 'query' | 'passage'): number => (purpose === 'query' ? performance.now() + (options.queryMs ?? queryTime) : Infinity);

  async function request(texts: readonly string[], until: number): Promise<Float32Array[]> {
    const milliseconds = Math.max(1, Math.min(options.timeoutMs ?? requestTime, Math.ceil(until - performance.now())));
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(milliseconds)]);
    const body = JSON.stringify({ model: options.model, input: texts, encoding_format: 'float' });
    const most = 64 * 1024 + texts.length * (dimensions * 32 + 256);
    let response: Response;
    let text: string;
    try {
      response = await client(address, { method: 'POST', headers, body, signal, redirect: 'error' });
      text = await boundedText(response, most, () => new ModelUnavailable(`the embeddings server answered more than ${most} bytes`));
    } catch (error) {
      if (error instanceof Error && error.name === 'ModelUnavailable') throw error;
      throw new Passing('the embeddings server does not answer', 0, error);
    }
    if (response.status === 429 || response.status >= 500) throw new Passing(`the embeddings server answered ${response.status}`, retryAfterOf(response.headers.get('retry-after'), ambient.now(), pauses.longest));
    if (!response.ok) throw new ModelUnavailable(`the embeddings server answered ${response.status}`);
    try {
      return vectorsOfAnswer(text, texts.length, dimensions);
    } catch (error) {
      throw new ModelUnavailable(`the embeddings server ${error instanceof Error ? error.message : 'answered nonsense'}`, { cause: error });
    }
  }

  async function requestPatiently(texts: readonly string[], purpose: 'query' | 'passage'): Promise<Float32Array[]> {
    if (purpose === 'query' && !breaker.admits()) throw new ModelUnavailable('the embeddings server does not answer; it is asked again in some seconds');
    const until = endOf(purpose);
    for (let attempt = 1; ; attempt++) {
      if (closing.signal.aborted) throw new ModelUnavailable('the embeddings server is no longer used');
      try {
        const vectors = await request(texts, until);
        lastSuccess.succeeded();
        breaker.ended();
        return vectors;
      } catch (error) {
        lastSuccess.failed();
        if (!(error instanceof Passing)) {
          if (purpose === 'query') breaker.ended();
          throw error;
        }
        const wait = retryPause(attempt, pauses, error.retryAfter, ambient.random());
        if (attempt >= attempts[purpose] || performance.now() + wait >= until) {
          if (purpose === 'query') breaker.failed();
          throw new ModelUnavailable(error.message, { cause: error.cause ?? error });
        }
        await pauseUnlessAborted(wait, closing.signal);
      }
    }
  }

  return {
    model: { id: `server:${options.model}:${dimensions}`, dimensions, languages: options.languages },
    absence: null,
    async embed(texts, purpose) {
      const vectors: Float32Array[] = [];
      for (const batch of batchesOf(texts, batchLimits)) vectors.push(...await requestPatiently(batch, purpose));
      return vectors;
    },
    async ping() {
      if (lastSuccess.isFresh) return;
      await request(['ping'], endOf('query')).catch((error: unknown) => {
        throw error instanceof Passing ? new ModelUnavailable(error.message, { cause: error }) : error;
      });
      lastSuccess.succeeded();
      breaker.ended();
    },
    close: () => {
      closing.abort();
      return Promise.resolve();
    },
  };
}
