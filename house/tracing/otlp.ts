import { ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, type Context, type SpanContext } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { AlwaysOffSampler, AlwaysOnSampler, ParentBasedSampler, RandomIdGenerator, TraceIdRatioBasedSampler, TracerProvider, type IdGenerator } from '@opentelemetry/sdk-trace';
import { setTimeout as pause } from 'node:timers/promises';
import type { House } from '../../mixins/house.ts';
import type { Attributes, EndedJob, Span, Tracing } from '../../mixins/tracing.ts';
import { Delivery, type TellDelivery } from './delivery.ts';
import { jobSpan, parseTraceparent, RecordedSpan, within, type SpanTools } from './span.ts';

/** What of the house traces need. */
export type TracingHouse = Pick<House, 'configuration' | 'ambient' | 'log' | 'metrics' | 'nodeId'>;

/** How long handing over one batch may take, tries again included, in milliseconds. */
const exportMs = 5000;
/** How often the log tells that traces are not delivered, in milliseconds. */
const complainEveryMs = 60_000;
/** How long the clock of the spans goes by itself, in milliseconds. */
const anchorMs = 60_000;
/** Longest value of an attribute, in characters. */
const mostCharacters = 256;

/** Random ids, but for the one span whose ids are known before. */
class Ids implements IdGenerator {
  next: SpanContext | null = null;
  private readonly random = new RandomIdGenerator();

  generateTraceId(): string {
    return this.next?.traceId ?? this.random.generateTraceId();
  }

  generateSpanId(): string {
    return this.next?.spanId ?? this.random.generateSpanId();
  }
}

/** A clock with fractions of milliseconds that follows the given one, which may be set while the process runs. */
function preciseClock(now: () => number): () => number {
  let [anchored, offset] = [performance.now(), now() - performance.now()];
  return () => {
    const at = performance.now();
    if (at - anchored > anchorMs) [anchored, offset] = [at, now() - at];
    return offset + at;
  };
}

/** Counts what becomes of spans, and tells the log now and then that the collector takes none. */
function teller({ ambient, log, metrics }: TracingHouse): TellDelivery {
  const spans = metrics.counter('ply_trace_spans_total', 'Spans of traces by what became of them: delivered, dropped (no room) or failed (not taken by the collector).', ['outcome']);
  let told = Number.NEGATIVE_INFINITY;
  return (outcome, count) => {
    spans.inc({ outcome }, count);
    if (outcome === 'delivered' || ambient.now() - told < complainEveryMs) return;
    told = ambient.now();
    log.warn({ outcome }, 'traces are not delivered');
  };
}

/**
 * Traces by OpenTelemetry, delivered to a collector by OTLP over HTTP (https://opentelemetry.io/docs/specs/otlp/#otlphttp).
 * Whether a trace is taken is decided by its id, so that all processes decide alike.
 * @param url address of the collector; `/v1/traces` is added
 * @param ratio share of the traces that are taken, above 0 and at most 1
 */
export function otlpTracing(house: TracingHouse, url: string, ratio: number): Tracing {
  const share = new TraceIdRatioBasedSampler(ratio);
  const ids = new Ids();
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'ply', 'service.instance.id': house.nodeId }),
    // A client may ask for no trace, but not for more than the share. Steps within one that is traced are traced too.
    sampler: new ParentBasedSampler({ root: share, remoteParentSampled: share, remoteParentNotSampled: new AlwaysOffSampler(), localParentSampled: new AlwaysOnSampler() }),
    spanLimits: { attributeValueLengthLimit: mostCharacters },
    idGenerator: ids,
    spanProcessors: [new Delivery(new OTLPTraceExporter({ url: `${url}/v1/traces`, timeoutMillis: exportMs }), teller(house))],
  });
  const tools: SpanTools = { tracer: provider.getTracer('ply'), now: preciseClock(() => house.ambient.now()) };
  const begin = (name: string, kind: SpanKind, attributes: Attributes, context: Context): Span | null => {
    const span = tools.tracer.startSpan(name, { kind, attributes, startTime: tools.now() }, context);
    return span.isRecording() ? new RecordedSpan(tools, span) : null;
  };
  const told = ({ jobId, createdAt, hasFailed, attributes }: EndedJob): void => {
    ids.next = jobSpan(jobId);
    const span = tools.tracer.startSpan('job', { kind: SpanKind.INTERNAL, attributes: { 'ply.job.id': jobId, ...attributes }, startTime: createdAt }, ROOT_CONTEXT);
    ids.next = null;
    if (hasFailed) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end(tools.now());
  };
  return {
    isOn: true,
    request: (name, traceparent, attributes) => {
      const parent = traceparent === undefined ? null : parseTraceparent(traceparent);
      return begin(name, SpanKind.SERVER, attributes, parent === null ? ROOT_CONTEXT : within({ ...parent, isRemote: true }));
    },
    stage: (jobId, name, attributes) => {
      const job = jobSpan(jobId);
      return begin(name, SpanKind.CONSUMER, { 'ply.job.id': jobId, ...attributes }, job === null ? ROOT_CONTEXT : within({ ...job, isRemote: true }));
    },
    job: told,
    background: (name, attributes) => begin(name, SpanKind.INTERNAL, attributes, ROOT_CONTEXT),
    received: (traceparent) => {
      const context = parseTraceparent(traceparent);
      // Not remote: it was decided in the other process that this trace is taken.
      return context === null || context.traceFlags === 0 ? null : new RecordedSpan(tools, trace.wrapSpanContext(context));
    },
    stop: async (milliseconds) => {
      const late = new AbortController();
      const delivered = provider.shutdown().catch((error: unknown) => house.log.debug({ err: error }, 'the last traces were not delivered'));
      await Promise.race([delivered, pause(milliseconds, undefined, { signal: late.signal }).catch(() => undefined)]);
      late.abort();
    },
  };
}
