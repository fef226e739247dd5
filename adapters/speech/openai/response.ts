/** The time of a `Retry-After` header (RFC 9110, 10.2.3: seconds or a date) in milliseconds from now, at most `longest`; 0 without one. */
export function retryAfterOf(header: string | null, now: number, longest: number): number {
  if (header === null) return 0;
  const milliseconds = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - now;
  return Number.isFinite(milliseconds) ? Math.min(longest, Math.max(0, milliseconds)) : 0;
}

/**
 * The body of an answer as text.
 * @param most bytes that it may have
 * @throws Error for a longer one, and whatever the connection throws.
 */
export async function boundedText(response: Response, most: number): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  const body: AsyncIterable<Uint8Array> | null = response.body;
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > most) throw new Error(`the answer has more than ${most} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
