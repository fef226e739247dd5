import type { Attributes, Span, Tracing } from '../../mixins/tracing.ts';
import type { Exchange } from './exchange.ts';

/**
 * Begins the trace of a request, within its client's where the client says so; null where it is not traced. It is named by
 * the route and not by the path, which may hold a secret.
 * https://opentelemetry.io/docs/specs/semconv/http/http-spans/#http-server-span
 */
export function beginTrace(tracing: Tracing, { request, requestId, match }: Exchange): Span | null {
  const method = request.method ?? 'GET';
  const route = match.kind === 'route' ? match.route.path : null;
  const attributes: Attributes = { 'http.request.method': method, 'ply.request.id': requestId, ...(route === null ? {} : { 'http.route': route }) };
  const { traceparent } = request.headers;
  return tracing.request(route === null ? method : `${method} ${route}`, typeof traceparent === 'string' ? traceparent : undefined, attributes);
}

/** Ends the trace of a request that was answered, or whose client is gone. */
export function endTrace(span: Span, { response, identity }: Exchange): void {
  if (identity !== null) span.tell({ 'ply.organization.id': identity.organizationId });
  if (response.headersSent) span.tell({ 'http.response.status_code': response.statusCode });
  span.end(response.headersSent && response.statusCode >= 500);
}
