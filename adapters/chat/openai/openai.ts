import type { Runtime } from '../../../models/runtime.ts';
import { errorCodeOf } from '../../../models/error-code.ts';
import { boundedText, retryAfterOf } from '../../../models/http-response.ts';
import { LastSuccess } from '../../../models/last-success.ts';
import { pauseUnlessAborted, retryPause } from '../../../models/retry-pause.ts';
import { ChatUnusable, type Chat, type ChatMessage } from '../port.ts';
import { textOfAnswer } from './answer.ts';

/** Options of the connection to a server. */
export interface OpenAiChatOptions {
  /** Base address; `/v1/chat/completions` is added. */
  url: string;
  /** Model name in requests. */
  model: string;
  /** Bearer token; null for none. */
  key: string | null;
  /** Time limit of an answer in seconds, including all attempts. */
  seconds: number;
  runtime: Pick<Runtime, 'now' | 'random'>;
}

/** Maximum requests for one answer. */
const attempts = 3;
/** Pauses between attempts in milliseconds, each multiplied by a random factor. */
const pauses = { first: 400, longest: 800 };
/** Time limit of a ping in milliseconds. */
const pingTimeoutMs = 5000;
/** Maximum tokens of the model's answer. */
const maxTokens = 1000;
/** Maximum length of an answer in UTF-16 code units. */
const maxAnswerLength = 8000;
/** Maximum bytes of a response: the answer, metadata of the server, and the model's reasoning. */
const maxResponseBytes = 2 ** 18;
/**
 * Statuses of requests that the server did not begin to process, so that a retry is never charged twice. Other failures
 * leave that open.
 */
const unprocessedStatuses: ReadonlySet<number> = new Set([429, 503]);
/** Connection errors before the request is sent. */
const connectionErrors: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** A request that was not processed and may be retried. */
class Unprocessed extends Error {
  /** Milliseconds to wait, from the `Retry-After` header. */
  readonly retryAfter: number;
  constructor(message: string, retryAfter: number, cause?: unknown) {
    super(message, { cause });
    this.retryAfter = retryAfter;
  }
}

function isNotConnected(error: unknown): boolean {
  const code = typeof error === 'object' && error !== null && 'cause' in error ? errorCodeOf(error.cause) : null;
  return code !== null && connectionErrors.has(code);
}

function tooLong(): Error {
  return new ChatUnusable(`the chat server answered more than ${maxResponseBytes} bytes`);
}

const textOf = (response: Response): Promise<string> => boundedText(response, maxResponseBytes, tooLong);

/** Discards the body: only the status matters, and a list of many models is longer than any answer. */
async function discardBody(response: Response): Promise<string> {
  await response.body?.cancel();
  return '';
}

/** A server's response. */
interface Answer {
  status: number;
  text: string;
  /** Milliseconds to wait, from the `Retry-After` header. */
  retryAfter: number;
}

/**
 * Whether the list of models is refused because of the key or the server's state. Other statuses are accepted, since
 * many servers have no such list.
 */
function isRefusal(status: number): boolean {
  return status === 401 || status === 403 || status >= 500;
}

/**
 * A language model behind a server with the interface of OpenAI
 * (https://platform.openai.com/docs/api-reference/chat/create), without streaming. A request is retried only if it was
 * not processed (no connection, 429, 503) and within the time limit. For a server that refuses `max_tokens`, all
 * further requests use its newer name.
 */
export function openOpenAiChat(options: OpenAiChatOptions): Chat {
  const { runtime, model } = options;
  const base = `${options.url.replace(/\/+$/, '')}/v1`;
  const address = `${base}/chat/completions`;
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    ...(options.key === null ? {} : { authorization: `Bearer ${options.key}` }),
  };
  const closing = new AbortController();
  let usesNewerName = false;
  const lastSuccess = new LastSuccess(runtime.now);

  function send(messages: readonly ChatMessage[], newer: boolean, signal: AbortSignal): Promise<Answer> {
    const limits = newer ? { max_completion_tokens: maxTokens } : { max_tokens: maxTokens, temperature: 0 };
    return exchange(
      address,
      { method: 'POST', headers, body: JSON.stringify({ model, messages, stream: false, ...limits }) },
      signal,
    );
  }

  async function exchange(
    url: string,
    request: { method?: string; headers: Record<string, string>; body?: string },
    signal: AbortSignal,
    read: (response: Response) => Promise<string> = textOf,
  ): Promise<Answer> {
    try {
      const response = await fetch(url, { ...request, signal, redirect: 'error' });
      return {
        status: response.status,
        text: await read(response),
        retryAfter: retryAfterOf(response.headers.get('retry-after'), runtime.now()),
      };
    } catch (error) {
      if (error instanceof Error && error.name === 'ChatUnusable') throw error;
      if (isNotConnected(error)) throw new Unprocessed('the chat server cannot be reached', 0, error);
      throw new ChatUnusable(
        signal.aborted ? 'the chat server takes too long' : 'the chat server does not answer as it should',
        { cause: error },
      );
    }
  }

  async function ask(messages: readonly ChatMessage[], signal: AbortSignal): Promise<string> {
    let answer = await send(messages, usesNewerName, signal);
    if (answer.status === 400 && !usesNewerName) {
      const newer = await send(messages, true, signal);
      if (newer.status === 200) {
        usesNewerName = true;
        answer = newer;
      }
    }
    const { status, text, retryAfter } = answer;
    if (unprocessedStatuses.has(status)) throw new Unprocessed(`the chat server answered ${status}`, retryAfter);
    if (status !== 200) throw new ChatUnusable(`the chat server answered ${status}`);
    try {
      return textOfAnswer(text, maxAnswerLength);
    } catch (error) {
      throw new ChatUnusable(`the chat server ${error instanceof Error ? error.message : 'answered nonsense'}`, {
        cause: error,
      });
    }
  }

  return {
    async complete(messages) {
      const milliseconds = options.seconds * 1000;
      const began = performance.now();
      const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(milliseconds)]);
      for (let attempt = 1; ; attempt += 1) {
        try {
          const text = await ask(messages, signal);
          lastSuccess.succeeded();
          return text;
        } catch (error) {
          lastSuccess.failed();
          if (!(error instanceof Unprocessed)) throw error;
          const wait = retryPause(attempt, pauses, error.retryAfter, runtime.random());
          if (attempt === attempts || performance.now() - began + wait >= milliseconds)
            throw new ChatUnusable(error.message, { cause: error.cause ?? error });
          // A signal that ends the pause also fails the next attempt.
          await pauseUnlessAborted(wait, signal);
        }
      }
    },
    async ping() {
      if (lastSuccess.isFresh) return;
      const { status } = await exchange(
        `${base}/models`,
        { headers },
        AbortSignal.any([closing.signal, AbortSignal.timeout(pingTimeoutMs)]),
        discardBody,
      );
      if (isRefusal(status)) throw new ChatUnusable(`the chat server answered ${status}`);
    },
    close: () => {
      closing.abort();
      return Promise.resolve();
    },
  };
}
