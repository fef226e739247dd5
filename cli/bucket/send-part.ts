import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { request as requestHttp, type IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** Milliseconds without any progress after which an attempt at a part is given up. */
const idleMs = 60_000;

/** How the sending of a part came out. */
export interface PartOutcome {
  status: number;
  /** Code of the error; null if the part was taken. */
  code: string | null;
  detail: string;
  retryable: boolean;
}

/**
 * Sends a range of a file as a part, without holding it in memory, and compares the answered etag with what was read.
 * @param sent called with the bytes of each piece
 * @throws what the connection or the file throws
 */
export async function sendPart(
  url: string,
  file: { path: string; from: number; bytes: number },
  sent: (bytes: number) => void,
  signal: AbortSignal,
): Promise<PartOutcome> {
  const hash = createHash('md5');
  const source =
    file.bytes === 0
      ? Readable.from([])
      : createReadStream(file.path, { start: file.from, end: file.from + file.bytes - 1, highWaterMark: 262_144 });
  const request = (url.startsWith('https:') ? requestHttps : requestHttp)(url, {
    method: 'PUT',
    headers: { 'Content-Length': file.bytes },
    signal,
    timeout: idleMs,
  });
  request.on('timeout', () => request.destroy(new Error('the upload host does not respond')));
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    request.once('response', resolve).once('error', reject);
  });
  // Awaited below; without this a failure before that would be an unhandled one.
  answered.catch(() => undefined);
  async function* measured(): AsyncGenerator<Buffer> {
    for await (const piece of source) {
      const bytes = Buffer.from(piece as Uint8Array);
      hash.update(bytes);
      yield bytes;
      sent(bytes.length);
    }
  }
  try {
    await pipeline(measured(), request, { signal });
  } catch (error) {
    // A refusal may arrive before all of the part is sent.
    const early = await Promise.race([answered, Promise.resolve(null)]);
    if (early === null) throw error;
    return outcomeOf(early, '');
  }
  return outcomeOf(await answered, `"${hash.digest('hex')}"`);
}

async function outcomeOf(response: IncomingMessage, etag: string): Promise<PartOutcome> {
  let text = '';
  for await (const piece of response.setEncoding('utf8')) text += String(piece);
  const status = response.statusCode ?? 0;
  const body: { code?: unknown; detail?: unknown; retryable?: unknown; etag?: unknown } = bodyOf(text);
  if (status === 200 && body.etag === etag) return { status, code: null, detail: '', retryable: false };
  if (status === 200)
    return { status, code: 'checksum_mismatch', detail: 'The part did not arrive as it was read.', retryable: true };
  const isTemporary = body.retryable === true || status >= 500 || status === 408 || status === 429;
  return {
    status,
    code: typeof body.code === 'string' ? body.code : `status ${status}`,
    detail: typeof body.detail === 'string' ? body.detail : '',
    retryable: isTemporary,
  };
}

function bodyOf(text: string): object {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? body : {};
  } catch {
    // A proxy's page.
    return {};
  }
}
