import type { Objects } from '../../adapters/objects/port.ts';
import { evaluateConditions, requestedRange, type ByteRange } from '../../mixins/http/api/conditions.ts';
import { beginPieces } from '../../mixins/http/begun-pieces.ts';
import { Pace, pieceBytes, sendBody, slices } from '../../mixins/http/response-body.ts';
import type { Copy } from './copies.ts';
import { corsLines } from './cors.ts';
import type { Delivery } from './exchange.ts';
import type { Head } from './head.ts';
import { refusalAnswer, type DeliveryRefusal } from './refusals.ts';

/** Answers with a short JSON body that says why nothing is delivered. */
export function refuse(delivery: Delivery, code: DeliveryRefusal): void {
  const { response, request, method, site } = delivery;
  if (response.headersSent || response.destroyed) return;
  const { status, lines, body } = refusalAnswer(code);
  const cors = site === null ? [] : [...site.vary, ...corsLines(site.cors, method, request.headers.origin)];
  begin(delivery, status, [...lines, ...cacheLines(delivery, 0), ...cors]);
  finish(delivery, method === 'HEAD' ? null : body);
}

/** Answers with a short text of the edge's own. */
export function answerText(delivery: Delivery, text: string): void {
  const body = Buffer.from(text);
  begin(delivery, 200, [
    ...['Content-Type', 'text/plain; charset=utf-8', 'Content-Length', String(body.length)],
    ...['Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff'],
  ]);
  finish(delivery, delivery.method === 'HEAD' ? null : body);
}

/** Answers without a body. */
export function answerEmpty(delivery: Delivery, status: number, lines: readonly string[]): void {
  begin(delivery, status, lines);
  delivery.response.end();
}

/**
 * Delivers a copy, or the part of it that is asked for: 200, 206, 304, 412 or 416 (RFC 9110, 13 to 15).
 * @param age of the copy in milliseconds
 * @throws what reading throws, before anything was sent
 */
export async function answerCopy(
  objects: Objects,
  delivery: Delivery,
  copy: Copy,
  head: Head,
  age: number,
): Promise<void> {
  const { request, site, method } = delivery;
  const { headers } = request;
  const { size } = copy.object;
  const lines = cacheLines(delivery, age);
  if (site !== null && headers.origin !== undefined) lines.push(...corsLines(site.cors, method, headers.origin));
  const validators = { etag: head.always[1] ?? '', lastModified: copy.object.updatedAt };
  const status = evaluateConditions(request, validators);
  if (status !== 200) {
    answerEmpty(delivery, status, [...(status === 304 ? head.always : withoutBody), ...lines]);
    return;
  }
  const range = headers.range === undefined ? null : requestedRange(request, validators, size);
  if (range === 'unsatisfiable') {
    answerEmpty(delivery, 416, ['Content-Range', `bytes */${size}`, ...withoutBody, ...lines]);
    return;
  }
  if (range === null) await sendCopy(objects, delivery, copy, 200, head.full.concat(lines), { from: 0, to: size - 1 });
  else await sendCopy(objects, delivery, copy, 206, [...head.always, ...partLines(head, range, size), ...lines], range);
}

const withoutBody = ['Content-Length', '0', 'Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff'];

function partLines({ contentType }: Head, { from, to }: ByteRange, size: number): string[] {
  return [
    ...['Content-Type', contentType, 'Content-Length', String(to - from + 1)],
    ...['Content-Range', `bytes ${from}-${to}/${size}`],
  ];
}

function cacheLines({ cache }: Delivery, age: number): string[] {
  if (cache === null) return [];
  return cache === 'hit' ? ['X-Cache', 'HIT', 'Age', String(Math.floor(age / 1000))] : ['X-Cache', 'MISS'];
}

async function sendCopy(
  objects: Objects,
  delivery: Delivery,
  { object, bytes }: Copy,
  status: number,
  lines: string[],
  { from, to }: ByteRange,
): Promise<void> {
  const { response, site, method } = delivery;
  const length = to - from + 1;
  if (method === 'HEAD' || length === 0) {
    answerEmpty(delivery, status, lines);
    return;
  }
  const kbps = site?.bucket.settings.delivery.rateLimitKbps ?? null;
  const pace = kbps === null ? null : new Pace(kbps);
  const sent = (count: number): void => void (delivery.bytes += count);
  if (bytes !== null) {
    const part = length === bytes.length ? bytes : bytes.subarray(from, to + 1);
    begin(delivery, status, lines);
    if (pace === null && length <= pieceBytes) finish(delivery, part);
    else await sendBody(response, slices(part), pace, sent);
    return;
  }
  const pieces = await beginPieces((buffer) => objects.read(object.content, { from, to }, buffer));
  begin(delivery, status, lines);
  await sendBody(response, pieces, pace, sent);
}

function begin(delivery: Delivery, status: number, lines: readonly string[]): void {
  delivery.status = status;
  if (!delivery.response.destroyed) delivery.response.writeHead(status, [...lines]);
}

/** Sends a short body at once. It counts when all of it has left. */
function finish(delivery: Delivery, body: Buffer | null): void {
  const { response } = delivery;
  if (body === null) response.end();
  else
    response.end(body, () => {
      delivery.bytes += body.length;
    });
}
