import type { Attributes, Span, Tracing } from '../../tracing.ts';
import type { AnyExchange } from './exchange.ts';

/**
 * Begins the trace of a request, as part of its client's where there is a `traceparent`; null if it is not traced. It
 * is named by the route and not by the path, which may hold a secret.
 * https://opentelemetry.io/docs/specs/semconv/http/http-spans/#http-server-span
 */
export function beginTrace(tracing: Tracing, { request, requestId, match }: AnyExchange): Span | null {
  const method = request.method ?? 'GET';
  const route = match.kind === 'route' ? match.route.path : null;
  const attributes: Attributes = {
    'http.request.method': method,
    'ply.request.id': requestId,
    ...(route === null ? {} : { 'http.route': route }),
  };
  const { traceparent } = request.headers;
  return tracing.request(
    route === null ? method : `${method} ${route}`,
    typeof traceparent === 'string' ? traceparent : undefined,
    attributes,
  );
}

/** Ends the trace of a request, whether or not it was answered. */
export function endTrace(span: Span, { response, identity }: AnyExchange): void {
  if (identity !== null) span.setAttributes({ 'ply.organization.id': identity.organizationId });
  if (response.headersSent) span.setAttributes({ 'http.response.status_code': response.statusCode });
  span.end(response.headersSent && response.statusCode >= 500);
}
