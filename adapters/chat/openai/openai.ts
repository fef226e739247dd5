import type { Ambient } from '../../../models/ambient.ts';
import { errorCodeOf } from '../../../models/error-code.ts';
import { boundedText, retryAfterOf } from '../../../models/http-response.ts';
import { LastSuccess } from '../../../models/last-success.ts';
import { pauseUnlessAborted, retryPause } from '../../../models/retry-pause.ts';
import { ChatUnusable, type Chat, type ChatMessage } from '../port.ts';
import { textOfAnswer } from './answer.ts';

/** Where the server is and what is expected of it. */
export interface OpenAiChatOptions {
  /** Base address; `/v1/chat/completions` is added. */
  url: string;
  /** Model name that is sent. */
  model: string;
  /** Bearer token; null for none. */
  key: string | null;
  /** Seconds that an answer may take, all attempts together. */
  seconds: number;
  ambient: Pick<Ambient, 'now' | 'random'>;
}

/** Requests sent for one answer at most. */
const attempts = 3;
/** Pauses between attempts in milliseconds, each times a random part. */
const pauses = { first: 400, longest: 800 };
/** Milliseconds that the answer to a ping may take. */
const pingTime = 5000;
/** Words and signs that the model may answer, as it counts them. */
const mostTokens = 1000;
/** UTF-16 code units of an answer. */
const longestAnswer = 8000;
/** Bytes of a response: an answer, whatever the server adds to it, and what the model thought. */
const largestResponse = 2 ** 18;
/**
 * Statuses by which a server says that it did not begin: the request can be sent again, and nothing is written or paid
 * for twice. After any other failure that is not known.
 */
const notBegun: ReadonlySet<number> = new Set([429, 503]);
/** Failures of a connection before anything was sent. */
const notConnected: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT']);

/** A request that was not begun. */
class NotBegun extends Error {
  /** Milliseconds that the server wants to be left alone. */
  readonly retryAfter: number;
  constructor(message: string, retryAfter: number, cause?: unknown) {
    super(message, { cause });
    this.retryAfter = retryAfter;
  }
}

function isNotConnected(error: unknown): boolean {
  const code = typeof error === 'object' && error !== null && 'cause' in error ? errorCodeOf(error.cause) : null;
  return code !== null && notConnected.has(code);
}

function tooLong(): Error {
  return new ChatUnusable(`the chat server answered more than ${largestResponse} bytes`);
}

const textOf = (response: Response): Promise<string> => boundedText(response, largestResponse, tooLong);

/** The status tells all: the list of models of a server that has many is longer than any answer. */
async function unread(response: Response): Promise<string> {
  await response.body?.cancel();
  return '';
}

/** What a server answered. */
interface Answer {
  status: number;
  text: string;
  /** Milliseconds that it wants to be left alone. */
  retryAfter: number;
}

/** Whether a list of models is refused because of the key or the server's state; many a server that writes answers keeps no such list. */
function isRefusal(status: number): boolean {
  return status === 401 || status === 403 || status >= 500;
}

/**
 * A language model behind a server with the interface of OpenAI
 * (https://platform.openai.com/docs/api-reference/chat/create), without streaming. A request is sent again only where
 * nothing was begun (no connection, 429, 503) and the time allows. A server that refuses `max_tokens` is asked with the
 * name that replaced it, from then on.
 */
export function openOpenAiChat(options: OpenAiChatOptions): Chat {
  const { ambient, model } = options;
  const base = `${options.url.replace(/\/+$/, '')}/v1`;
  const address = `${base}/chat/completions`;
  const headers: Record<string, string> = { 'content-type': 'application/json', ...(options.key === null ? {} : { authorization: `Bearer ${options.key}` }) };
  const closing = new AbortController();
  let isNewer = false;
  const lastSuccess = new LastSuccess(ambient.now);

  function send(messages: readonly ChatMessage[], newer: boolean, signal: AbortSignal): Promise<Answer> {
    const limits = newer ? { max_completion_tokens: mostTokens } : { max_tokens: mostTokens, temperature: 0 };
    return exchange(address, { method: 'POST', headers, body: JSON.stringify({ model, messages, stream: false, ...limits }) }, signal);
  }

  async function exchange(url: string, request: { method?: string; headers: Record<string, string>; body?: string }, signal: AbortSignal, read: (response: Response) => Promise<string> = textOf): Promise<Answer> {
    try {
      const response = await fetch(url, { ...request, signal, redirect: 'error' });
      return { status: response.status, text: await read(response), retryAfter: retryAfterOf(response.headers.get('retry-after'), ambient.now()) };
    } catch (error) {
      if (error instanceof Error && error.name === 'ChatUnusable') throw error;
      if (isNotConnected(error)) throw new NotBegun('the chat server cannot be reached', 0, error);
      throw new ChatUnusable(signal.aborted ? 'the chat server takes too long' : 'the chat server does not answer as it should', { cause: error });
    }
  }

  async function ask(messages: readonly ChatMessage[], signal: AbortSignal): Promise<string> {
    let answer = await send(messages, isNewer, signal);
    if (answer.status === 400 && !isNewer) {
      const newer = await send(messages, true, signal);
      if (newer.status === 200) {
        isNewer = true;
        answer = newer;
      }
    }
    const { status, text, retryAfter } = answer;
    if (notBegun.has(status)) throw new NotBegun(`the chat server answered ${status}`, retryAfter);
    if (status !== 200) throw new ChatUnusable(`the chat server answered ${status}`);
    try {
      return textOfAnswer(text, longestAnswer);
    } catch (error) {
      throw new ChatUnusable(`the chat server ${error instanceof Error ? error.message : 'answered nonsense'}`, { cause: error });
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
          if (!(error instanceof NotBegun)) throw error;
          const wait = retryPause(attempt, pauses, error.retryAfter, ambient.random());
          if (attempt === attempts || performance.now() - began + wait >= milliseconds) throw new ChatUnusable(error.message, { cause: error.cause ?? error });
          // A signal that ends the pause ends the next attempt too, which tells it.
          await pauseUnlessAborted(wait, signal);
        }
      }
    },
    async ping() {
      if (lastSuccess.isFresh) return;
      const { status } = await exchange(`${base}/models`, { headers }, AbortSignal.any([closing.signal, AbortSignal.timeout(pingTime)]), unread);
      if (isRefusal(status)) throw new ChatUnusable(`the chat server answered ${status}`);
    },
    close: () => {
      closing.abort();
      return Promise.resolve();
    },
  };
}
