import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Fields, Shape } from '../../../models/schemas/schema.ts';
import { readRawBody, type RawBodyLimits } from '../raw-body.ts';
import { parseQuery } from '../query.ts';
import type { Content } from './content.ts';
import type { Exchange, Reply } from './exchange.ts';
import { checkHead, type NoFields } from './route.ts';
import type { RouteHead } from './router.ts';

/** An exchange of a byte route. */
export type ByteExchange<I extends { organizationId: string }> = Exchange<ByteRoute<I>, I>;

/** A request that was authenticated and whose head was checked. */
export interface ByteRequest<P, Q, H> {
  path: P;
  query: Q;
  headers: H;
  request: IncomingMessage;
  /** For handlers that read the body on their own; the response itself is sent by the chassis. */
  response: ServerResponse;
  /**
   * The body as it arrives, one piece at a time. The client is asked for it with the first piece.
   * @throws Refusal `payload_too_large`; BodyLost where the client went away or was idle for too long
   */
  body: (limits: RawBodyLimits) => AsyncGenerator<Buffer, void, undefined>;
}

/** A route whose bodies are bytes of any length: nothing is parsed, and nothing held in memory. */
export interface ByteRouteDefinition<
  P extends Fields,
  Q extends Fields,
  H extends Fields,
  I extends { organizationId: string },
> extends RouteHead {
  params: P;
  query: Q;
  /** Headers that it reads. */
  headers?: H;
  /** @throws Refusal, or BodyLost of the body it reads */
  handle: (request: ByteRequest<Shape<P>, Shape<Q>, Shape<H>>, identity: I) => Promise<Content | Reply>;
}

/** A byte route without the types of its fields. */
export interface ByteRoute<I extends { organizationId: string }> extends RouteHead {
  /** @throws Refusal, or what its handler throws */
  serve: (exchange: ByteExchange<I>, params: { [name: string]: string }, identity: I) => Promise<Content | Reply>;
}

/** Makes a byte route. `I` is what the listener's `authenticate` answers. */
export function byteRoute<
  P extends Fields,
  Q extends Fields,
  I extends { organizationId: string },
  H extends Fields = NoFields,
>(definition: ByteRouteDefinition<P, Q, H, I>): ByteRoute<I> {
  const { method, path, rate } = definition;
  return {
    method,
    path,
    ...(rate === undefined ? {} : { rate }),
    serve: async ({ request, response, search }, params, identity) => {
      const head = checkHead(definition, { params, query: parseQuery(search), headers: request.headers });
      return definition.handle(
        { ...head, request, response, body: (limits) => readRawBody(request, response, limits) },
        identity,
      );
    },
  };
}
