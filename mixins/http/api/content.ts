import { evaluateConditions, requestedRange, type ByteRange, type Validators } from './conditions.ts';
import { send, sendPieces, type AnyExchange, type Sender } from './exchange.ts';

/** A representation of known length that is sent without being held in memory. */
export interface Content extends Validators {
  /** Length in bytes. */
  size: number;
  /** Media type. */
  type: string;
  /** Further headers, such as Cache-Control and Content-Disposition. */
  headers?: { readonly [name: string]: string };
  /**
   * Reads a part, or all of it. Not called where no body is sent. The iterator is closed when the client goes away.
   * @param range within the size
   */
  read: (range: ByteRange) => AsyncIterable<Uint8Array>;
}

/**
 * Responds to GET or HEAD with a representation: 200, 206 for a range, 304, 412 or 416 (RFC 9110, 13 to 15). Pieces are
 * read as the client takes them. 412 and 416 have no body: their status and headers say all there is.
 * @throws what reading throws; `ERR_STREAM_PREMATURE_CLOSE` where the client went away
 */
export async function sendContent(exchange: AnyExchange, sender: Sender, content: Content): Promise<void> {
  const { request } = exchange;
  const { size, type, etag, lastModified } = content;
  const headers = {
    ...content.headers,
    'Accept-Ranges': 'bytes',
    ...(etag === undefined ? {} : { ETag: etag }),
    ...(lastModified === undefined ? {} : { 'Last-Modified': new Date(lastModified).toUTCString() }),
  };
  const status = evaluateConditions(request, content);
  if (status !== 200) {
    send(exchange, sender, { status, body: '', headers: status === 304 ? headers : {} });
    return;
  }
  const range = requestedRange(request, content, size);
  if (range === 'unsatisfiable') {
    send(exchange, sender, { status: 416, body: '', headers: { 'Content-Range': `bytes */${size}` } });
    return;
  }
  const { from, to } = range ?? { from: 0, to: size - 1 };
  await sendPieces(exchange, sender, {
    status: range === null ? 200 : 206,
    type,
    headers: range === null ? headers : { ...headers, 'Content-Range': `bytes ${from}-${to}/${size}` },
    bytes: to - from + 1,
    pieces: () => (size === 0 ? nothing() : content.read({ from, to })),
  });
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
