import type { IncomingMessage, ServerResponse } from 'node:http';
import { corsHeaders } from '../../mixins/storage/door-cors.ts';
import { dropReply, isClientGone, sendReply, takeRequest, type DoorReply } from '../../mixins/storage/door-http.ts';
import { bucketNamed } from '../../mixins/storage/door-lookup.ts';
import type { Answered } from '../../mixins/storage/gateway-usage.ts';
import { buckets, type Bucket } from '../../models/bucket.ts';
import { systemScope } from '../../models/scope.ts';
import { authenticate } from './auth/authenticate.ts';
import { wrongRegion } from './auth/sent-signature.ts';
import type { Door, S3Exchange } from './door.ts';
import { authenticateForm, postObject } from './form/post-object.ts';
import { isForm, readForm } from './form/read-form.ts';
import { findOperation } from './operations/table.ts';
import { bucketHosts, readAddress, type S3Address } from './protocol/address.ts';
import { faultOf } from './protocol/failures.ts';
import { Fault } from './protocol/faults.ts';
import { preflight } from './protocol/preflight.ts';
import { requireShape } from './protocol/shape.ts';
import { element } from '../../mixins/storage/door-xml.ts';
import { errorDocument } from './protocol/xml.ts';

/** Regions that signatures may name whatever the bucket's. */
const anyRegion = ['us-east-1', 'auto'];

/** One request, from its head to its response. */
interface Turn {
  request: IncomingMessage;
  response: ServerResponse;
  requestId: string;
  address: S3Address | null;
  /** Whose CORS settings count. */
  origins: Bucket | null;
  answered: Answered;
}

/** Answers the requests of S3 clients. */
export class S3Server {
  readonly #door: Door;
  readonly #hosts: readonly string[];
  readonly #regions: readonly string[];
  readonly #closed: (answered: Answered) => void;

  /** @param closed is told of each response when it is over */
  constructor(door: Door, closed: (answered: Answered) => void) {
    this.#door = door;
    this.#hosts = bucketHosts(door.regions);
    this.#regions = [...anyRegion, ...door.regions.map(({ code }) => code)];
    this.#closed = closed;
  }

  /** Answers a request. It never throws. */
  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const turn: Turn = {
      request,
      response,
      requestId: this.#door.app.runtime.uuid(),
      address: null,
      origins: null,
      answered: { method: request.method ?? 'GET', organization: null, bucket: null, status: 0, bytes: 0 },
    };
    response.once('close', () => this.#closed(turn.answered));
    try {
      await this.#send(turn, await this.#answer(turn));
    } catch (error) {
      await this.#fail(turn, error).catch((reason: unknown) => {
        this.#door.app.log.debug({ err: reason }, 'an S3 client went away');
        response.destroy();
      });
    }
  }

  async #answer(turn: Turn): Promise<DoorReply> {
    const { request, response, answered } = turn;
    const address = readAddress(request, this.#hosts);
    turn.address = address;
    const { app, credentials } = this.#door;
    if (request.headers.origin !== undefined) turn.origins = await this.#originsOf(address);
    if (request.method === 'OPTIONS') return preflight(request, address.bucket, turn.origins);
    const sendsForm = address.bucket !== null && isForm(request);
    requireShape(request, address, sendsForm);
    const authentication = { credentials, regions: this.#regions, now: app.runtime.now() };
    const form = sendsForm ? await readForm(request, response) : null;
    const access =
      form === null
        ? await authenticate(authentication, request, address)
        : await authenticateForm(authentication, form);
    const { credential } = access;
    const { organizationId, accountId } = credential;
    answered.organization = { organizationId, accountId };
    credentials.used(credential);
    const allowance = await takeRequest(app.counters, credential);
    if (!allowance.allowed) {
      answered.isLimited = true;
      throw new Fault('SlowDown', {
        headers: { 'Retry-After': String(Math.max(1, Math.ceil(allowance.resetMs / 1000))) },
      });
    }
    const bucket = address.bucket === null ? null : await bucketNamed(app, organizationId, address.bucket);
    answered.bucket = bucket;
    if (bucket !== null && !anyRegion.includes(access.region) && access.region !== bucket.region)
      throw wrongRegion({ expires: null, scope: { day: '', region: access.region } }, bucket.region);
    const exchange: S3Exchange = { request, response, address, bucket, access };
    return form === null ? findOperation(exchange)(this.#door, exchange) : postObject(this.#door, exchange, form);
  }

  /** The bucket whose CORS settings count for an address; null if there is none. */
  async #originsOf({ bucket: name }: S3Address): Promise<Bucket | null> {
    if (name === null) return null;
    const [bucket] = await this.#door.app.records
      .collection(buckets, systemScope)
      .find({ filter: { nameKey: name }, limit: 1 });
    return bucket?.state === 'active' ? bucket : null;
  }

  async #send(turn: Turn, reply: DoorReply): Promise<void> {
    const { status, headers = {}, body = '' } = reply;
    const { request, response, answered, requestId } = turn;
    if (response.headersSent || response.destroyed) return dropReply(reply);
    const length = typeof body === 'string' ? Buffer.byteLength(body) : body.bytes;
    const hasLength = status !== 204 && status !== 304 && headers['Content-Length'] === undefined;
    const all: { [name: string]: string } = {
      ...(hasLength ? { 'Content-Length': String(length) } : {}),
      ...headers,
      'x-amz-request-id': requestId,
      'X-Content-Type-Options': 'nosniff',
    };
    const exposed = [...new Set(['ETag', ...Object.keys(all)])].join(', ');
    Object.assign(all, corsHeaders(turn.origins, request, exposed));
    await sendReply(request, response, { status, body }, all, answered);
  }

  async #fail(turn: Turn, error: unknown): Promise<void> {
    const { response, request, requestId } = turn;
    const isGone = isClientGone(error);
    const fault = faultOf(error);
    if (fault === null && !isGone)
      this.#door.app.log.error({ err: error, requestId, method: request.method }, 'a request of an S3 client failed');
    if (response.headersSent || isGone) {
      response.destroy();
      return;
    }
    await this.#send(turn, replyOf(turn, fault ?? new Fault('InternalError')));
  }
}

function replyOf({ requestId, address }: Turn, { code, status, message, details }: Fault): DoorReply {
  const { headers = {}, elements = {} } = details;
  if (status === 304) return { status, headers };
  const body = [
    element('Code', code),
    element('Message', message),
    ...Object.entries(elements).map(([name, value]) => element(name, value)),
    element('Resource', address?.path ?? '/'),
    element('RequestId', requestId),
  ];
  return { status, headers: { 'Content-Type': 'application/xml', ...headers }, body: errorDocument(body.join('')) };
}
