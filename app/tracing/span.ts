import {
  INVALID_SPAN_CONTEXT,
  isSpanContextValid,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Context,
  type Span as ApiSpan,
  type SpanContext,
  type Tracer,
} from '@opentelemetry/api';
import type { Attributes, Span } from '../../mixins/tracing.ts';

/** The dependencies of spans. */
export interface SpanTools {
  tracer: Tracer;
  /** Milliseconds since the epoch, with fractions. All spans share one clock, since they must nest. */
  now(): number;
}

/**
 * Parses a `traceparent`; null if it is malformed. Of later versions, the fields of this version are read.
 * https://www.w3.org/TR/trace-context/#traceparent-header
 */
export function parseTraceparent(text: string): Omit<SpanContext, 'isRemote'> | null {
  const parts = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/.exec(text);
  if (parts === null) return null;
  const [, version, traceId = '', spanId = '', flags = '', more] = parts;
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & TraceFlags.SAMPLED };
  return version === 'ff' || (version === '00' && more !== undefined) || !isSpanContextValid(context) ? null : context;
}

/**
 * The trace and span ids of a job's span. They are derived from the job's id, so that every process with the id can
 * compute them. Null if it is no UUID.
 */
export function jobSpan(jobId: string): Omit<SpanContext, 'isRemote'> | null {
  const traceId = jobId.replaceAll('-', '');
  const context = { traceId, spanId: traceId.slice(16), traceFlags: TraceFlags.SAMPLED };
  return isSpanContextValid(context) ? context : null;
}

/** The context for starting a span with this parent. */
export function within(parent: SpanContext): Context {
  return trace.setSpanContext(ROOT_CONTEXT, parent);
}

/** A span that OpenTelemetry records. */
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

  startChild(name: string, attributes: Attributes): Span {
    // The other process waits for the work of this span.
    const kind = this.span.isRecording() ? SpanKind.INTERNAL : SpanKind.SERVER;
    return new RecordedSpan(this.tools, this.start(name, kind, this.tools.now(), attributes));
  }

  recordChild(name: string, began: number, hasFailed: boolean): void {
    const now = this.tools.now();
    const span = this.start(name, SpanKind.CLIENT, now - (performance.now() - began), {});
    if (hasFailed) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(now);
  }

  setAttributes(attributes: Attributes): void {
    this.span.setAttributes(attributes);
  }

  linkJob(jobId: string): void {
    this.span.setAttribute('ply.job.id', jobId);
    this.span.addLink({ context: jobSpan(jobId) ?? INVALID_SPAN_CONTEXT });
  }

  end(hasFailed: boolean): void {
    // No message: an error's message may contain confidential text.
    if (hasFailed) this.span.setStatus({ code: SpanStatusCode.ERROR });
    this.span.end(this.tools.now());
  }

  private start(name: string, kind: SpanKind, startTime: number, attributes: Attributes): ApiSpan {
    return this.tools.tracer.startSpan(name, { kind, startTime, attributes }, trace.setSpan(ROOT_CONTEXT, this.span));
  }
}
