import type { Runtime } from '../../../models/runtime.ts';
import { boundedText, retryAfterOf } from '../../../models/http-response.ts';
import { LastSuccess } from '../../../models/last-success.ts';
import { pauseUnlessAborted, retryPause } from '../../../models/retry-pause.ts';
import { ModelUnavailable, type Embeddings } from '../port.ts';
import { vectorsOfAnswer } from './answer.ts';
import { batchesOf } from './batches.ts';
import { Breaker } from './breaker.ts';

/** Sends a request: the global `fetch`, or one that restricts its targets. */
export type EmbeddingsClient = (
  url: string,
  request: { method: 'POST'; headers: Record<string, string>; body: string; signal: AbortSignal; redirect: 'error' },
) => Promise<Response>;

/** Options of the connection to a server. */
export interface OpenAiEmbeddingsOptions {
  /** Base address; `/v1/embeddings` is added. */
  url: string;
  /** Model name in requests. */
  model: string;
  /** Bearer token; null for none. */
  key: string | null;
  /** Required size of every vector. */
  dimensions: number;
  /** Primary subtags of the supported languages; null for a multilingual model. */
  languages: readonly string[] | null;
  runtime: Pick<Runtime, 'now' | 'random'>;
  client?: EmbeddingsClient;
  /** Time limit of one request in milliseconds; default 60 s. */
  timeoutMs?: number;
  /** Time limit of a query in milliseconds; default 8 s. */
  queryMs?: number;
  /** Milliseconds without queries after a query failed in all its attempts; default 5 s. */
  restMs?: number;
}

const batchLimits = { texts: 64, characters: 200_000 };
/** Maximum requests for one batch; fewer for a query, since a user waits for it. */
const attempts = { query: 3, passage: 5 };
const requestTime = 60_000;
/**
 * Default time limit of a query, including all attempts and pauses. A search waits for it, and uses words only if it
 * fails. It leaves time for an answer by a chat server (20 s by default) within the gateway's limit of 30 s.
 */
const queryTime = 8000;
/**
 * Interval at which a query is tried while the server is unavailable, so that not every search waits for the time
 * limit.
 */
const restTime = 5000;
/** Pauses between attempts grow from the first to the longest, in milliseconds, each multiplied by a random factor. */
const pauses = { first: 500, longest: 20_000 };

/** A failure after which the request may be retried. */
class Retryable extends Error {
  /** Milliseconds to wait, from the `Retry-After` header. */
  readonly retryAfter: number;
  constructor(message: string, retryAfter: number, cause?: unknown) {
    super(message, { cause });
    this.retryAfter = retryAfter;
  }
}

/**
 * Embeddings from a server with the interface of OpenAI
 * (https://platform.openai.com/docs/api-reference/embeddings/create). Texts go in batches; 429, 5xx and network
 * failures are retried with growing random pauses, or after `Retry-After`; any other failure is ModelUnavailable.
 * Vectors are normalised to unit length.
 */
export function openOpenAiEmbeddings(options: OpenAiEmbeddingsOptions): Embeddings {
  const { runtime, dimensions } = options;
  const address = `${options.url.replace(/\/+$/, '')}/v1/embeddings`;
  const client: EmbeddingsClient = options.client ?? fetch;
  const closing = new AbortController();
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    ...(options.key === null ? {} : { authorization: `Bearer ${options.key}` }),
  };
  const lastSuccess = new LastSuccess(runtime.now);
  const breaker = new Breaker(options.restMs ?? restTime);

  const endOf = (purpose: 'query' | 'passage'): number =>
    purpose === 'query' ? performance.now() + (options.queryMs ?? queryTime) : Infinity;

  async function request(texts: readonly string[], until: number): Promise<Float32Array[]> {
    const milliseconds = Math.max(1, Math.min(options.timeoutMs ?? requestTime, Math.ceil(until - performance.now())));
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(milliseconds)]);
    const body = JSON.stringify({ model: options.model, input: texts, encoding_format: 'float' });
    const maxBytes = 64 * 1024 + texts.length * (dimensions * 32 + 256);
    let response: Response;
    let text: string;
    try {
      response = await client(address, { method: 'POST', headers, body, signal, redirect: 'error' });
      text = await boundedText(
        response,
        maxBytes,
        () => new ModelUnavailable(`the embeddings server answered more than ${maxBytes} bytes`),
      );
    } catch (error) {
      if (error instanceof Error && error.name === 'ModelUnavailable') throw error;
      throw new Retryable('the embeddings server does not answer', 0, error);
    }
    if (response.status === 429 || response.status >= 500)
      throw new Retryable(
        `the embeddings server answered ${response.status}`,
        retryAfterOf(response.headers.get('retry-after'), runtime.now(), pauses.longest),
      );
    if (!response.ok) throw new ModelUnavailable(`the embeddings server answered ${response.status}`);
    try {
      return vectorsOfAnswer(text, texts.length, dimensions);
    } catch (error) {
      throw new ModelUnavailable(
        `the embeddings server ${error instanceof Error ? error.message : 'answered nonsense'}`,
        { cause: error },
      );
    }
  }

  async function requestWithRetries(texts: readonly string[], purpose: 'query' | 'passage'): Promise<Float32Array[]> {
    if (purpose === 'query' && !breaker.admits())
      throw new ModelUnavailable('the embeddings server does not answer; it is asked again in some seconds');
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
        if (!(error instanceof Retryable)) {
          if (purpose === 'query') breaker.ended();
          throw error;
        }
        const wait = retryPause(attempt, pauses, error.retryAfter, runtime.random());
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
      for (const batch of batchesOf(texts, batchLimits)) vectors.push(...(await requestWithRetries(batch, purpose)));
      return vectors;
    },
    async ping() {
      if (lastSuccess.isFresh) return;
      await request(['ping'], endOf('query')).catch((error: unknown) => {
        throw error instanceof Retryable ? new ModelUnavailable(error.message, { cause: error }) : error;
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
