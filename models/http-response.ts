/**
 * The time of a `Retry-After` header (RFC 9110, 10.2.3: seconds or a date) in milliseconds from `now`, at most `longest`;
 * 0 without one.
 */
export function retryAfterOf(header: string | null, now: number, longest: number = Number.POSITIVE_INFINITY): number {
  if (header === null) return 0;
  const milliseconds = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isFinite(milliseconds) ? Math.min(longest, Math.max(0, milliseconds)) : 0;
}

/**
 * The body of a response as text.
 * @param most bytes that it may have
 * @param tooLong the error for a longer one
 * @throws that error, and whatever the connection throws
 */
export async function boundedText(response: Pick<Response, 'body'>, most: number, tooLong: () => Error): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  const body: AsyncIterable<Uint8Array> | null = response.body;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > most) throw tooLong();
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
