import { INVALID_SPAN_CONTEXT, isSpanContextValid, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, TraceFlags, type Context, type Span as ApiSpan, type SpanContext, type Tracer } from '@opentelemetry/api';
import type { Attributes, Span } from '../../mixins/tracing.ts';

/** What spans are made with. */
export interface SpanTools {
  tracer: Tracer;
  /** Milliseconds since the epoch, with fractions: one clock for all spans, as steps must lie within each other. */
  now(): number;
}

/**
 * What a `traceparent` says; null where it is malformed. Of versions to come, what this one knows is read.
 * https://www.w3.org/TR/trace-context/#traceparent-header
 */
export function parseTraceparent(text: string): Omit<SpanContext, 'isRemote'> | null {
  const parts = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/.exec(text);
  if (parts === null) return null;
  const [, version, traceId = '', spanId = '', flags = '', more] = parts;
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED };
  return version === 'ff' || (version === '00' && more !== undefined) || !isSpanContextValid(context) ? null : context;
}

/** Where in its job's trace the job itself stands: told by its id, so that whoever has the id knows it. Null where it is no UUID. */
export function jobSpan(jobId: string): Omit<SpanContext, 'isRemote'> | null {
  const traceId = jobId.replaceAll('-', '');
  const context = { traceId, spanId: traceId.slice(16), traceFlags: TraceFlags.SAMPLED };
  return isSpanContextValid(context) ? context : null;
}

/** The context in which a span with this parent is begun. */
export function within(parent: SpanContext): Context {
  return trace.setSpanContext(ROOT_CONTEXT, parent);
}

/** A step that OpenTelemetry records. */
export class RecordedSpan implements Span {
  private readonly tools: SpanTools;
  private readonly span: ApiSpan;

  constructor(tools: SpanTools, span: ApiSpan) {
    this.tools = tools;
    this.span = span;
  }

  get traceId(): string {
    return this.span.spanContext().traceId;
  }

  get traceparent(): string {
    const { traceId, spanId, traceFlags } = this.span.spanContext();
    return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`;
  }

  begin(name: string, attributes: Attributes): Span {
    // What is done for another process is what that one waits for.
    const kind = this.span.isRecording() ? SpanKind.INTERNAL : SpanKind.SERVER;
    return new RecordedSpan(this.tools, this.start(name, kind, this.tools.now(), attributes));
  }

  over(name: string, began: number, hasFailed: boolean): void {
    const now = this.tools.now();
    const span = this.start(name, SpanKind.CLIENT, now - (performance.now() - began), {});
    if (hasFailed) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(now);
  }

  tell(attributes: Attributes): void {
    this.span.setAttributes(attributes);
  }

  leadsTo(jobId: string): void {
    this.span.setAttribute('ply.job.id', jobId);
    this.span.addLink({ context: jobSpan(jobId) ?? INVALID_SPAN_CONTEXT });
  }

  end(hasFailed: boolean): void {
    // No message: that of an error may hold what nobody may read.
    if (hasFailed) this.span.setStatus({ code: SpanStatusCode.ERROR });
    this.span.end(this.tools.now());
  }

  private start(name: string, kind: SpanKind, startTime: number, attributes: Attributes): ApiSpan {
    return this.tools.tracer.startSpan(name, { kind, startTime, attributes }, trace.setSpan(ROOT_CONTEXT, this.span));
  }
}
