import { boundedText, retryAfterOf } from './http-response.ts';

const now = Date.parse('2026-11-22T00:00:00Z');

describe('Retry-After', () => {
  it.each<[string | null, number]>([
    [null, 0],
    ['3', 3000],
    [' 3 ', 3000],
    ['0', 0],
    ['Sun, 22 Nov 2026 00:00:05 GMT', 5000],
    ['Sat, 21 Nov 2026 00:00:00 GMT', 0],
    ['soon', 0],
    ['-4', 0],
    ['9'.repeat(400), 0],
  ])('%j is %s ms', (header, milliseconds) => {
    expect(retryAfterOf(header, now)).toBe(milliseconds);
  });

  it('is limited to the longest pause of the caller', () => {
    expect(retryAfterOf('3600', now, 20_000)).toBe(20_000);
  });
});

describe('the text of a response', () => {
  it('is complete, also if a chunk ends inside a character', async () => {
    const bytes = new TextEncoder().encode('größer');
    const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller) => {
        for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
        controller.close();
      },
    });
    expect(await boundedText(new Response(body), bytes.length, () => new Error('too long'))).toBe('größer');
    expect(await boundedText(new Response(null), 0, () => new Error('too long'))).toBe('');
  });

  it("is refused with the caller's error if it is too long", async () => {
    await expect(boundedText(new Response('four'), 3, () => new Error('more than three'))).rejects.toThrow(
      'more than three',
    );
  });
});
