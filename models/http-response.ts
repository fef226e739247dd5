/**
 * The time of a `Retry-After` header (RFC 9110, 10.2.3: seconds or a date) in milliseconds from `now`, at most
 * `longest`; 0 without the header.
 */
export function retryAfterOf(header: string | null, now: number, longest: number = Number.POSITIVE_INFINITY): number {
  if (header === null) return 0;
  const milliseconds = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isFinite(milliseconds) ? Math.min(longest, Math.max(0, milliseconds)) : 0;
}

/**
 * The body of a response as text.
 * @param maxBytes limit of its size
 * @param tooLong creates the error for a larger body
 * @throws that error, and errors of the connection
 */
export async function boundedText(
  response: Pick<Response, 'body'>,
  maxBytes: number,
  tooLong: () => Error,
): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  const body: AsyncIterable<Uint8Array> | null = response.body;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw tooLong();
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
