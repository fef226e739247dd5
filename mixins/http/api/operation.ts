import { errorCodeOf } from '../../../models/error-code.ts';
import { invalid, Refusal } from '../../../models/errors.ts';
import { isObject } from '../../../models/schemas/schema.ts';
import { hasBody, isEmptyBody, isJson, isPlain, parseJson, readBody, refuseLargeBody } from '../body.ts';
import { parseQuery } from '../query.ts';
import type { Identity } from './access.ts';
import { callerOf, requireFeature } from './admission.ts';
import type { Api } from './api.ts';
import { send, sendPieces, type Exchange, type Sender } from './exchange.ts';
import { fingerprintOf, type KeptAnswer } from './idempotency.ts';
import type { Download, Performed, Route } from './route.ts';
import { sendStored } from './stored-answer.ts';

/** Bodies up to this size are compared as values; larger ones byte by byte, which blocks the event loop much less. */
const maxCanonicalBytes = 2 ** 20;

/** A request that was admitted to an operation. */
export interface Operation {
  exchange: Exchange;
  identity: Identity;
  route: Route;
  params: { [name: string]: string };
  /** Makes the response of what the action answered. */
  afterCall: (output: unknown) => KeptAnswer;
}

/** A body as it was received, and as it was parsed: undefined if there was none. */
interface Body {
  bytes: Buffer;
  body: unknown;
}

const noBody: Body = { bytes: Buffer.alloc(0), body: undefined };

/**
 * Reads and checks a request, calls its action and sends the response.
 * @throws Refusal, or what the action throws
 */
export function serveOperation(api: Api, operation: Operation): Promise<void> {
  return hasBody(operation.exchange.request) ? serveBody(api, operation) : respond(api, operation, noBody);
}

/** Reads the body first, and releases its memory in the end. @throws as `serveOperation` */
async function serveBody(api: Api, operation: Operation): Promise<void> {
  const body = await bodyOf(api, operation);
  try {
    await respond(api, operation, body);
  } finally {
    api.bodies.release(body.bytes.length);
  }
}

/** Checks the fields, calls the action and sends its answer. @throws Refusal, or what the action throws */
async function respond(api: Api, operation: Operation, { bytes, body }: Body): Promise<void> {
  const { exchange, identity, route, params, afterCall } = operation;
  const { request, requestId } = exchange;
  let idempotencyKey: string | null = null;
  const prepared = route.prepare({ params, query: parseQuery(exchange.search), headers: request.headers, body }, () => {
    idempotencyKey = idempotencyKeyOf(route, request.headers['idempotency-key']);
  });
  for (const feature of prepared.features) requireFeature(identity, feature);
  const perform = (workId: string | undefined): Promise<Performed> =>
    prepared.perform(api.actions, callerOf(identity, requestId, api.addressOf(request)), identity.key.features, workId);
  if (route.isStored) {
    await sendStored(exchange, api.sender, api.app.blobs, route.status, () => perform(undefined));
    return;
  }
  if (route.downloads !== null) {
    const performed = await perform(undefined);
    if (performed.kind === 'download') return sendDownload(exchange, api.sender, performed.download);
    if (performed.kind === 'json') send(exchange, api.sender, afterCall(performed.value));
    return;
  }
  const act = async (workId: string | undefined): Promise<KeptAnswer> => {
    const performed = await perform(workId);
    if (performed.kind !== 'json') throw new Error('an answer in pieces cannot be kept');
    return afterCall(performed.value);
  };
  if (idempotencyKey === null) {
    send(exchange, api.sender, await act(undefined));
    return;
  }
  // Runs keyed work once, or sends the response of the first run again.
  const {
    status,
    body: kept,
    replayed,
    kept: isKept,
  } = await api.idempotent.run(
    {
      organizationId: identity.organizationId,
      method: route.method,
      route: route.path,
      key: idempotencyKey,
      hasSecret: showsSecret(route),
      fingerprint: fingerprintOf(route.method, exchange.path, bytes.length > maxCanonicalBytes ? bytes : body),
    },
    act,
  );
  if (!isKept) api.app.log.warn({ requestId }, 'the answer of a keyed request could not be kept');
  send(exchange, api.sender, {
    status,
    body: kept,
    ...(replayed ? { headers: { 'Idempotency-Replayed': 'true' } } : {}),
  });
}

/** Whether the answer of an operation has a field `secret`. */
function showsSecret({ answer }: Route): boolean {
  const { properties } = answer.json;
  return isObject(properties) && 'secret' in properties;
}

/** Sends a file; a client that goes away ends it. */
async function sendDownload(exchange: Exchange, sender: Sender, { type, fileName, pieces }: Download): Promise<void> {
  try {
    const headers = { 'Content-Disposition': `attachment; filename="${fileName}"` };
    await sendPieces(exchange, sender, { status: 200, type, headers, pieces });
  } catch (error) {
    if (errorCodeOf(error) !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}

/** @throws Refusal; BodyLost where the client went away */
async function bodyOf({ app, bodies }: Api, { exchange, route }: Operation): Promise<Body> {
  const { request, response } = exchange;
  const maxBytes = app.configuration.PLY_MAX_BODY_BYTES;
  refuseLargeBody(request, maxBytes);
  if (await isEmptyBody(request, response)) return noBody;
  if (!isJson(request.headers['content-type']) || !isPlain(request)) {
    throw new Refusal('unsupported_media_type', { detail: 'Bodies are application/json in UTF-8, not compressed.' });
  }
  const bytes = await readBody(request, response, { maxBytes, maxValues: route.maxValues, budget: bodies });
  if (bytes.length === 0) return noBody;
  try {
    return { bytes, body: valueOf(bytes, route.body?.json['type'] === 'array') };
  } catch (error) {
    bodies.release(bytes.length);
    throw error;
  }
}

function valueOf(bytes: Buffer, takesList: boolean): unknown {
  const body = parseJson(bytes);
  if (takesList && Array.isArray(body)) return body;
  if (!isObject(body)) throw invalid(['body'], 'The body must be a JSON object.');
  if (Object.hasOwn(body, 'apiKey'))
    throw new Refusal('api_key_required', {
      detail: 'An API key must not stand in the body. Send it in the Authorization header.',
    });
  return body;
}

/** The Idempotency-Key of a request. @throws Refusal 400 where it is required and missing, 422 where malformed */
function idempotencyKeyOf(route: Route, header: string | string[] | undefined): string | null {
  if (route.idempotency === 'none') return null;
  if (header === undefined) {
    if (route.idempotency === 'required') throw new Refusal('idempotency_key_required');
    return null;
  }
  if (typeof header === 'string' && /^[\x20-\x7e]{1,255}$/.test(header)) return header;
  throw invalid(['header', 'Idempotency-Key'], 'Idempotency-Key must be 1 to 255 printable characters.');
}
