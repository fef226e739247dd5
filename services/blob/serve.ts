import type { IncomingMessage, ServerResponse } from 'node:http';
import { clientAddresses, trustedAddresses } from '../../mixins/http/api/sender-address.ts';
import { corsHeaders, preflightHeaders } from '../../mixins/storage/door-cors.ts';
import { dropReply, isClientGone, sendReply, takeRequest, type DoorReply } from '../../mixins/storage/door-http.ts';
import { bucketNamed } from '../../mixins/storage/door-lookup.ts';
import type { Answered } from '../../mixins/storage/gateway-usage.ts';
import { isoTime } from '../../models/runtime.ts';
import type { Bucket } from '../../models/bucket.ts';
import { authenticate, versionOf } from './auth/authenticate.ts';
import { containerOf, requireSas } from './auth/authorize.ts';
import type { BlobExchange, Door } from './door.ts';
import { findOperation } from './operations/table.ts';
import { readAddress, type BlobAddress } from './protocol/address.ts';
import { busy, faultOf } from './protocol/failures.ts';
import { Fault } from './protocol/faults.ts';
import { element } from '../../mixins/storage/door-xml.ts';
import { xmlDocument } from './protocol/xml.ts';

/** One request, from its head to its response. */
interface Turn {
  request: IncomingMessage;
  response: ServerResponse;
  requestId: string;
  address: BlobAddress | null;
  version: string;
  /** Whose CORS settings count. */
  bucket: Bucket | null;
  answered: Answered;
}

/** Answers the requests of Blob clients. */
export class BlobServer {
  readonly #door: Door;
  readonly #addressOf: (request: IncomingMessage) => string;
  readonly #isTrusted: (address: string) => boolean;
  readonly #closed: (answered: Answered) => void;

  /** @param closed is told of each response when it is over */
  constructor(door: Door, closed: (answered: Answered) => void) {
    this.#door = door;
    const { PLY_TRUSTED_PROXIES: proxies } = door.app.configuration;
    this.#addressOf = clientAddresses(proxies);
    this.#isTrusted = trustedAddresses(proxies);
    this.#closed = closed;
  }

  /** Answers a request. It never throws. */
  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const turn: Turn = {
      request,
      response,
      requestId: this.#door.app.runtime.uuid(),
      address: null,
      version: '2015-02-21',
      bucket: null,
      answered: { method: request.method ?? 'GET', organization: null, bucket: null, status: 0, bytes: 0 },
    };
    response.once('close', () => this.#closed(turn.answered));
    try {
      await this.#send(turn, await this.#answer(turn));
    } catch (error) {
      await this.#fail(turn, error).catch((reason: unknown) => {
        this.#door.app.log.error({ err: reason }, 'an error of a Blob client could not be answered');
        response.destroy();
      });
    }
  }

  async #answer(turn: Turn): Promise<DoorReply> {
    const { request, response, requestId } = turn;
    const address = readAddress(request, this.#door.accountOfHost);
    turn.address = address;
    if (request.headers.origin !== undefined) turn.bucket = await this.#bucketOf(address);
    if (request.method === 'OPTIONS') {
      const headers = preflightHeaders(turn.bucket, request, ',');
      if (headers === null) throw new Fault('CorsPreflightFailure');
      return { status: 200, headers };
    }
    const version = versionOf(request, address);
    turn.version = version;
    const { app } = this.#door;
    const origin = {
      now: app.runtime.now(),
      address: this.#addressOf(request),
      isSecure: this.#isSecure(request),
    };
    const access = await authenticate(this.#door, request, address, origin);
    const { organizationId, accountId } = access.credential;
    turn.answered.organization = { organizationId, accountId };
    const allowance = await takeRequest(app.counters, access.credential);
    if (!allowance.allowed) {
      turn.answered.isLimited = true;
      throw busy(allowance.resetMs / 1000);
    }
    const operation = findOperation(request, address);
    requireSas(access, operation.need);
    const bucket = await containerOf(this.#door, access, address);
    turn.answered.bucket = bucket;
    const exchange: BlobExchange = { request, response, requestId, address, version, origin, access, bucket };
    return operation.serve(this.#door, exchange);
  }

  /** The bucket whose CORS settings count for an address; null if there is none. */
  async #bucketOf({ account, container }: BlobAddress): Promise<Bucket | null> {
    if (container === null) return null;
    const found = await this.#door.accounts.find(account);
    if (found === null) return null;
    const bucket = await bucketNamed(this.#door.app, found.organizationId, container);
    return bucket?.state === 'active' ? bucket : null;
  }

  /** Whether the client speaks TLS, to a proxy that is trusted to say so. */
  #isSecure({ headers, socket }: IncomingMessage): boolean {
    return headers['x-forwarded-proto'] === 'https' && this.#isTrusted(socket.remoteAddress ?? '');
  }

  async #send(turn: Turn, reply: DoorReply): Promise<void> {
    const { status, headers = {}, body = '' } = reply;
    const { request, response, answered } = turn;
    if (response.headersSent || response.destroyed) return dropReply(reply);
    const isHead = request.method === 'HEAD';
    const length = typeof body === 'string' ? Buffer.byteLength(body) : body.bytes;
    const all: { [name: string]: string } = {
      ...(status === 304 || (isHead && headers['Content-Length'] !== undefined)
        ? {}
        : { 'Content-Length': String(length) }),
      ...headers,
      'x-ms-request-id': turn.requestId,
      'x-ms-version': turn.version,
      ...clientRequestId(request),
      'X-Content-Type-Options': 'nosniff',
    };
    Object.assign(all, corsHeaders(turn.bucket, request, Object.keys(all).join(',')));
    await sendReply(request, response, { status, body }, all, answered);
  }

  async #fail(turn: Turn, error: unknown): Promise<void> {
    const { response, request, requestId } = turn;
    const { app } = this.#door;
    const isGone = isClientGone(error);
    const fault = faultOf(error);
    if (fault === null && !isGone)
      app.log.error({ err: error, requestId, method: request.method }, 'a request of a Blob client failed');
    if (response.headersSent || isGone) {
      response.destroy();
      return;
    }
    await this.#send(turn, this.#replyOf(turn, fault ?? new Fault('InternalError')));
  }

  #replyOf({ requestId, request }: Turn, fault: Fault): DoorReply {
    const { code, status, details, message } = fault;
    const headers = { 'x-ms-error-code': code, ...details.headers };
    // Nothing is sent that would have a type.
    if (status === 304 || request.method === 'HEAD') return { status, headers };
    const time = isoTime(this.#door.app.runtime.now());
    const elements = Object.entries(details.elements ?? {}).map(([name, value]) => element(name, value));
    const text = element('Message', `${message}\nRequestId:${requestId}\nTime:${time}`);
    return {
      status,
      headers: { ...headers, 'Content-Type': 'application/xml' },
      body: xmlDocument(`<Error>${element('Code', code)}${text}${elements.join('')}</Error>`),
    };
  }
}

function clientRequestId({ headers }: IncomingMessage): { [name: string]: string } {
  const sent = headers['x-ms-client-request-id'];
  return typeof sent === 'string' && /^[\x21-\x7e]{1,1024}$/.test(sent) ? { 'x-ms-client-request-id': sent } : {};
}
