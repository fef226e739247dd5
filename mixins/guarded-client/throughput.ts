import { RequestFailure } from './failure.ts';

/** What a body may cost. */
export interface BodyLimits {
  /** Bytes of the body. */
  maxBytes: number;
  /** Bytes a second that must come in on average, over each `throughputMs` of waiting. */
  leastBytesPerSecond: number;
  /** Milliseconds of waiting over which the average is taken. */
  throughputMs: number;
}

/**
 * Hands a body on within its limits. Only the time spent waiting for the other side counts: a reader that works
 * slowly does not make the source slow. `now` is milliseconds on a clock that never goes back.
 * @throws RequestFailure `too_large` or `slow`
 */
export async function* limitBody(body: AsyncIterable<Uint8Array>, limits: BodyLimits, host: string, now: () => number): AsyncGenerator<Uint8Array, void, undefined> {
  let total = 0;
  let waited = 0;
  let bytes = 0;
  let asked = now();
  for await (const piece of body) {
    waited += now() - asked;
    bytes += piece.byteLength;
    total += piece.byteLength;
    if (total > limits.maxBytes) throw new RequestFailure('too_large', `the host ${host} sent more than ${limits.maxBytes} bytes`);
    if (waited >= limits.throughputMs) {
      if (bytes * 1000 < limits.leastBytesPerSecond * waited) throw new RequestFailure('slow', `the host ${host} sent ${bytes} bytes in ${Math.round(waited)} ms`);
      waited = 0;
      bytes = 0;
    }
    yield piece;
    asked = now();
  }
}
