import { text } from 'node:stream/consumers';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { until } from '../api/support/client.ts';
import { HttpDouble } from './http-double.ts';

/** A delivered span. Ids are hexadecimal, times nanoseconds since the epoch. */
export interface DeliveredSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: number;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[];
  links: { traceId: string; spanId: string }[];
  status: { code: number };
  /** The process of the span. */
  instance: string;
}

type Resource = { attributes: DeliveredSpan['attributes'] };
/** https://github.com/open-telemetry/opentelemetry-proto/blob/v1.7.0/opentelemetry/proto/trace/v1/trace.proto */
interface TracesData {
  resourceSpans: { resource: Resource; scopeSpans: { spans: Omit<DeliveredSpan, 'instance'>[] }[] }[];
}

/** An attribute of a span or a process. */
export function attributeOf({ attributes }: Resource, name: string): string | number | undefined {
  const value = attributes.find(({ key }) => key === name)?.value;
  return value?.stringValue ?? value?.intValue;
}

/** A collector that receives traces by OTLP over HTTP as JSON and stores them. */
export class CollectorDouble extends HttpDouble {
  readonly spans: DeliveredSpan[] = [];
  /** All deliveries in order. */
  received = '';
  headers: IncomingHttpHeaders = {};
  /** The status that it answers. */
  status = 200;

  protected override async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    this.headers = request.headers;
    if (this.status !== 200 || request.url !== '/v1/traces') {
      response.writeHead(this.status === 200 ? 404 : this.status).end();
      return;
    }
    this.received += body;
    const { resourceSpans }: TracesData = JSON.parse(body);
    for (const { resource, scopeSpans } of resourceSpans) {
      for (const span of scopeSpans.flatMap(({ spans }) => spans))
        this.spans.push({ ...span, instance: String(attributeOf(resource, 'service.instance.id')) });
    }
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{}');
  }

  /** Waits for the given number of spans of a trace and returns them. */
  trace(traceId: string, isThere: (spans: DeliveredSpan[]) => boolean): Promise<DeliveredSpan[]> {
    return until(() => Promise.resolve(this.spans.filter((span) => span.traceId === traceId)), isThere);
  }
}

/**
 * The spans of a trace, each with the names of those that it is within: `GET /jobs > registrar.listJobs > records
 * find`.
 */
export function paths(spans: readonly DeliveredSpan[]): string[] {
  const byId = new Map(spans.map((span) => [span.spanId, span]));
  const path = (span: DeliveredSpan): string => {
    const parent = byId.get(span.parentSpanId ?? '');
    return parent === undefined ? span.name : `${path(parent)} > ${span.name}`;
  };
  return [...new Set(spans.map(path))].sort();
}
