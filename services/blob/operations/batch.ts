import type { IncomingHttpHeaders } from 'node:http';
import { readRawBody } from '../../../mixins/http/raw-body.ts';
import type { DoorReply } from '../../../mixins/storage/door-http.ts';
import { authenticate } from '../auth/authenticate.ts';
import { containerOf, requireSas } from '../auth/authorize.ts';
import type { BlobExchange, Door } from '../door.ts';
import { readAddress } from '../protocol/address.ts';
import { faultOf } from '../protocol/failures.ts';
import { badHeader, Fault } from '../protocol/faults.ts';
import { sentLength } from '../protocol/sent.ts';
import { element } from '../../../mixins/storage/door-xml.ts';
import { xmlDocument } from '../protocol/xml.ts';
import { deleteBlob, deletingNeed } from './change-blob.ts';

/** Most requests of a batch, and its largest body, in bytes. */
const maxRequests = 256;
const maxBatchBytes = 2 ** 21;
const idleTimeoutMs = 30_000;
/** Requests that run at the same time: the protocol leaves their order open. */
const atOnce = 32;

/** A request of a batch. */
interface Inner {
  contentId: string;
  method: string;
  target: string;
  headers: IncomingHttpHeaders;
}

/**
 * Runs the requests of a batch: deletions alone. Each is authorized by itself, and is answered by itself.
 * @throws Fault where the batch cannot be read
 */
export async function runBatch(door: Door, exchange: BlobExchange): Promise<DoorReply> {
  const { request, response } = exchange;
  const type = request.headers['content-type'] ?? '';
  const [, quoted, bare] = /^multipart\/mixed\s*;.*?boundary=(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i.exec(type) ?? [];
  const boundary = quoted ?? bare;
  if (boundary === undefined) throw badHeader('Content-Type', type);
  sentLength(request, maxBatchBytes);
  const pieces: Buffer[] = [];
  for await (const piece of readRawBody(request, response, { maxBytes: maxBatchBytes, idleTimeoutMs }))
    pieces.push(piece);
  const inner = readParts(Buffer.concat(pieces).toString('utf8'), boundary);
  const mark = `batchresponse_${door.app.runtime.uuid()}`;
  const parts: string[] = [];
  for (let from = 0; from < inner.length; from += atOnce) {
    const answers = await Promise.all(inner.slice(from, from + atOnce).map((each) => answerOf(door, exchange, each)));
    parts.push(...answers.map((answer) => `--${mark}\r\n${answer}\r\n`));
  }
  return {
    status: 202,
    headers: { 'Content-Type': `multipart/mixed; boundary=${mark}` },
    body: `${parts.join('')}--${mark}--\r\n`,
  };
}

/** The requests of a body. @throws Fault `InvalidInput` */
function readParts(body: string, boundary: string): Inner[] {
  const [, ...parts] = `\r\n${body.replace(/\r?\n/g, '\r\n')}`.split(`\r\n--${boundary}`);
  if (parts.pop()?.startsWith('--') !== true || parts.length === 0 || parts.length > maxRequests)
    throw new Fault('InvalidInput');
  return parts.map((part) => {
    const [mime = '', head = ''] = part.replace(/^\r\n/, '').split('\r\n\r\n');
    const [line = '', ...lines] = head.split('\r\n');
    const [, method, target] = /^([A-Z]+) (\S+) HTTP\/1\.[01]$/.exec(line) ?? [];
    if (method === undefined || target === undefined) throw new Fault('InvalidInput');
    const { 'content-id': contentId = '0' } = headersOf(mime.split('\r\n'));
    return { contentId: String(contentId).slice(0, 100), method, target, headers: headersOf(lines) };
  });
}

function headersOf(lines: readonly string[]): IncomingHttpHeaders {
  const headers: IncomingHttpHeaders = {};
  for (const line of lines) {
    const [, name, value = ''] = /^([A-Za-z0-9-]+):\s*(.*?)\s*$/.exec(line) ?? [];
    if (name !== undefined) headers[name.toLowerCase()] = value;
  }
  return headers;
}

/** Runs one request, and answers it in the form of a part. */
async function answerOf(door: Door, exchange: BlobExchange, inner: Inner): Promise<string> {
  const { method, headers, target, contentId } = inner;
  let reply: DoorReply;
  try {
    const { host } = exchange.request.headers;
    const address = readAddress({ url: target, headers: { host } }, door.accountOfHost);
    const request = { method, headers, rawHeaders: [] };
    const access = await authenticate(door, request, address, exchange.origin);
    const isInside = exchange.address.container === null || address.container === exchange.address.container;
    if (access.account.name !== exchange.access.account.name || !isInside) throw new Fault('AuthorizationFailure');
    if (method !== 'DELETE' || address.blob === null || address.query.get('comp') !== null)
      throw new Fault('NotImplemented');
    requireSas(access, deletingNeed);
    const bucket = await containerOf(door, access, address);
    reply = await deleteBlob(door, { ...exchange, address, access, bucket, request });
  } catch (error) {
    const fault = faultOf(error);
    if (fault === null) throw error;
    reply = {
      status: fault.status,
      headers: { 'x-ms-error-code': fault.code, 'Content-Type': 'application/xml' },
      body: xmlDocument(`<Error>${element('Code', fault.code)}${element('Message', fault.message)}</Error>`),
    };
  }
  const body = typeof reply.body === 'string' ? reply.body : '';
  const lines = Object.entries({
    ...reply.headers,
    'x-ms-request-id': exchange.requestId,
    'x-ms-version': exchange.version,
    'Content-Length': String(Buffer.byteLength(body)),
  }).map(([name, value]) => `${name}: ${value}`);
  return [
    ...['Content-Type: application/http', `Content-ID: ${contentId}`, ''],
    ...[`HTTP/1.1 ${reply.status} ${reply.status < 300 ? 'Accepted' : 'Error'}`, ...lines, '', body],
  ].join('\r\n');
}
