import type { Runtime } from '../../../models/runtime.ts';
import { boundedText, retryAfterOf } from '../../../models/http-response.ts';
import { LastSuccess } from '../../../models/last-success.ts';
import { pauseUnlessAborted, retryPause } from '../../../models/retry-pause.ts';
import { TranscriptionFailure, type HeardSegment, type HeardSound, type Transcriber } from '../port.ts';
import { segmentsOfAnswer } from './answer.ts';

/** Where the server is and what is expected of it. */
export interface OpenAiTranscriberOptions {
  /** Base address; `/v1/audio/transcriptions` is added. */
  url: string;
  /** Model name that is sent. */
  model: string;
  /** Bearer token; null for none. */
  key: string | null;
  /** Languages (primary subtags) that the model knows; null for a multilingual one. */
  languages: readonly string[] | null;
  /** Seconds that one request may take. */
  seconds: number;
  runtime: Pick<Runtime, 'now' | 'random'>;
}

/** Maximum number of requests for one piece of sound. */
const attempts = 5;
/** Pauses between attempts grow from the first to the longest, in milliseconds, each times a random part. */
const pauses = { first: 1000, longest: 30_000 };
/** Largest answer taken, in bytes. */
const maxAnswer = 2 ** 20;
/** Statuses that may pass, besides those of 500 and above. */
const passing: ReadonlySet<number> = new Set([408, 425, 429]);

/**
 * Statuses by which servers refuse a format of answers that they do not know: OpenAI's own, and that of those who check
 * a form's fields.
 */
const refusingFormat: ReadonlySet<number> = new Set([400, 422]);
/**
 * After so many pieces in a row whose verbose answer was refused, and the plain one given, only plain ones are asked
 * for: one alone may have had another reason.
 */
const refusalsInRow = 3;

/** Something that may go well when it is tried again. */
class Passing extends Error {
  /** Milliseconds until the server accepts another request, as it asks. */
  readonly retryAfter: number;
  constructor(message: string, retryAfter: number, cause?: unknown) {
    super(message, { cause });
    this.retryAfter = retryAfter;
  }
}

const tooLong = (): Error => new Error(`the answer has more than ${maxAnswer} bytes`);
const unavailable = (detail: string, cause?: unknown): TranscriptionFailure =>
  new TranscriptionFailure('model_unavailable', 'temporary', detail, { cause });

/**
 * Transcribes by a server with the interface of OpenAI
 * (https://platform.openai.com/docs/api-reference/audio/createTranscription). 408, 425, 429, 5xx and network failures
 * are tried again with growing pauses of random length, or as `Retry-After` says; other 4xx are definite. A piece whose
 * `verbose_json` is refused is asked for as plain `json`, and a server that refuses it again and again for nothing
 * else.
 */
export function openOpenAiTranscriber(options: OpenAiTranscriberOptions): Transcriber {
  const { runtime } = options;
  const base = options.url.replace(/\/+$/, '');
  const headers: Record<string, string> = options.key === null ? {} : { authorization: `Bearer ${options.key}` };
  const closing = new AbortController();
  const lastSuccess = new LastSuccess(runtime.now);
  let refusals = 0;

  /** The form as bytes: a body that is a stream can fail beside its request when that is aborted. */
  async function formOf({ wav, language }: HeardSound, plain: boolean): Promise<{ type: string; body: ArrayBuffer }> {
    const form = new FormData();
    form.set('file', new Blob([new Uint8Array(wav)], { type: 'audio/wav' }), 'sound.wav');
    form.set('model', options.model);
    form.set('response_format', plain ? 'json' : 'verbose_json');
    if (!plain) for (const granularity of ['word', 'segment']) form.append('timestamp_granularities[]', granularity);
    if (language !== null) form.set('language', language);
    const encoded = new Response(form);
    return { type: encoded.headers.get('content-type') ?? '', body: await encoded.arrayBuffer() };
  }

  async function ask(sound: HeardSound, plain: boolean): Promise<{ status: number; text: string; retryAfter: number }> {
    const signal = AbortSignal.any([sound.signal, closing.signal, AbortSignal.timeout(options.seconds * 1000)]);
    const { type, body } = await formOf(sound, plain);
    try {
      const response = await fetch(`${base}/v1/audio/transcriptions`, {
        method: 'POST',
        headers: { ...headers, 'content-type': type },
        body,
        signal,
        redirect: 'error',
      });
      return {
        status: response.status,
        text: await boundedText(response, maxAnswer, tooLong),
        retryAfter: retryAfterOf(response.headers.get('retry-after'), runtime.now(), pauses.longest),
      };
    } catch (error) {
      sound.signal.throwIfAborted();
      throw new Passing('the speech server does not answer as it should', 0, error);
    }
  }

  async function request(sound: HeardSound): Promise<HeardSegment[]> {
    const plain = refusals >= refusalsInRow;
    let answer = await ask(sound, plain);
    if (answer.status === 200 && !plain) refusals = 0;
    if (refusingFormat.has(answer.status) && !plain) {
      const simpler = await ask(sound, true);
      if (simpler.status === 200) {
        refusals += 1;
        answer = simpler;
      }
    }
    const { status, text, retryAfter } = answer;
    if (passing.has(status) || status >= 500) throw new Passing(`the speech server answered ${status}`, retryAfter);
    if (status !== 200)
      throw new TranscriptionFailure('transcription_refused', 'definite', `the speech server answered ${status}`);
    try {
      return segmentsOfAnswer(text, sound);
    } catch (error) {
      throw unavailable(
        `the speech server ${error instanceof Error && !(error instanceof SyntaxError) ? error.message : 'answered no JSON'}`,
        error,
      );
    }
  }

  async function requestWithRetries(sound: HeardSound): Promise<HeardSegment[]> {
    for (let attempt = 1; ; attempt++) {
      if (closing.signal.aborted) throw unavailable('the speech server is no longer used');
      sound.signal.throwIfAborted();
      try {
        const segments = await request(sound);
        lastSuccess.succeeded();
        return segments;
      } catch (error) {
        lastSuccess.failed();
        if (!(error instanceof Passing)) throw error;
        if (attempt >= attempts) throw unavailable(error.message, error.cause ?? error);
        await pauseUnlessAborted(
          retryPause(attempt, pauses, error.retryAfter, runtime.random()),
          AbortSignal.any([closing.signal, sound.signal]),
        );
      }
    }
  }

  return {
    model: { id: `server:${options.model}`, languages: options.languages },
    absence: null,
    transcribe: requestWithRetries,
    async ping() {
      if (lastSuccess.isFresh) return;
      // Any answer but a failure of its own shows that the server is there: not all of them list their models.
      const { status, body } = await fetch(`${base}/v1/models`, {
        headers,
        signal: AbortSignal.any([closing.signal, AbortSignal.timeout(2500)]),
        redirect: 'error',
      }).catch((error: unknown) => {
        throw unavailable('the speech server does not answer', error);
      });
      // Unread, a long list of models would keep its connection.
      await body?.cancel();
      if (status >= 500) throw unavailable(`the speech server answered ${status}`);
    },
    close: () => {
      closing.abort();
      return Promise.resolve();
    },
  };
}
