import { failureFrom, RequestFailure } from './failure.ts';

/** Limits of an answer's body. */
export interface BodyLimits {
  /** Bytes of the body. */
  maxBytes: number;
  /** Bytes a second that must arrive on average over each `throughputMs` of waiting. */
  minBytesPerSecond: number;
  /** Milliseconds of waiting over which the average is taken. */
  throughputMs: number;
}

/** Where a body comes from. */
export interface BodyOrigin {
  /** Named in failures. */
  host: string;
  /** Of the caller. */
  signal?: AbortSignal | undefined;
  /** Milliseconds of a clock that never goes back. */
  now(): number;
}

/**
 * Yields a body within its limits. Only the time spent waiting for the other side counts: a slow reader does not make a
 * source slow.
 * @throws RequestFailure: `too_large`, `slow`, or the reason for which the body broke
 */
export async function* limitBody(
  body: AsyncIterable<Uint8Array>,
  limits: BodyLimits,
  { host, signal, now }: BodyOrigin,
): AsyncGenerator<Uint8Array, void, undefined> {
  let total = 0;
  let waited = 0;
  let bytes = 0;
  let requestedAt = now();
  try {
    for await (const chunk of body) {
      waited += now() - requestedAt;
      bytes += chunk.byteLength;
      total += chunk.byteLength;
      if (total > limits.maxBytes)
        throw new RequestFailure('too_large', `the host ${host} sent more than ${limits.maxBytes} bytes`);
      if (waited >= limits.throughputMs) {
        if (bytes * 1000 < limits.minBytesPerSecond * waited)
          throw new RequestFailure('slow', `the host ${host} sent ${bytes} bytes in ${Math.round(waited)} ms`);
        waited = 0;
        bytes = 0;
      }
      yield chunk;
      requestedAt = now();
    }
  } catch (error) {
    throw failureFrom(error, host, signal);
  }
}
